"""Tokens that tell their maker are found in whole; what only looks like them is not.

No token here is real, and none stands in one piece: they are put together as the tests run.
"""

import pytest

from clew.redact import Redactor, find_secrets
from clew.redact.rules import DOTTED_RULES, MIDDLE_RULES, TOKEN_RULES

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4"
HEX = "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d"
UPPER = "B7CDXF2GHQJK3LMN"

TOKENS = [
    ("anthropic-key", "sk-ant-" + "api03-" + MIXED * 4),
    ("anthropic-key", "sk-ant-" + "oat01-" + MIXED * 4),
    ("openai-key", "sk-" + MIXED * 2),
    ("openai-key", "sk-" + "proj-" + MIXED * 4),
    ("openai-key", "sk-" + "or-v1-" + HEX * 2),
    ("openai-key", "sk-" + "service-account-" + "kwpmzrtv47" + "-of-the-team"),
    ("github-token", "ghp_" + "a1B2" * 9),
    ("github-token", "gho_" + "a1B2" * 9),
    ("github-token", "ghu_" + "a1B2" * 9),
    ("github-token", "ghs_" + "a1B2" * 9),
    ("github-token", "ghr_" + "a1B2" * 9),
    ("github-token", "github_" + "pat_" + MIXED + "_" + MIXED * 2),
    ("gitlab-token", "glpat-" + MIXED),
    ("gitlab-token", "glpat-" + MIXED + "." + "01" + "." + "0a1b2c3d4"),
    ("aws-key-id", "AKIA" + UPPER),
    ("aws-key-id", "ASIA" + UPPER),
    ("aws-bedrock-key", "ABSK" + MIXED * 5 + "=="),
    ("google-key", "AIza" + MIXED + "Xy-_4567890"),
    ("google-secret", "GOCSPX-" + MIXED + "abcd"),
    ("google-token", "ya29." + MIXED * 2),
    ("google-token", "1//0" + MIXED * 2),
    ("slack-token", "xoxb-" + "12345678901-" + MIXED),
    ("slack-token", "xoxp-" + "12345678901-" + MIXED),
    ("slack-token", "xoxe." + "xoxp-1-" + MIXED * 3),
    ("stripe-key", "sk_" + "live_" + MIXED),
    ("stripe-key", "rk_" + "live_" + MIXED),
    ("stripe-webhook", "whsec_" + MIXED + "="),
    ("npm-token", "npm_" + MIXED + MIXED[:12]),
    ("pypi-token", "pypi-" + "AgE" + MIXED * 5),
    ("huggingface-token", "hf_" + MIXED + MIXED[:10]),
    ("sendgrid-key", "SG." + MIXED[:22] + "." + MIXED * 2),
    ("twilio-key", "SK" + HEX),
    ("mailgun-key", "key-" + HEX),
    ("digitalocean-token", "dop_" + "v1_" + HEX * 2),
    ("jwt", "eyJ" + MIXED + "." + "eyJ" + MIXED + "." + MIXED),
    ("jwt", "eyJ" + MIXED + "." + "eyJ" + MIXED),
    ("age-key", "AGE-SECRET-" + "KEY-1" + UPPER * 4),
    ("1password-token", "ops_" + "eyJ" + MIXED * 10),
    ("shopify-token", "shpat_" + HEX),
    ("linear-key", "lin_" + "api_" + MIXED * 2),
    ("notion-token", "ntn_" + MIXED * 2),
    ("grafana-token", "glsa_" + MIXED * 2),
    ("databricks-token", "dapi" + HEX),
    ("figma-token", "figd_" + MIXED * 2),
    ("replicate-token", "r8_" + MIXED * 2),
    ("groq-key", "gsk_" + MIXED * 2),
    ("xai-key", "xai-" + MIXED * 3),
    ("perplexity-key", "pplx-" + MIXED * 2),
    ("vault-token", "hvs." + MIXED),
    ("doppler-token", "dp.pt." + MIXED * 2),
    ("tailscale-key", "tskey-" + "auth-" + MIXED),
    ("rubygems-key", "rubygems_" + HEX + HEX[:16]),
    ("sentry-token", "sntrys_" + MIXED * 3),
    ("docker-token", "dckr_" + "pat_" + MIXED),
    ("atlassian-token", "ATATT3" + MIXED * 5 + "=0A1B2C3D"),
    ("planetscale-token", "pscale_" + "tkn_" + MIXED * 2),
    ("supabase-key", "sbp_" + HEX + HEX[:8]),
    ("newrelic-key", "NRAK-" + UPPER * 2),
    ("postman-key", "PMAK-" + HEX[:24] + "-" + HEX + "ab"),
    ("pulumi-token", "pul-" + HEX + HEX[:8]),
    ("netlify-token", "nfp_" + MIXED * 2),
    ("circleci-token", "CCIPAT_" + MIXED * 2),
    ("buildkite-token", "bkua_" + HEX + HEX[:8]),
    ("square-token", "sq0atp-" + MIXED),
    ("langsmith-key", "lsv2_" + "pt_" + HEX + "_" + HEX[:10]),
    ("e2b-key", "e2b_" + HEX + HEX[:8]),
    ("fly-token", "fm2_" + MIXED * 3),
    ("telegram-token", "123456789:" + "AA" + MIXED + "abcdEFGH9"),
    ("terraform-token", MIXED[:14] + ".atlas" + "v1." + MIXED * 3),
    ("azure-secret", "aB3" + "8Q~" + MIXED + "abcd.EF~12"),
    ("discord-token", "M" + MIXED[:23] + ".Xy1-_Z." + MIXED + "abcd"),
    ("airtable-token", "pat" + MIXED[:14] + "." + HEX * 2),
    ("private-key", "LS0tLS1CRUdJTiB" + "QUklWQVRF" + MIXED * 9 + "=="),
    ("private-key", "LS0tLS1CRUdJTiB" + "SU0EgUFJJVkFURSB" + MIXED * 9),
    ("password-hash", "$apr1$" + "x8Kd2LmQ$" + MIXED[:22]),
    ("password-hash", "$1$" + "x8Kd2LmQ$" + MIXED[:22]),
    ("password-hash", "$2y$" + "05$" + (MIXED * 3)[:53]),
    ("password-hash", "$2b$" + "12$" + (MIXED * 3)[:53]),
    ("password-hash", "$$2a$$" + "12$$" + (MIXED * 3)[:53]),
    ("password-hash", "$5$" + "x8Kd2LmQ$" + (MIXED * 2)[:43]),
    ("password-hash", "$6$" + "rounds=5000$" + "x8Kd2LmQ$" + (MIXED * 4)[:86]),
    ("password-hash", "$y$" + "j9T$" + "x8Kd2LmQ$" + (MIXED * 2)[:43]),
    ("password-hash", "$gy$" + "j9T$" + "x8Kd2LmQ$" + (MIXED * 2)[:43]),
    ("password-hash", "$7$" + "CU..../....x8Kd2LmQ$" + (MIXED * 2)[:43]),
    ("password-hash", "$argon2id$" + "v=19$m=65536,t=3,p=4$" + MIXED + "$" + MIXED * 2),
    ("password-hash", "$pbkdf2-sha256$" + "29000$" + MIXED + "$" + MIXED * 2),
    ("password-hash", "pbkdf2_sha256$" + "600000$x8Kd2LmQ$" + MIXED + "abc1="),
    ("password-hash", "$scrypt$" + "ln=16,r=8,p=1$" + MIXED + "$" + MIXED * 2),
    ("nvidia-key", "nvapi-" + MIXED * 2),
    ("cerebras-key", "csk-" + HEX * 2),
    ("tavily-key", "tvly-" + "dev-" + MIXED + MIXED[:8]),
    ("firecrawl-key", "fc-" + HEX),
    ("elevenlabs-key", "sk_" + HEX + HEX[:16]),
    ("pinecone-key", "pcsk_" + MIXED[:6] + "_" + MIXED * 2),
    ("posthog-key", "phx_" + MIXED * 2),
    ("resend-key", "re_" + MIXED[:8] + "_" + MIXED),
    ("vercel-token", "vcp_" + MIXED * 2),
    ("vercel-token", "vercel_" + "blob_rw_" + MIXED[:16] + "_" + MIXED),
    ("render-key", "rnd_" + MIXED),
    ("neon-key", "napi_" + HEX * 2),
    ("crates-token", "cio" + MIXED + MIXED[:8]),
    ("dynatrace-token", "dt0c01." + (UPPER * 2)[:24] + "." + UPPER * 4),
    ("alibaba-key", "LTAI" + MIXED[:20]),
    ("tencent-key", "AKID" + MIXED + MIXED[:8]),
    ("heroku-key", "HRKU-" + "AA" + MIXED * 3),
    ("brevo-key", "xkeysib-" + HEX * 2 + "-" + MIXED[:16]),
    ("facebook-token", "EAACEd" + "Eose0cBA" + MIXED * 3),
    ("flutterwave-key", "FLWSECK-" + HEX + "-X"),
    ("flutterwave-key", "FLWSECK_" + "TEST-" + HEX + "-X"),
    ("artifactory-key", "AKCp" + MIXED * 3),
    ("easypost-key", "EZAK" + (MIXED * 3)[:54]),
    ("prefect-key", "pnu_" + (MIXED * 2)[:36]),
    ("readme-key", "rdme_" + (HEX * 3)[:70]),
    ("shippo-key", "shippo_" + "live_" + (HEX * 2)[:40]),
    ("typeform-token", "tfp_" + MIXED * 2),
    ("contentful-token", "CFPAT-" + MIXED * 2),
    ("inngest-key", "signkey-" + "prod-" + HEX * 2),
    ("adafruit-key", "aio_" + MIXED + MIXED[:4]),
]
# Each is seen in the middle of something, with and without a clean edge.
AROUND = [
    "{}",
    "x = '{}'",
    "a {} b",
    "\\n{}\\n",
    "\x1b[31m{}\x1b[0m",
    "?t={}&x",
    "`{}`",
    '{{\\"v\\":\\"{}\\"}}',
]

