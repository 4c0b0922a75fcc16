"""Tokens: random texts that let somebody in, of which the server stores only a hash."""

import hashlib
import secrets
from enum import StrEnum
from typing import Final

_PREFIX: Final = "clew_"
_RANDOM_BYTES: Final = 32
_MAX_LENGTH: Final = 200


class TokenKind(StrEnum):
    """What a token is for: a browser's session, a device, or a link that is used once."""

    BROWSER = "browser"
    DEVICE = "device"
    INVITE = "invite"
    RESET = "reset"


def make_token() -> str:
    """Return a new token, which cannot be guessed."""
    return _PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)


def is_token_text(text: str) -> bool:
    """Return whether a text may be a token at all."""
    return text.startswith(_PREFIX) and len(text) <= _MAX_LENGTH


def hash_token(token: str) -> bytes:
    """Return what is stored of a token; being random, it needs no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
