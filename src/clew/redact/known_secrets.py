"""Secrets that were known by their place alone → where else in the export they are."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from clew.redact.hidden import without_hidden
from clew.redact.private_keys import RULE as KEY_RULE
from clew.redact.shapes import has_digit_and_letter
from clew.redact.spans import SecretSpan, end_of_run
from clew.redact.split_keys import span_of_piece

_RULES: Final = frozenset(
    {"password", "secret", "random-value", "url-password", "authorization", "cookie", "signature"}
)
_SHORTEST: Final = 8
# Each is one more pass over all texts.
_MOST: Final = 256
_KEY_HEAD: Final = 24
_SHORTEST_KEY_HEAD: Final = 16


class KnownSecrets:
    """Remembers passwords, and pieces of private keys whose lines are texts of their own."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}
        self._key_pieces: set[str] = set()
        # The first signs of each piece, and the first piece of the same key.
        self._key_heads: dict[str, str] = {}

    @property
    def size(self) -> int:
        """How many secrets are remembered."""
        return len(self._secrets) + len(self._key_heads)

    @property
    def key_pieces(self) -> set[str]:
        """Texts that are pieces of a private key."""
        return self._key_pieces

    def add(self, span: SecretSpan, secret: str) -> None:
        """Remember a secret that was found, if it is one that other places could contain bare."""
        plain = without_hidden(secret) if span.rule in _RULES else ""
        if len(plain) >= _SHORTEST and len(self._secrets) < _MOST and has_digit_and_letter(plain):
            self._secrets.setdefault(plain, span.rule)

    def add_key(self, pieces: Sequence[str]) -> None:
        """Remember the texts that, together, are the body of one private key."""
        self._key_pieces.update(pieces)
        for piece in pieces:
            span = span_of_piece(piece)
            self._key_heads.setdefault(_head(piece[span.start : span.end]), pieces[0])

    def find(self, text: str) -> Iterator[SecretSpan]:
        """Find what is remembered in a text."""
        for secret, rule in self._secrets.items():
            position = text.find(secret)
            while position >= 0:
                yield SecretSpan(position, position + len(secret), rule)
                position = text.find(secret, position + len(secret))
        for head in islice(self._key_heads, _MOST):
            if len(head) >= _SHORTEST_KEY_HEAD:
                yield from _find_key(text, head)

    def identify(self, secret: str) -> str:
        """Return what a secret is numbered by: all pieces of one private key are the same."""
        return self._key_heads.get(_head(secret), secret) if self._key_heads else secret


def _head(piece: str) -> str:
    return without_hidden(piece)[:_KEY_HEAD]


def _find_key(text: str, head: str) -> Iterator[SecretSpan]:
    """Find a piece of a key, which titles and labels may show cut short."""
    position = text.find(head)
    while position >= 0:
        end = end_of_run(text, position)
        yield SecretSpan(position, end, KEY_RULE)
        position = text.find(head, end)
