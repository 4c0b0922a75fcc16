"""The texts of candidates: as far as the database has them, and the rest from the kept bytes."""

from collections.abc import Callable, Iterable

import msgspec

from clew.search.ranking import Candidate
from clew.storable import storable
from clew.store import Database

ReadText = Callable[[int], str | None]
"""Gives the whole text of a block by its number, or None when it cannot be had."""


class _StoredText(msgspec.Struct, frozen=True, gc=False):
    """What the database has of a block's text."""

    id: int
    text: str
    is_cut: int


class Texts:
    """The texts of one search, each loaded once."""

    def __init__(self, database: Database, read_text: ReadText | None) -> None:
        self.database = database
        self.read_text = read_text
        self.known: dict[int, _StoredText] = {}
        self.wholes: dict[int, str] = {}

    def load(self, candidates: Iterable[Candidate]) -> None:
        """Read what the database has of the candidates' texts."""
        ids = [one.block.id for one in candidates if one.block and one.block.id not in self.known]
        if ids:
            rows = self.database.rows("search_texts", {"ids": ids})
            self.known.update((row[0], _StoredText(*row)) for row in rows)

    def beginning(self, candidate: Candidate) -> str:
        """Return a text as far as the database has it."""
        if candidate.block is not None:
            return self.known[candidate.block.id].text
        return (
            candidate.file.path if candidate.file else candidate.digest or candidate.session.title
        )

    def is_cut(self, candidate: Candidate) -> bool:
        """Tell whether there is more of a text than the database has, and it is not read yet."""
        block = candidate.block
        return bool(block and self.known[block.id].is_cut and block.id not in self.wholes)

    def read(self, candidate: Candidate) -> str:
        """Return a text with all that can be read of it."""
        block = candidate.block
        if block is None:
            return self.beginning(candidate)
        if self.read_text is not None and self.is_cut(candidate):
            text = self.read_text(block.id)
            if text is not None:
                self.wholes[block.id] = storable(text)
        return self.wholes.get(block.id, self.known[block.id].text)

    def forget(self, candidates: Iterable[Candidate]) -> None:
        """Let go of texts that are not needed any more."""
        for candidate in candidates:
            if candidate.block is not None:
                self.known.pop(candidate.block.id, None)
                self.wholes.pop(candidate.block.id, None)
