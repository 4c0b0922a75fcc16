"""Secrets that were known by their place alone → where else in the export they are."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from ahocorasick_rs import AhoCorasick

from clew.redact.hidden import without_hidden
from clew.redact.private_keys import RULE as KEY_RULE
from clew.redact.shapes import has_digit_and_letter
from clew.redact.spans import SecretSpan, end_of_run
from clew.redact.split_keys import span_of_piece

_RULES: Final = frozenset(
    {"password", "secret", "random-value", "url-password", "authorization", "cookie", "signature"}
)
_SHORTEST: Final = 8
# Up to so many, each is a pass over all texts; more of them are found in one pass.
_FEW: Final = 8
_MOST: Final = 20_000
# Each is one more pass over all texts.
_MOST_KEYS: Final = 256
_KEY_HEAD: Final = 24
_SHORTEST_KEY_HEAD: Final = 16


class KnownSecrets:
    """Remembers passwords, and pieces of private keys whose lines are texts of their own."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}
        self._key_pieces: set[str] = set()
        # The first signs of each piece, and the first piece of the same key.
        self._key_heads: dict[str, str] = {}
        self._finder: AhoCorasick | None = None

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
        is_new = plain not in self._secrets and len(self._secrets) < _MOST
        if len(plain) >= _SHORTEST and is_new and has_digit_and_letter(plain):
            self._secrets[plain] = span.rule
            self._finder = None

    def add_key(self, pieces: Sequence[str]) -> None:
        """Remember the texts that, together, are the body of one private key."""
        self._key_pieces.update(pieces)
        for piece in pieces:
            span = span_of_piece(piece)
            self._key_heads.setdefault(_head(piece[span.start : span.end]), pieces[0])

    def find(self, text: str) -> Iterator[SecretSpan]:
        """Find what is remembered in a text."""
        yield from self._find_few(text) if len(self._secrets) <= _FEW else self._find_many(text)
        for head in islice(self._key_heads, _MOST_KEYS):
            if len(head) >= _SHORTEST_KEY_HEAD:
                yield from _find_key(text, head)

    def identify(self, secret: str) -> str:
        """Return what a secret is numbered by: all pieces of one private key are the same."""
        return self._key_heads.get(_head(secret), secret) if self._key_heads else secret

    def _find_few(self, text: str) -> Iterator[SecretSpan]:
        for secret, rule in self._secrets.items():
            position = text.find(secret)
            while position >= 0:
                yield SecretSpan(position, position + len(secret), rule)
                position = text.find(secret, position + len(secret))

    def _find_many(self, text: str) -> Iterator[SecretSpan]:
        try:
            if self._finder is None:
                self._finder = AhoCorasick([*self._secrets])
            found = self._finder.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:
            # Half a surrogate pair, in a secret or in the text.
            yield from self._find_few(text)
            return
        for _, start, end in found:
            yield SecretSpan(start, end, self._secrets[text[start:end]])


def _head(piece: str) -> str:
    return without_hidden(piece)[:_KEY_HEAD]


def _find_key(text: str, head: str) -> Iterator[SecretSpan]:
    """Find a piece of a key, which titles and labels may show cut short."""
    position = text.find(head)
    while position >= 0:
        end = end_of_run(text, position)
        yield SecretSpan(position, end, KEY_RULE)
        position = text.find(head, end)
