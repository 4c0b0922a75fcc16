"""Secrets → numbers that stand for them, the same in every push of a laptop.

A number is a plain counter: nothing that leaves is derived from a secret. The ledger itself has
keyed hashes and stays on the laptop.
"""

import hmac
from collections.abc import Iterable

import msgspec


class SavedMark(msgspec.Struct, frozen=True):
    """A secret by its keyed hash, and the kind and number that its mark states."""

    hash: bytes
    kind: str
    number: int


class MarkLedger:
    """Gives each secret its number; what is new must be saved before a piece with it is sent."""

    def __init__(self, key: bytes, saved: Iterable[SavedMark] = ()) -> None:
        self._key = key
        self._marks: dict[bytes, SavedMark] = {}
        self._counts: dict[str, int] = {}
        self._added: list[SavedMark] = []
        for mark in saved:
            self._marks[mark.hash] = mark
            self._counts[mark.kind] = max(self._counts.get(mark.kind, 0), mark.number)

    def number(self, kind: str, secret: str) -> tuple[str, int]:
        """Return kind and number of a secret; one that is known keeps its first kind."""
        message = b"secret\0" + secret.encode("utf-8", "surrogatepass")
        digest = hmac.digest(self._key, message, "sha256")
        mark = self._marks.get(digest) or self._add(digest, kind)
        return mark.kind, mark.number

    def take_added(self) -> list[SavedMark]:
        """Return the marks that were added since the last time."""
        added, self._added = self._added, []
        return added

    def _add(self, digest: bytes, kind: str) -> SavedMark:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        mark = SavedMark(digest, kind, self._counts[kind])
        self._marks[digest] = mark
        self._added.append(mark)
        return mark
