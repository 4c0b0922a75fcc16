"""The texts of candidates: as far as the database has them, and the rest from the kept bytes."""

from collections.abc import Callable, Iterable
from typing import Final

import apsw
import msgspec

from clew.search.blocks import rows_of
from clew.search.ranking import Candidate
from clew.search.words import clean

ReadText = Callable[[int], str | None]
"""Gives the whole text of a block by its number, or None when it cannot be had."""

_MOST_READ: Final = 30
"""So many texts are read from the kept bytes for one search."""


class _Kept(msgspec.Struct, frozen=True, gc=False):
    """What the database has of a block's text."""

    id: int
    text: str
    is_cut: int


class Texts:
    """The texts of one search, each loaded once."""

    def __init__(self, connection: apsw.Connection, read_text: ReadText | None) -> None:
        self.connection = connection
        self.read_text = read_text
        self.known: dict[int, _Kept] = {}
        self.wholes: dict[int, str] = {}
        self.reads_left = _MOST_READ

    def load(self, candidates: Iterable[Candidate]) -> None:
        """Read what the database has of the candidates' texts."""
        ids = [one.block.id for one in candidates if one.block and one.block.id not in self.known]
        if ids:
            rows = rows_of(self.connection, "search_texts", ids=ids)
            self.known.update((row[0], _Kept(*row)) for row in rows)

    def beginning(self, candidate: Candidate) -> str:
        """Give a text as far as the database has it."""
        if candidate.block is not None:
            return self.known[candidate.block.id].text
        return candidate.file.path if candidate.file else candidate.session.title

    def is_cut(self, candidate: Candidate) -> bool:
        """Tell whether there is more of a text than the database has, and it is not read yet."""
        block = candidate.block
        return bool(block and self.known[block.id].is_cut and block.id not in self.wholes)

    def whole(self, candidate: Candidate) -> str:
        """Give a text with all that can be read of it."""
        block = candidate.block
        if block is None:
            return self.beginning(candidate)
        kept = self.known[block.id]
        if kept.is_cut and block.id not in self.wholes:
            self._read(kept)
        return self.wholes.get(block.id, kept.text)

    def _read(self, kept: _Kept) -> None:
        if self.read_text is None or not self.reads_left:
            return
        self.reads_left -= 1
        text = self.read_text(kept.id)
        if text is not None:
            self.wholes[kept.id] = clean(text)
