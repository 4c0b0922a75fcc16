"""SQL functions for texts that are not in the rows, or only in part.

Rows have the position of a tool call's line; its input, its whole result and the line itself are
read from the archived files when a query needs them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from clew.conversation import nameless_position
from clew.errors import ClewError
from clew.storable import storable_json
from clew.store.archived_files import ArchivedFile
from clew.store.blobs import DamagedBlobError
from clew.store.block_texts import line_inputs
from clew.store.frames import Frame
from clew.store.location import Location
from clew.store.protocols import Database
from clew.store.read_block_text import read_block_text
from clew.store.reader import ArchiveReader, open_any_version

LONGEST_TEXT: Final = 64 << 20
"""A line or text that is longer, in bytes, is not returned."""

_FIRST_READ: Final = 65_536
_SESSIONS: Final = 4
_FILES: Final = 16


class UnreadableFilesError(ClewError):
    """Values are missing from a result because archived files could not be read."""

    def __init__(self, faults: Sequence[str]) -> None:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        super().__init__(
            f"some values are NULL because an archived file cannot be read ({faults[0]}{more}); "
            "run `clew archive verify` to check all files, and `clew sync` to repair those whose "
            "source exists"
        )


class UnreadableTextError(Exception):
    """A text cannot be read; the message has the file and the reason."""


class LinePosition(msgspec.Struct, frozen=True):
    """The position of a line: its transcript's number, its offset, and its length if known."""

    transcript: int
    offset_bytes: int
    entry_bytes: int = 0


class _SessionTexts(msgspec.Struct, frozen=True):
    """What is needed to find the texts of one session."""

    files: dict[int, list[ArchivedFile]]
    inputs: dict[str, LinePosition]
    results: dict[str, int]


class TextFunctions:
    """Reads texts from archived files; `faults` has each file that could not be read."""

    def __init__(self, location: Location, before_read: Callable[[], None] = lambda: None) -> None:
        self.location = location
        self.faults: list[str] = []
        self._before_read = before_read
        self._reader: ArchiveReader | None = None
        self._session = lru_cache(_SESSIONS)(self._load_session)
        self._line = lru_cache(1)(self._read_line)
        self._frames = lru_cache(_FILES)(self._load_frames)

    def close(self) -> None:
        """Close the database and forget what was read."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        self._session.cache_clear()
        self._line.cache_clear()
        self._frames.cache_clear()

    def tool_input(self, session_key: object, call_id: object) -> str | None:
        """Return the input of a tool call as JSON."""
        if not isinstance(session_key, int) or not isinstance(call_id, str):
            return None
        session = self._session(session_key)
        place = session.inputs.get(call_id)
        return None if place is None else self._read_or_note(self._input, session, place, call_id)

    def tool_result(self, session_key: object, call_id: object) -> str | None:
        """Return the whole text of a tool call's result."""
        if not isinstance(session_key, int) or not isinstance(call_id, str):
            return None
        return self.block_text(self._session(session_key).results.get(call_id))

    def block_text(self, block_id: object) -> str | None:
        """Return the whole text of a block."""
        return self._read_or_note(self._block_text, block_id) if isinstance(block_id, int) else None

    def raw_line(self, session_key: object, transcript: object, offset_bytes: object) -> str | None:
        """Return the line that begins at an offset of a transcript."""
        if not (
            isinstance(session_key, int)
            and isinstance(transcript, int)
            and isinstance(offset_bytes, int)
            and offset_bytes >= 0
        ):
            return None
        session = self._session(session_key)
        found = self._read_or_note(self._line_at, session, LinePosition(transcript, offset_bytes))
        return found or None

    @property
    def reader(self) -> ArchiveReader:
        """The archive, opened with the first text."""
        if self._reader is None:
            self._reader = open_any_version(self.location)
        return self._reader

    def _read_or_note(self, read: Callable[..., str | None], *arguments: object) -> str | None:
        """Read a text; where that fails, note why and return None."""
        self._before_read()
        try:
            return read(*arguments)
        except DamagedBlobError as error:
            self._add_fault(f"{error.name}: {error.reason}")
        except UnreadableTextError as error:
            self._add_fault(str(error))
        return None

    def _add_fault(self, fault: str) -> None:
        if fault not in self.faults:
            self.faults.append(fault)

    def _input(self, session: _SessionTexts, place: LinePosition, call_id: str) -> str | None:
        for file in session.files.get(place.transcript, ()):
            raw = _input_of(call_id, list(line_inputs(self._line(file, place))))
            if raw is not None:
                return storable_json(raw.decode("utf-8", "replace"))
            raise UnreadableTextError(f"{file.blob}: a line does not contain its tool call")
        return None

    def _block_text(self, block_id: int) -> str | None:
        text = read_block_text(self.reader, block_id)
        if text is None:
            self._require_no_block(block_id)
        elif len(text) > LONGEST_TEXT // 4:
            _require_length(len(text.encode("utf-8", "replace")), f"block {block_id}")
        return text

    def _require_no_block(self, block_id: int) -> None:
        """Make sure that there is no such block: one that is there has a text."""
        values = {"id": block_id}
        found = next(self.reader.database.rows("session_of_block", values), None)
        if found is not None:
            raise UnreadableTextError(
                f"session {found[0]}: a text of its rows is not in its archived files"
            )

    def _line_at(self, session: _SessionTexts, place: LinePosition) -> str | None:
        for file in session.files.get(place.transcript, ()):
            return self._line(file, place).decode("utf-8", "replace")
        return None

    def _read_line(self, file: ArchivedFile, place: LinePosition) -> bytes:
        """Read a line without its newline, no more of it than may be returned."""
        frames = self._frames(file)
        size = place.entry_bytes or _FIRST_READ
        while True:
            _require_length(size, file.blob)
            found = self.reader.read_bytes(file, place.offset_bytes, size, frames)
            if len(found) < min(size, file.kept_bytes - place.offset_bytes):
                raise UnreadableTextError(f"{file.blob}: it is shorter than before")
            line, newline, _ = found.partition(b"\n")
            if newline or len(found) < size or place.entry_bytes:
                return line
            size *= 4

    def _load_frames(self, file: ArchivedFile) -> list[Frame]:
        return self.reader.frames(file)

    def _load_session(self, key: int) -> _SessionTexts:
        database = self.reader.database
        values = {"key": key}
        files: dict[int, list[ArchivedFile]] = {}
        transcripts = list(database.rows("session_transcripts", values))
        kept = self.reader.session_files(transcripts[0][2]) if transcripts else []
        for number, path, _ in transcripts:
            files[number] = [file for file in kept if file.path == path]
        return _SessionTexts(files, *_find_blocks(database, values))


