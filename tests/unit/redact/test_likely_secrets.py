"""The warning of an export that masks nothing: what it covers, and what it leaves to redaction."""

import pytest

from clew.redact import find_secrets, find_tree_secrets
from tests.unit.redact.test_assignments import HEX, KEPT, MASKED, MASKED_TOKENS, PASSWORD
from tests.unit.redact.test_private_keys import block
from tests.unit.redact.test_tokens import AROUND, TOKENS

# Words are as likely in these places, or they are so frequent that looking takes too long.
UNWARNED = {
    "curl -u app:{} https://service.internal/",
    "curl --user 'app:{}' https://service.internal/",
    "PASS={}",
    "pw: {}",
    "Cookie: session={}; theme=dark",
    "Set-Cookie: sid={}; Path=/; HttpOnly",
    "https://store.internal/c?sv=2024-01-01&sig={}",
    'key = "{}"',
}
ZERO_WIDTH = "\u200b"


def rules(*texts: str) -> list[str]:
    """Return the rules of the secrets that are warned of."""
    return [finding.rule for finding in find_tree_secrets(texts)]


@pytest.mark.parametrize(("rule", "token"), TOKENS)
def test_no_token_that_would_be_masked_goes_unwarned(rule: str, token: str) -> None:
    found = find_tree_secrets([around.format(token) for around in AROUND])

    assert [(finding.rule, finding.count) for finding in found] == [(rule, len(AROUND))]


@pytest.mark.parametrize("kind", ["PRIVATE " + "KEY", "OPENSSH PRIVATE " + "KEY"])
@pytest.mark.parametrize("newline", ["\n", "\\n", "\n     7→"])
def test_private_keys_are_warned_of(kind: str, newline: str) -> None:
    assert rules(f"before\n{block(kind, newline)}\nafter") == ["private-key"]


@pytest.mark.parametrize("form", [form for form in MASKED if form not in UNWARNED])
def test_passwords_are_warned_of(form: str) -> None:
    assert len(rules(form.format(PASSWORD))) == 1


@pytest.mark.parametrize("form", [form for form in MASKED_TOKENS if form not in UNWARNED])
def test_values_of_telling_names_are_warned_of(form: str) -> None:
    assert len(rules(form.format(HEX))) == 1


@pytest.mark.parametrize("form", UNWARNED)
def test_what_takes_a_longer_look_is_left_to_redaction(form: str) -> None:
    assert rules(form.format(HEX)) == []
    assert find_secrets(form.format(HEX))


@pytest.mark.parametrize("text", KEPT)
def test_what_would_not_be_masked_is_not_warned_of(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize("sign", ["\x1b[31m", "\\u001b[31m", "\\x1b[0m", "\\033[1m", ZERO_WIDTH])
@pytest.mark.parametrize("head", ["", "ключ "])
def test_what_is_hidden_in_a_token_does_not_hide_it(sign: str, head: str) -> None:
    token = "ghp_" + "a1B2" * 4 + sign + "a1B2" * 5

    assert rules("first", f"{head}{token} last") == ["github-token"]


def test_a_secret_in_two_texts_is_counted_twice() -> None:
    found = find_tree_secrets(["password=" + PASSWORD, "again: password=" + PASSWORD])

    assert [(finding.rule, finding.count) for finding in found] == [("password", 2)]