INNOCENT = [
    "commit " + HEX + HEX[:8],
    "sha256:" + HEX * 2,
    "550e8400-e29b-41d4-a716-446655440000",
    "toolu_01" + MIXED[:22],
    "msg_01" + MIXED[:22],
    "req_011" + MIXED[:21],
    "integrity: sha512-" + MIXED * 3 + "==",
    "integrity sha256-" + MIXED + "abcdefghijklmnopqrs=",
    "h1:" + MIXED + "abcdefghijklmnopqrs=",
    "data:image/png;base64," + "iVBORw0KGgo" + MIXED * 9,
    "const url = 'data:image/png;base64," + MIXED * 9 + "'",
    "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-...",
    "sk-your-key-goes-here-and-nowhere-else",
    "sk-skeleton-loader-container-wide",
    "sk-skeleton-configuration-panel-wide",
    "sk-h2-heading-style-of-the-page",
    "task-runner-configuration-for-builds",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "x" * 36,
    "ghp_short",
    "npm_config_registry_setting_with_long_name",
    "eyJ0aGlz" + MIXED,
    "hf_hub_download_with_a_long_name_here",
    "thisIsAVeryLongCamelCaseIdentifierInJavaScript",
    "this_is_a_very_long_snake_case_identifier_in_python",
    "SKIP_THE_SLOW_TESTS_ON_EVERY_MACHINE",
    "src/components/dashboard/settings/ProfileSettingsPanel",
    "re_compile_pattern_with_a_very_long_name",
    "sk_learn_pipeline_configuration_of_many_words",
    "LS0tLS1CRUdJTiB" + "DRVJUSUZJQ0FURS0tLS0t" + MIXED * 9,
    "LS0tLS1CRUdJTiB" + "SU0EgUFVCTElDIEtFWS0tLS0t" + MIXED * 9,
    "node_modules/.pnpm/@babel+core@7.24.0/node_modules",
    "s/(a)(b)/$1$2/ and $6$ more",
    "echo $1$apr1$x",
    "${1}$2y$05",
]


