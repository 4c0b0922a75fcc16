"""A value with a suspicious name → whether it is a secret."""

import re
from enum import Enum
from typing import Final

import msgspec

from clew.redact.shapes import (
    entropy,
    has_digit_and_letter,
    is_hex,
    is_known_id,
    is_placeholder,
    is_random,
    is_scrambled,
    is_wordy,
)
from clew.redact.variable_names import Expectation, expectation_of


class Form(Enum):
    """How a value is written, and so how likely it is a literal."""

    ENVIRONMENT = "environment"
    FLAG = "flag"
    QUOTED = "quoted"
    BARE = "bare"
    LOOSE = "loose"
    NEAR = "near"


class Value(msgspec.Struct, frozen=True, gc=False):
    """What is assigned to a name, and in which form."""

    text: str
    start: int
    promise: Expectation
    form: Form


_SHORTEST: Final = {Expectation.PASSWORD: 4, Expectation.SECRET: 8, Expectation.KEY: 32}
_SHORTEST_WORD: Final = 6
_SHORTEST_NEAR: Final = 32
_CODE: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+\W*\Z", re.ASCII)
_IDENTIFIER: Final = re.compile(r"[$@]?[A-Za-z_][A-Za-z_-]*[;?!]?\Z")
# An identifier with one number in it: `Uint8Array`, `ed25519Seed`.
_NUMBERED: Final = re.compile(r"(?=\w*[A-Za-z]{4})[A-Za-z_]*\d+[A-Za-z_]*\Z", re.ASCII)
_SUSPICIOUS: Final = re.compile(r"pass|secret|token|key|cred|auth|hash", re.IGNORECASE)
_SPACE: Final = re.compile(r"\s")
_STRONG: Final = frozenset("!@#$%^*?~")
_PLAIN: Final = frozenset({Form.ENVIRONMENT, Form.FLAG})
_TOKEN: Final = re.compile(r"[\w+/=.~:-]+\Z", re.ASCII)


def is_secret(value: Value) -> bool:
    """Return whether a value is a secret, by its shape and by what its name promises."""
    text = value.text
    if len(text) < _SHORTEST[value.promise] or is_placeholder(text):
        return False
    if _SPACE.search(text):
        return value.promise is Expectation.PASSWORD and value.form is Form.ENVIRONMENT
    if value.form is not Form.QUOTED and _CODE.match(text):
        return False
    if value.form is Form.NEAR:
        return value.promise is Expectation.SECRET and len(text) >= _SHORTEST_NEAR and _is_key(text)
    match value.promise:
        case Expectation.PASSWORD:
            return _is_password(text, value.form)
        case Expectation.SECRET:
            return _is_token(text, value.form)
        case _:
            return _is_key(text)


def _is_password(text: str, form: Form) -> bool:
    if _IDENTIFIER.match(text):
        wanted = form in _PLAIN or (form is Form.QUOTED and text.islower())
        return wanted and len(text) >= _SHORTEST_WORD and not _SUSPICIOUS.search(text)
    if form in _PLAIN or form is Form.QUOTED:
        return not text.isdigit() or len(text) >= _SHORTEST_WORD
    if text.isdigit():
        return form is Form.BARE and len(text) >= _SHORTEST_WORD
    return has_digit_and_letter(text) or not _STRONG.isdisjoint(text)


def _is_token(text: str, form: Form) -> bool:
    if text.isdigit() or expectation_of(text) is not Expectation.NOTHING:
        return False
    if form in _PLAIN and not text.isalpha():
        return has_digit_and_letter(text) or not _IDENTIFIER.match(text)
    if form is not Form.QUOTED and _NUMBERED.match(text):
        return False
    mixed = has_digit_and_letter(text) or is_scrambled(text)
    return mixed and not is_wordy(text.strip("~./@$")) and entropy(text) >= 2.5  # noqa: PLR2004


def _is_key(text: str) -> bool:
    """A name that ends in `key` may be of a table or a cache: only a long random value counts."""
    if is_known_id(text) or not _TOKEN.match(text) or not has_digit_and_letter(text):
        return False
    if is_hex(text):
        return entropy(text) >= 3  # noqa: PLR2004 (of 4 bits that a digit of base 16 can contain)
    return is_random(text) or (is_scrambled(text) and entropy(text) >= 4)  # noqa: PLR2004
