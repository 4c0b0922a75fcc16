"""What must hold for any text, and for time."""

import json
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.redact import Redactor, find_secrets, find_tree_secrets, redact_tree

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4"
PASSWORD = "hunter" + "2!xyz"
SECRETS = {
    "ghp_" + "a1B2" * 9: "{}",
    "sk-ant-" + "api03-" + MIXED * 3: "{}",
    "glpat-" + MIXED: "{}",
    "xoxb-" + "12345678901-" + MIXED: "{}",
    "eyJ" + MIXED + "." + "eyJ" + MIXED + "." + MIXED: " {} ",
    "AKIA" + "B7CDXF2GHQJK3LMN": " {} ",
    PASSWORD: "\npassword={}\n",
    MIXED: ' "api_key": "{}" ',
    "zebra-account-1": "{}",
    "mira@corp.io": " {} ",
}
# Pieces that rules look for, so that random texts come near to them.
PIECES = [
    *(
        "password",
        "=",
        ": ",
        '"',
        "'",
        "\\",
        "\n",
        " ",
        "token",
        "secret",
        "key",
        "sk-",
        "ghp_",
        "eyJ",
    ),
    *("://", "@", ".", "-", "/home/", "/Users/", "-----BEGIN PRIVATE " + "KEY-----", "-----END "),
    *(
        "Bearer ",
        "Cookie: a=",
        "[redacted: email 1]",
        "[redacted: ",
        "mira",
        "a1B2c3D4e5F6g7H8",
        "x",
    ),
    *(
        "AKIA",
        "ghp_" + "a1B2" * 9,
        "hunter" + "2",
        "\ud800",
        "é",
        "…",
        "${",
        "<",
    ),
]
PIECES += ["MIIEvQIBADANBgkqhkiG9w0B", "\n+", "Private-Lines: 2", "\u200b", "\u00ad", "\x1b[1m"]
PIECES += [
    "-----END PRIVATE " + "KEY-----",
    ":5432:app:svc:",
    "*:*:*:*:",
    "$6$",
    "$2y$05$",
    "{SHA}",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=20).map("".join)


# One piece each: a secret that is spread over keys and values.
leaves = st.sampled_from(PIECES) | texts | st.none() | st.integers()
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(PIECES) | texts, inner, max_size=5)
    ),
    max_leaves=12,
)


def redactor() -> Redactor:
    return Redactor(["mira", "token"], {"zebra-account-1": "account-id"})


@settings(deadline=None)
@given(texts)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redactor().redact(text)

    assert redactor().redact(once) == once


@settings(deadline=None)
@given(texts)
def test_the_same_redactor_changes_nothing_more(text: str) -> None:
    shared = redactor()
    once = shared.redact(text)

    assert shared.redact(once) == once


@settings(deadline=None)
@given(st.sampled_from(sorted(SECRETS)), texts, texts)
def test_no_planted_secret_survives(secret: str, before: str, after: str) -> None:
    masked = redactor().redact(before + SECRETS[secret].format(secret) + after)

    assert secret not in masked


@settings(deadline=None)
@given(texts, texts)
def test_the_report_tells_no_secret(before: str, after: str) -> None:
    shared = redactor()
    for secret, form in SECRETS.items():
        shared.redact(before + form.format(secret) + after)

    told = repr(shared.report)

    assert not [secret for secret in SECRETS if secret[5:] in told]


@settings(deadline=None)
@given(
    st.recursive(texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=6)
)
def test_a_redacted_tree_is_still_json_of_the_same_shape(tree: object) -> None:
    masked = redact_tree(tree, redactor())

    assert json.loads(json.dumps(masked)) == masked
    assert type(masked) is type(tree)


@settings(deadline=None)
@given(trees)
def test_a_tree_of_pieces_of_secrets_is_redacted_and_keeps_its_shape(tree: object) -> None:
    masked = redact_tree(tree, redactor())

    assert shape(masked) == shape(tree)
    assert redact_tree(masked, redactor()) == masked
    assert all(finding.count > 0 for finding in find_tree_secrets(tree))


def shape(tree: object) -> object:
    """Give a tree with nothing in it but its branches."""
    match tree:
        case dict():
            return [shape(item) for item in tree.values()]
        case list() | tuple():
            return (type(tree), [shape(item) for item in tree])
        case _:
            return type(tree)


@settings(deadline=None)
@given(texts)
def test_looking_never_raises(text: str) -> None:
    assert all(finding.count > 0 for finding in find_secrets(text))


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "A1b2", "sk-", "sk-ant-", "sk-xxxx-", "eyJ", "eyJ-", "eyJa.", "ghp_", "AKIA", "SG."),
        *(
            "password=",
            'password="',
            "password: ",
            "token=$",
            "secret_",
            "key",
            "auth.",
            "PASSWORD=",
        ),
        *(
            "@",
            "a@",
            "a@b.",
            "/home/",
            "/Users/",
            "-home-",
            "://",
            "://a:",
            "://a:b",
            "C:\\Users\\",
        ),
        *("-----BEGIN ", "-----BEGIN PRIVATE " + "KEY-----", "-----END PRIVATE " + "KEY-----"),
        *("-----BEGIN PRIVATE " + "KEY-----aaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa!\n"),
        *(
            "Bearer ",
            "Cookie: a=b;",
            "Cookie: ",
            "curl -u a:",
            "mysql -p",
            "login a password ",
            ":AA",
        ),
        *(
            "[redacted: ",
            "[redacted: email 1]",
            '\\"',
            "\\",
            "mira",
            "é",
            "=",
            "Private-Lines: 1\n",
        ),
        *(
            "://@",
            "a.",
            "sk-a.",
            "8Q~",
            "12345678:AA",
            "echo --password-stdin",
            "login x password ",
        ),
        *("curl -u", "hooks.slack.com/", "/api/webhooks/1", "private key", "a1B2" * 8 + "."),
        *(
            ":5432:",
            "a:5432:b:c:",
            "*:",
            ":*:*:",
            "$6$",
            "$2y$05$",
            "$1$a$",
            "pbkdf2_sha1$1$",
            "{SHA}",
        ),
        *("\u200b", "a\u200b", "\\u200b", "Private-Lines: 2", "MIIEvQIBADANBgkqhkiG9w0B"),
    ],
)
@pytest.mark.parametrize("pieces_each", [0, 3])
def test_time_follows_size_whatever_is_repeated(piece: str, pieces_each: int) -> None:
    def spend(size: int) -> float:
        many = size // len(piece)
        # One long text, or many short ones of which no two are alike.
        tree = (
            [f"{piece * pieces_each}{number}" for number in range(many // pieces_each)]
            if pieces_each
            else piece * many
        )
        start = process_time()
        redact_tree(tree, redactor())
        return process_time() - start

    def follows_size() -> bool:
        # Eight times the text: about 8 if time follows size, 64 if it follows its square.
        return spend(80_000) < 28 * spend(10_000) + 0.02

    # Once more, should the machine have been busy.
    assert follows_size() or follows_size()