def _input_of(call_id: str, inputs: list[tuple[str, bytes]]) -> bytes | None:
    """Return the input of a call among those of its line; a call without an id is numbered."""
    named = next((value for name, value in inputs if name == call_id), None)
    nameless = [value for name, value in inputs if not name]
    if named is not None or not nameless:
        return named
    return dict(enumerate(nameless)).get(nameless_position(call_id))


def _find_blocks(
    database: Database, values: dict[str, int]
) -> tuple[dict[str, LinePosition], dict[str, int]]:
    """Return where the inputs of a session's calls stand, and which blocks hold the results.

    Of several results the one counts that is as long as the call says, else the first.
    """
    sizes: dict[str, int] = dict(database.rows("call_result_sizes", values))
    inputs: dict[str, LinePosition] = {}
    results: dict[str, tuple[bool, int]] = {}
    for call_id, kind, block_id, size, *place in database.rows("call_blocks", values):
        if kind == "tool_use":
            inputs.setdefault(call_id, LinePosition(*place))
        else:
            is_right = sizes.get(call_id) == size
            if call_id not in results or (is_right and not results[call_id][0]):
                results[call_id] = (is_right, block_id)
    return inputs, {call_id: block_id for call_id, (_, block_id) in results.items()}


def _require_length(size: int, name: str) -> None:
    if size > LONGEST_TEXT:
        raise UnreadableTextError(f"{name}: a text is longer than {LONGEST_TEXT >> 20} MiB")


def functions(lookup: TextFunctions) -> Iterator[tuple[str, Callable[..., str | None], int]]:
    """Return the SQL functions: name, implementation, number of arguments."""
    yield "tool_input", lookup.tool_input, 2
    yield "tool_result", lookup.tool_result, 2
    yield "block_text", lookup.block_text, 1
    yield "raw_line", lookup.raw_line, 3
