"""Colours of a terminal and invisible characters hide no secret."""

import json

import pytest

from clew.redact import Redactor, find_secrets
from clew.redact.hidden import without_hidden

PASSWORD = "k9Lm2" + "pQz7!"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "text",
    [
        f"\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m{PASSWORD}\x1b[0m",
        f"\x1b[1mpassword:\x1b[0m {PASSWORD}",
        f'\x1b[34;1m"password"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"{PASSWORD}"\x1b[0m',
        f"\x1b[35m.env\x1b[m\x1b[36m:\x1b[mDB_\x1b[1;31mPASS\x1b[mWORD={PASSWORD}",
        "DB_PASSWORD=k9L\x1b[1;31mm2p\x1b[mQz7!",
    ],
)
def test_a_password_is_masked_among_colours(text: str) -> None:
    for written in (text, json.dumps(text), json.dumps(json.dumps(text))):
        shown = without_hidden(Redactor().redact(written))
        assert "Qz7" not in shown
        assert "[redacted: password 1]" in shown


def test_a_token_that_a_search_has_marked_is_masked_in_whole() -> None:
    text = f"found {TOKEN[:9]}\x1b[01;31m\x1b[K{TOKEN[9:14]}\x1b[m\x1b[K{TOKEN[14:]} here"

    assert Redactor().redact(text) == "found [redacted: github-token 1] here"


def test_a_key_of_coloured_lines_is_masked_when_its_end_is_cut_off() -> None:
    lines = ["-----BEGIN PRIVATE " + "KEY-----", *("MIIEvQIBADANBgkqhkiG9w0BAQ" * 2,) * 4]
    text = "\n".join(f"\x1b[32m{line}\x1b[0m" for line in lines)

    assert "MIIE" not in Redactor().redact(text)


def test_what_is_far_from_colours_is_masked_once_and_nothing_else_is() -> None:
    words = "plain words of a log\n" * 100
    text = f"\x1b[1mpassword:\x1b[0m\n{words}TOKEN={TOKEN}\n{words}\x1b[2mdone\x1b[0m"

    assert Redactor().redact(text) == text.replace(TOKEN, "[redacted: github-token 1]")
    assert [finding.count for finding in find_secrets(text)] == [1]


@pytest.mark.parametrize("text", ["a[0m", "u001b[0m", "\x1b[", "arr[0]", "\x1b[0"])
def test_what_is_no_colour_stays(text: str) -> None:
    assert without_hidden(text) == text


INVISIBLE = ["\u200b", "\u200c", "\u200d", "\ufeff", "\u00ad", "\u2060", "\u200e", "\U000e0041"]


@pytest.mark.parametrize("sign", INVISIBLE)
def test_a_token_with_something_invisible_in_it_is_masked_in_whole(sign: str) -> None:
    for text in (
        f"{TOKEN[:9]}{sign}{TOKEN[9:]}",
        sign.join(TOKEN),
        TOKEN[:5] + sign * 3 + TOKEN[5:],
    ):
        assert Redactor().redact(f"it is {text} so") == "it is [redacted: github-token 1] so"


@pytest.mark.parametrize("sign", INVISIBLE[:-1])
def test_a_token_whose_invisible_signs_are_escaped_is_masked(sign: str) -> None:
    text = json.dumps(f"it is {TOKEN[:9]}{sign}{TOKEN[9:]} so")

    assert Redactor().redact(text) == '"it is [redacted: github-token 1] so"'


def test_a_password_is_masked_where_something_invisible_is_in_its_name() -> None:
    masked = Redactor().redact(f"DB_PASS\u200bWORD={PASSWORD} and {PASSWORD}")

    assert PASSWORD not in masked


def test_a_password_with_something_invisible_in_it_is_recalled_without() -> None:
    masked = Redactor().redact(f"password={PASSWORD[:4]}\u200b{PASSWORD[4:]} or {PASSWORD}")

    assert PASSWORD not in masked
    assert PASSWORD[4:] not in masked


def test_a_password_with_colours_in_it_is_recalled_without() -> None:
    coloured = f"{PASSWORD[:4]}\x1b[31m{PASSWORD[4:]}\x1b[0m"

    masked = Redactor().redact(f"password={coloured} or {PASSWORD}")

    assert PASSWORD[4:] not in masked


@pytest.mark.parametrize(
    "text",
    [
        "\u26a0\ufe0f careful",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "نمی\u200cشود",
        "\ufeffa b",
    ],
)
def test_what_writing_needs_stays(text: str) -> None:
    assert Redactor().redact(text) == text
    assert without_hidden(text) == text


def test_letters_that_grow_in_lower_case_move_nothing() -> None:
    text = f"\u0130\u0130 \x1b[1m{TOKEN}\x1b[0m"

    assert Redactor().redact(text) == text.replace(TOKEN, "[redacted: github-token 1]")
