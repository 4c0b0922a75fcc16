"""Hundreds of secrets of all documented kinds, each in a text that reveals it.

None of them is real: they are made from numbers as the tests run.
"""

import hashlib
from base64 import b64encode

from tests.unit.redact.test_assignments import MASKED, MASKED_TOKENS
from tests.unit.redact.test_tokens import TOKENS

BEGIN, END = ("-----" + word + " PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))


def password(number: int) -> str:
    """Make a password."""
    return f"hunter{number}!xYz{number}q"


def random_text(number: int, length: int = 40) -> str:
    """Make a text of letters and digits that looks random."""
    digest = hashlib.sha512(b"%d" % number).digest()
    letters = b64encode(digest).decode().replace("+", "A").replace("/", "b").replace("=", "")
    return f"aB3{letters}"[:length]


def private_key(number: int, newline: str = "\n") -> tuple[str, list[str]]:
    """Make a private key, and give the lines of its body."""
    body = [f"MII{random_text(1000 * number + line, 61)}" for line in range(3)]
    return newline.join((BEGIN, *body, END)), body


def planted() -> list[tuple[str, list[str]]]:
    """Give texts, each with what must not be left of it."""
    found: list[tuple[str, list[str]]] = [(f"it is {token} so", [token]) for _, token in TOKENS]
    secrets = [
        *((form, password(number)) for number, form in enumerate((*MASKED, *MASKED))),
        *((form, random_text(number)) for number, form in enumerate(MASKED_TOKENS)),
        *(("X_SETTING={}", random_text(number)) for number in range(500, 530)),
    ]
    found += [(form.format(secret), [secret]) for form, secret in secrets]
    newlines = ("\n", "\r\n", "\\n", "\n     7→") * 3
    return [*found, *(private_key(number, newline) for number, newline in enumerate(newlines))]