@pytest.mark.parametrize(("rule", "token"), TOKENS)
@pytest.mark.parametrize("around", AROUND)
def test_a_token_is_masked_in_whole_wherever_it_stands(rule: str, token: str, around: str) -> None:
    masked = Redactor().redact(around.format(token))

    assert masked == around.format(f"[redacted: {rule} 1]")


def test_every_rule_has_an_example() -> None:
    rules = {rule.name for rule in TOKEN_RULES} | {rule.name for rule in MIDDLE_RULES}
    dotted = {rule.name for rule in DOTTED_RULES}

    assert (rules | dotted) - {rule for rule, _ in TOKENS} == {"slack-webhook", "discord-webhook"}


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_a_token_stays(text: str) -> None:
    assert Redactor().redact(text) == text


def test_the_address_of_a_webhook_loses_what_is_secret_in_it() -> None:
    slack = "https://hooks.slack.com/" + "services/T0AB1CD2E/B0FG3HI4J/" + MIXED
    discord = "https://discord.com/api/webhooks/" + "123456789012345678/" + MIXED * 3

    masked = Redactor().redact(f"{slack} {discord}")

    assert masked == (
        "https://hooks.slack.com/[redacted: slack-webhook 1] "
        "https://discord.com/api/webhooks/[redacted: discord-webhook 1]"
    )


def test_a_token_joined_to_what_fills_a_placeholder_is_found() -> None:
    assert len(find_secrets("ghp_" + "a1B2" * 9 + "XXXX")) == 1


def test_a_real_token_after_a_placeholder_is_masked() -> None:
    masked = Redactor().redact("sk-your-own-key-goes-in-here-" + "ghp_" + "a1B2" * 9)

    assert "a1B2" not in masked


@pytest.mark.parametrize("before", ["鍵は", "\x1b[1;38;5;12m", "\x1b[48;2;10;20;30m", "ключ"])
def test_a_token_may_begin_behind_other_scripts_and_any_colour(before: str) -> None:
    token = "sk-" + MIXED * 2

    assert MIXED not in Redactor().redact(f"{before}{token}")


@pytest.mark.parametrize("kind", ["{SHA}", "{SSHA}", "{ssha512}"])
def test_the_hash_behind_its_kind_is_masked(kind: str) -> None:
    digest = (MIXED * 2)[: 27 if kind == "{SHA}" else 40] + "="

    masked = Redactor().redact(f"mira:{kind}{digest}\n")

    assert masked == f"mira:{kind}[redacted: password-hash 1]\n"
