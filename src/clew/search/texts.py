"""The texts of candidates: as far as the database has them, and the rest from the kept bytes."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import apsw
import msgspec

from clew.entries import (
    AnyBlock,
    Assistant,
    Entry,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    User,
    decode,
    result_blocks,
)
from clew.search.blocks import rows_of
from clew.search.ranking import Candidate
from clew.search.words import clean
from clew.source import Line
from clew.store.rows import input_text

ReadEntry = Callable[[int, int, int], bytes | None]
"""Gives the kept line of a session's key, a transcript's number and an offset, or None."""

_MOST_READ: Final = 50
"""So many kept lines are read for one search."""


class _Kept(msgspec.Struct, frozen=True, gc=False):
    """What the database has of a block's text, and where the rest stands."""

    id: int
    text: str
    is_cut: int
    session_key: int
    transcript: int
    offset_bytes: int


class Texts:
    """The texts of one search, each loaded once."""

    def __init__(self, connection: apsw.Connection, read_entry: ReadEntry | None) -> None:
        self.connection = connection
        self.read_entry = read_entry
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
        if self.is_cut(candidate) and candidate.block is not None:
            self._read(self.known[candidate.block.id])
        found = self.wholes.get(candidate.block.id) if candidate.block else None
        return self.beginning(candidate) if found is None else found

    def _read(self, kept: _Kept) -> None:
        if self.read_entry is None or not self.reads_left:
            return
        self.reads_left -= 1
        raw = self.read_entry(kept.session_key, kept.transcript, kept.offset_bytes)
        text = None if raw is None else whole_text(raw, kept.text)
        if text is not None:
            self.wholes[kept.id] = text


def whole_text(raw: bytes, beginning: str) -> str | None:
    """Find the text that begins so in a kept line; None when the line does not hold it."""
    for entry in decode(Line(raw, "", 1, 0)):
        for text in _texts(entry):
            cleaned = clean(text)
            if cleaned.startswith(beginning):
                return cleaned
    return None


def _texts(entry: Entry) -> Iterator[str]:
    match entry.body:
        case User(message=message) | Assistant(message=message):
            content = message.content
        case _:
            return
    if isinstance(content, str):
        yield content
        return
    for block in content or ():
        yield _text(block)


def _text(block: AnyBlock) -> str:
    """Give a block's text as it is indexed: of a call its arguments, of a result its words."""
    match block:
        case TextBlock():
            return block.text
        case ThinkingBlock():
            return block.thinking
        case ToolUseBlock():
            return input_text(bytes(block.input))
        case ToolResultBlock():
            inner = result_blocks(block.content)
            return "\n".join(piece.text for piece in inner if isinstance(piece, TextBlock))
        case _:
            return ""
