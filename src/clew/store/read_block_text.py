"""Archived bytes → the whole text of a block, of which a row may have only the beginning."""

from collections.abc import Iterator
from itertools import chain

from clew.source import FileKind
from clew.storable import storable
from clew.store.archived_files import ArchivedFile
from clew.store.block_texts import BlockPlace, find_text, line_texts
from clew.store.reader import ArchiveReader


def read_block_text(reader: ArchiveReader, block_id: int) -> str | None:
    """Return a block's whole text, from the archived bytes where a row has only its beginning.

    None means that the archived bytes do not hold it.
    """
    found = next(reader.database.rows("block_place", {"id": block_id}), None)
    if found is None:
        return None
    place = BlockPlace(*found)
    if not place.is_cut:
        return place.text
    for file, line in _lines_at(reader, place):
        texts = chain(line_texts(line), _long_results(reader, file, place, line))
        text = find_text(map(storable, texts), place.text, place.size_bytes)
        if text is not None:
            return text
    return None


def _lines_at(reader: ArchiveReader, place: BlockPlace) -> Iterator[tuple[ArchivedFile, bytes]]:
    """Return the line at a place; copies in two roots have the same, and each is given."""
    values = {"session_key": place.session_key, "number": place.transcript}
    names = {str(row[0]) for row in reader.database.rows("transcript_at", values)}
    for file in _kept_beside(reader, place):
        if file.path in names:
            yield file, reader.read_bytes(file, place.offset_bytes, place.entry_bytes)


def _long_results(
    reader: ArchiveReader, beside: ArchivedFile, place: BlockPlace, line: bytes
) -> Iterator[str]:
    """Return results in files of their own, named in their line or after the call."""
    for file in _kept_beside(reader, place):
        name = file.path.rpartition("/")[2]
        is_named = name == f"{place.tool_call_id}.txt" or name.encode() in line
        if file.kind == FileKind.TOOL_RESULT and file.root == beside.root and is_named:
            yield b"".join(reader.read_file(file)).decode("utf-8", "replace")


def _kept_beside(reader: ArchiveReader, place: BlockPlace) -> list[ArchivedFile]:
    [[session_id]] = reader.database.rows("session_of_key", {"key": place.session_key})
    return reader.session_files(session_id)
