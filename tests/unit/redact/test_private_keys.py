"""Blocks of private keys are masked in whole, and as far as they go when they are cut."""

import pytest

from clew.redact import Redactor

LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
MARK = "[redacted: private-key 1]"


def block(kind: str, newline: str = "\n") -> str:
    """Put a key together that opens nothing."""
    head, tail = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
    return newline.join([head, LINE, LINE[::-1], LINE[:20] + "==", tail])


@pytest.mark.parametrize(
    "kind",
    [
        "PRIVATE " + "KEY",
        "RSA PRIVATE " + "KEY",
        "EC PRIVATE " + "KEY",
        "OPENSSH PRIVATE " + "KEY",
        "ENCRYPTED PRIVATE " + "KEY",
        "PGP PRIVATE " + "KEY BLOCK",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\n     7→", '\\n" +\n  "'])
def test_a_whole_block_becomes_one_mark(kind: str, newline: str) -> None:
    masked = Redactor().redact(f"before\n{block(kind, newline)}\nafter")

    assert masked == f"before\n{MARK}\nafter"


def test_a_service_account_loses_its_key_and_stays_json() -> None:
    key = block("PRIVATE " + "KEY", "\\n")

    masked = Redactor().redact(f'{{"type": "service_account", "private_key": "{key}\\n"}}')

    assert masked == f'{{"type": "service_account", "private_key": "{MARK}\\n"}}'


def test_a_block_without_its_end_is_masked_as_far_as_the_key_goes() -> None:
    cut = block("RSA PRIVATE " + "KEY").partition("==")[0]

    masked = Redactor().redact(f"{cut}\n\nThe rest of the output is missing.")

    assert masked == f"{MARK}\n\nThe rest of the output is missing."


def test_a_block_without_its_beginning_is_masked_too() -> None:
    cut = block("RSA PRIVATE " + "KEY").partition("\n")[2]

    masked = Redactor().redact(f"The first lines are missing.\n{cut}\nafter")

    assert masked == f"The first lines are missing.\n{MARK}\nafter"


def test_lines_of_a_putty_key_are_masked() -> None:
    masked = Redactor().redact(f"Private-Lines: 2\n{LINE}\n{LINE[::-1]}\nPrivate-MAC: no")

    assert LINE[:8] not in masked
    assert LINE[::-1][:8] not in masked


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN CERTIFICATE-----\n" + LINE + "\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\n" + LINE + "\n-----END PUBLIC KEY-----",
        "if text.startswith('-----BEGIN PRIVATE " + "KEY-----'):",
        "-----BEGIN PRIVATE " + "KEY-----\n...\n-----END PRIVATE " + "KEY-----",
    ],
)
def test_what_holds_no_private_key_stays(text: str) -> None:
    assert Redactor().redact(text) == text


def test_lines_that_a_search_has_named_are_masked_when_the_end_is_cut_off() -> None:
    lines = block("RSA PRIVATE " + "KEY").split("\n")[:3]

    masked = Redactor().redact("\n".join(f"keys/id_rsa:{line}" for line in lines))

    assert masked == f"keys/id_rsa:{MARK}"


def test_lines_that_a_search_has_named_are_masked_when_the_beginning_is_cut_off() -> None:
    lines = block("RSA PRIVATE " + "KEY").split("\n")[2:]
    named = "\n".join(f"id_rsa:{number}:{line}" for number, line in enumerate(lines, 3))

    masked = Redactor().redact(f"found:\n{named}")

    assert masked == f"found:\n{MARK}"
