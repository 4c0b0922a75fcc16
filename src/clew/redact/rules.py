"""The tokens of known issuers: each by its public prefix and the shape of what follows."""

import re
from typing import Final

import msgspec


class TokenRule(msgspec.Struct, frozen=True):
    """A kind of token; `anchors` are the strings one of which it begins with.

    A rule that `joins` is so specific that it matches in the middle of a word too. `checked` needs
    a digit and a letter behind the anchor, where words with hyphens could have the same shape.
    Where the pattern has a group, a match without it is none: it says how far to skip. Patterns
    are for ASCII, here and in the rules below.
    """

    name: str
    anchors: tuple[str, ...]
    pattern: str
    joins: bool = True
    checked: bool = False


def _rule(
    name: str, anchors: str, body: str, *, joins: bool = True, checked: bool = False
) -> TokenRule:
    words = tuple(anchors.split())
    heads = "|".join(map(re.escape, words))
    return TokenRule(name, words, f"(?:{heads}){body}", joins, checked)


# Bodies are runs without choices: a try reads no sign twice, and fails within its least length.
TOKEN_RULES: Final[tuple[TokenRule, ...]] = (
    _rule("anthropic-key", "sk-ant-", r"[\w-]{16,}+"),
    _rule(
        "openai-key",
        "sk- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sess-",
        r"[\w-]{20,}+",
        joins=False,
        checked=True,
    ),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_]{30,}+(?:\.[\w-]{8,}+){0,2}"),
    _rule("github-token", "github_pat_", r"\w{22,}+"),
    _rule(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        r"[\w-]{20,}+(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?",
    ),
    _rule("aws-key-id", "AKIA ASIA ABIA ACCA", r"[A-Z2-7]{16}(?![A-Z0-9])"),
    _rule("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{80,}+={0,2}", joins=False),
    _rule("google-key", "AIza", r"[\w-]{35,}+"),
    _rule("google-secret", "GOCSPX-", r"[\w-]{24,}+"),
    _rule("google-token", "ya29.", r"[\w.-]{20,}+", joins=False),
    _rule("google-token", "1//0", r"[\w-]{30,}+", joins=False),
    _rule(
        "slack-token",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-",
        r"[\w%-]{10,}+",
    ),
    _rule("slack-token", "xoxe.xox", r"[\w.-]{16,}+"),
    _rule("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[A-Za-z0-9]{10,}+"),
    _rule("stripe-webhook", "whsec_", r"[A-Za-z0-9+/]{20,}+={0,2}"),
    _rule("npm-token", "npm_", r"[A-Za-z0-9]{36,}+", joins=False),
    _rule("pypi-token", "pypi-AgE", r"[\w-]{40,}+"),
    _rule("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{30,}+", joins=False),
    _rule("sendgrid-key", "SG.", r"[\w-]{16,}+\.[\w-]{16,}+", joins=False),
    _rule("twilio-key", "SK", r"[0-9a-f]{32}(?![A-Za-z0-9])", joins=False),
    _rule("mailgun-key", "key-", r"[0-9a-f]{32}(?![A-Za-z0-9])", joins=False),
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{40,}+"),
    _rule("jwt", "eyJ", r"[\w-]*+(\.[\w-]{8,}+(?:\.[\w-]*+){0,3})?"),
    # A private key in base64, as settings of clusters contain it: `-----BEGIN … PRIV`.
    _rule(
        "private-key",
        "LS0tLS1CRUdJTiBQUklW LS0tLS1CRUdJTiBSU0EgUFJJ LS0tLS1CRUdJTiBFQyBQUklW"
        " LS0tLS1CRUdJTiBPUEVOU1NI LS0tLS1CRUdJTiBFTkNSWVBU LS0tLS1CRUdJTiBEU0EgUFJJ",
        r"[A-Za-z0-9+/]{20,}+={0,2}(?:(?:\\n|\s){1,3}[ \t]{0,20}[A-Za-z0-9+/]{40,}+={0,2})*+",
    ),
    _rule("age-key", "AGE-SECRET-KEY-1", r"[0-9A-Za-z]{40,}+"),
    _rule("1password-token", "ops_eyJ", r"[\w+/-]{40,}+={0,2}"),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[0-9A-Fa-f]{32,}+"),
    _rule("linear-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}+"),
    _rule("notion-token", "ntn_ secret_", r"[A-Za-z0-9]{40,}+", joins=False),
    _rule("grafana-token", "glsa_ glc_", r"\w{32,}+={0,2}"),
    _rule("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])", joins=False),
    _rule("figma-token", "figd_", r"[\w-]{30,}+"),
    _rule("replicate-token", "r8_", r"[A-Za-z0-9]{37,}+", joins=False),
    _rule("groq-key", "gsk_", r"[A-Za-z0-9]{40,}+", joins=False),
    _rule("xai-key", "xai-", r"[A-Za-z0-9]{60,}+", joins=False),
    _rule("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}+", joins=False),
    _rule("vault-token", "hvs. hvb. hvr.", r"[\w-]{20,}+", joins=False),
    _rule("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa.", r"[\w.-]{40,}+", joins=False),
    _rule("tailscale-key", "tskey-", r"[\w-]{20,}+", joins=False),
    _rule("rubygems-key", "rubygems_", r"[0-9a-f]{40,}+"),
    _rule("sentry-token", "sntrys_ sntryu_", r"[\w+/]{40,}+[\w+/=]*+"),
    _rule("docker-token", "dckr_pat_ dckr_oat_", r"[\w-]{20,}+"),
    _rule("atlassian-token", "ATATT3 ATCTT3 ATBB", r"[\w-]{28,}+(?:=[0-9A-F]{8})?", joins=False),
    _rule("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.-]{30,}+"),
    _rule("supabase-key", "sbp_ sb_secret_", r"[\w-]{20,}+", joins=False, checked=True),
    _rule("newrelic-key", "NRAK-", r"[A-Z0-9]{27,}+", joins=False),
    _rule("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _rule("pulumi-token", "pul-", r"[0-9a-f]{40}(?![A-Za-z0-9])", joins=False),
    _rule("netlify-token", "nfp_", r"[A-Za-z0-9]{36,}+", joins=False),
    _rule("circleci-token", "CCIPAT_ CCIPRJ_", r"[\w]{40,}+"),
    _rule("buildkite-token", "bkua_", r"[0-9a-f]{40,}+", joins=False),
    _rule("square-token", "sq0atp- sq0csp- EAAAE", r"[\w-]{22,}+", joins=False, checked=True),
    _rule("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    _rule("e2b-key", "e2b_", r"[0-9a-f]{40}(?![A-Za-z0-9])", joins=False),
    _rule("nvidia-key", "nvapi-", r"[\w-]{40,}+", joins=False),
    _rule("cerebras-key", "csk-", r"[a-z0-9]{40,}+", joins=False),
    _rule(
        "tavily-key", "tvly- tvly-dev- tvly-prod-", r"[A-Za-z0-9-]{24,}+", joins=False, checked=True
    ),
    _rule("firecrawl-key", "fc-", r"[0-9a-f]{32}(?![A-Za-z0-9])", joins=False),
    _rule("elevenlabs-key", "sk_", r"[0-9a-f]{48}(?![A-Za-z0-9])", joins=False),
    _rule("pinecone-key", "pcsk_", r"\w{40,}+", joins=False),
    _rule("posthog-key", "phx_", r"[A-Za-z0-9]{36,}+", joins=False),
    _rule(
        "resend-key",
        "re_",
        r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])",
        joins=False,
        checked=True,
    ),
    _rule("vercel-token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", r"\w{24,}+", checked=True),
    _rule("render-key", "rnd_", r"[A-Za-z0-9]{24,}+", joins=False, checked=True),
    _rule("neon-key", "napi_", r"[a-z0-9]{40,}+", joins=False),
    _rule("crates-token", "cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])", joins=False, checked=True),
    _rule("dynatrace-token", "dt0c01. dt0s01. dt0s16.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _rule("alibaba-key", "LTAI", r"[A-Za-z0-9]{12,26}(?![A-Za-z0-9])", joins=False, checked=True),
    _rule("tencent-key", "AKID", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])", joins=False, checked=True),
    _rule("heroku-key", "HRKU-AA", r"[\w-]{50,}+"),
    _rule("brevo-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _rule("facebook-token", "EAACEdEose0cBA", r"[A-Za-z0-9]{20,}+"),
    _rule("flutterwave-key", "FLWSECK-", r"[0-9a-f]{32}-X"),
    _rule("flutterwave-key", "FLWSECK_TEST-", r"[0-9A-Za-z]{12,}+(?:-X)?"),
    _rule("artifactory-key", "AKCp", r"[A-Za-z0-9]{60,}+", joins=False),
    _rule("easypost-key", "EZAK EZTK", r"[A-Za-z0-9]{54}(?![A-Za-z0-9])", joins=False),
    _rule("prefect-key", "pnu_ pnb_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])", joins=False),
    _rule("readme-key", "rdme_", r"[a-z0-9]{70}", joins=False),
    _rule("shippo-key", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    _rule("typeform-token", "tfp_", r"[\w-]{40,}+", joins=False, checked=True),
    _rule("contentful-token", "CFPAT-", r"[\w-]{40,}+", joins=False),
    _rule("inngest-key", "signkey-prod- signkey-test- signkey-branch-", r"[0-9a-f]{32,}+"),
    _rule("adafruit-key", "aio_", r"[A-Za-z0-9]{28}(?![A-Za-z0-9])", joins=False, checked=True),
    _rule("fly-token", "fm1_ fm1a_ fm1r_ fm2_", r"[\w+/-]{40,}+[\w+/=-]*+", joins=False),
)


class MiddleRule(msgspec.Struct, frozen=True):
    """A kind of token whose keyword is `offsets` characters after its beginning."""

    name: str
    needle: str
    offsets: tuple[int, ...]
    pattern: str


_HASH: Final = r"[./A-Za-z0-9]"


def _hash(needle: str, pattern: str) -> MiddleRule:
    """Return a rule for hashes of passwords; settings of containers write each dollar twice."""
    doubled = pattern.replace("$", r"\${1,2}")
    return MiddleRule("password-hash", needle, (1, 0), doubled)


# What htpasswd, /etc/shadow and databases of users contain: short passwords are guessed from it.
HASH_RULES: Final[tuple[MiddleRule, ...]] = (
    _hash("$apr1$", rf"$apr1${_HASH}{{1,16}}${_HASH}{{22}}"),
    _hash("$1$", rf"$1${_HASH}{{1,16}}${_HASH}{{22}}(?!{_HASH})"),
    *(_hash(f"$2{kind}$", rf"$2{kind}$\d\d${_HASH}{{53}}") for kind in "abxy"),
    _hash("$5$", rf"$5$(?:rounds=\d{{1,9}}$)?{_HASH}{{1,16}}${_HASH}{{43}}"),
    _hash("$6$", rf"$6$(?:rounds=\d{{1,9}}$)?{_HASH}{{1,16}}${_HASH}{{86}}"),
    *(
        _hash(f"${kind}$", rf"${kind}${_HASH}{{1,32}}${_HASH}{{1,86}}${_HASH}{{43}}")
        for kind in ("y", "gy")
    ),
    _hash("$7$", rf"$7${_HASH}{{11,97}}${_HASH}{{43}}"),
    _hash(
        "$argon2", r"$argon2(?:id|i|d)$(?:v=\d{1,3}$)?[mtp=,\d]{5,64}$[\w+/]{8,128}$[\w+/]{16,}+"
    ),
    _hash("$pbkdf2", r"$pbkdf2(?:-sha\d{1,3})?$[\w=,]{1,32}$[\w./+]{1,128}$[\w./+]{16,}+={0,2}"),
    _hash("pbkdf2_sha", r"pbkdf2_sha\d{1,3}$\d{1,9}$[^\s\x24]{1,128}$[\w+/]{27,}+={0,2}"),
    _hash("$scrypt$", r"$scrypt$[\w=,]{1,32}$[\w./+]{1,128}$[\w./+]{16,}+={0,2}"),
    MiddleRule("password-hash", "{sha}", (0,), r"\{(?i:sha)\}([A-Za-z0-9+/]{27}=)"),
    MiddleRule("password-hash", "{ssha", (0,), r"\{(?i:ssha)\d{0,3}\}([A-Za-z0-9+/]{32,}+={0,2})"),
)

# Where the pattern has a group, that alone is the secret.
MIDDLE_RULES: Final[tuple[MiddleRule, ...]] = (
    MiddleRule("telegram-token", ":AA", (10, 9, 8), r"(?<!\d)\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    MiddleRule("terraform-token", ".atlasv1.", (14,), r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}+"),
    MiddleRule("azure-secret", "8Q~", (3,), r"[\w.~-]{3}8Q~[\w.~-]{31,}+"),
    MiddleRule("slack-webhook", "hooks.slack.com/", (0,), r"hooks\.slack\.com/([\w/-]{20,}+)"),
    MiddleRule("discord-webhook", "/api/webhooks/", (0,), r"/api/webhooks/(\d{10,}/[\w-]{30,}+)"),
    *HASH_RULES,
)


class DottedRule(msgspec.Struct, frozen=True):
    """A kind of token whose first part looks like any other: `sizes` of it, then a dot and more.

    The pattern is tried only where the `rest` of it is behind the dot.
    """

    name: str
    sizes: range
    pattern: str
    rest: str


def _dotted(name: str, sizes: range, first: str, rest: str) -> DottedRule:
    return DottedRule(name, sizes, rf"{first}\.{rest}", rest)


DOTTED_RULES: Final[tuple[DottedRule, ...]] = (
    _dotted("discord-token", range(23, 30), r"[MNO][\w-]{22,28}", r"[\w-]{6}\.[\w-]{27,}+"),
    _dotted("airtable-token", range(17, 18), r"pat[A-Za-z0-9]{14}", r"[0-9a-f]{64}"),
)
