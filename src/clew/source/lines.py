"""Lines of a transcript, with the place where each stood."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.source.regular import open_regular

# A chunk that stays in a core's cache is read and split faster than a larger one.
_CHUNK_SIZE: Final = 1 << 16
# One line is usually a few kilobytes: a jump to it need not read a megabyte.
_JUMP_SIZE: Final = 1 << 14


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of a transcript, byte for byte, without its newline.

    `ended` is false for a last line whose newline is not there (yet).
    """

    raw: bytes
    file: str
    number: int
    offset: int
    ended: bool = True


class Block(msgspec.Struct, frozen=True, gc=False):
    """Lines that were read together, each with a newline behind it; to be gone through once.

    Where a last line has none in the file, it stands in a block of its own that is not `ended`.
    """

    texts: Iterable[bytes]
    ended: bool = True


class Lines:
    """The lines of a file or of chunks, one after the other.

    Who handles very many of them takes `blocks` instead, before the first line: bytes alone, which
    spares an object and a copy for each line.
    """

    def __init__(self, blocks: Iterator[Block], file: str, number: int, offset: int) -> None:
        self.blocks = blocks
        self.file = file
        self.number = number
        self.offset = offset
        self.begun = False
        self._each = _each_line(blocks, file, number, offset)

    def __iter__(self) -> Iterator[Line]:
        """Give the lines that are left."""
        self.begun = True
        return self._each

    def __next__(self) -> Line:
        """Give the next line."""
        self.begun = True
        return next(self._each)


def read_lines(
    path: Path,
    *,
    offset: int = 0,
    number: int = 1,
    file: str | None = None,
    with_tail: bool = True,
) -> Lines:
    r"""Give the lines of a file, one after the other.

    The file is opened when the first line is asked for. Only the newline byte ends a line: `\r`,
    a byte order mark, NUL bytes and U+2028 are content. A file that grows meanwhile is read to the
    end that is found then; one that shrinks ends early.

    Args:
        path: A regular file; anything else raises `OSError`.
        offset: Where to begin, in bytes: the start of a line.
        number: The number of the line that begins there.
        file: What the lines are told to come from; the path when not given.
        with_tail: Whether to give a last line without a newline, as not `ended`.
    """
    chunks = _read_chunks(path, offset, _CHUNK_SIZE)
    name = str(path) if file is None else file
    return split_lines(chunks, name, offset=offset, number=number, with_tail=with_tail)


def split_lines(
    chunks: Iterable[bytes],
    file: str,
    *,
    offset: int = 0,
    number: int = 1,
    with_tail: bool = True,
) -> Lines:
    """Give the lines of bytes that come in chunks, wherever the chunks were cut."""
    return Lines(_split(chunks, with_tail=with_tail), file, number, offset)


def line_at(path: Path, offset: int, *, number: int = 1, file: str | None = None) -> Line | None:
    """Give the one line that begins at `offset`, or None at or after the end of the file."""
    chunks = _read_chunks(path, offset, _JUMP_SIZE)
    name = str(path) if file is None else file
    return next(split_lines(chunks, name, offset=offset, number=number), None)


def join_lines(lines: Iterable[Line]) -> bytes:
    """Give the bytes that the lines were read from."""
    return b"".join(line.raw + b"\n" if line.ended else line.raw for line in lines)


def _each_line(blocks: Iterable[Block], file: str, number: int, offset: int) -> Iterator[Line]:
    for block in blocks:
        ended = block.ended
        for text in block.texts:
            yield Line(text[:-1], file, number, offset, ended)
            number += 1
            offset += len(text)


def _split(chunks: Iterable[bytes], *, with_tail: bool) -> Iterator[Block]:
    # The pieces of a line are joined once, at its end: appending them one to the other takes
    # quadratic time when a line spans many chunks.
    pieces: list[bytes] = []
    for chunk in chunks:
        start = chunk.find(b"\n") + 1 if pieces else 0
        if start:
            whole = b"".join((*pieces, chunk[:start]))
            pieces.clear()
            yield Block((whole,))
        end = chunk.rfind(b"\n") + 1
        if end > start:
            yield Block(_stretch(chunk, start, end))
        if end < len(chunk):
            pieces.append(chunk[end:])
    if with_tail and pieces:
        yield Block((b"".join((*pieces, b"\n")),), ended=False)


def _stretch(chunk: bytes, start: int, end: int) -> Iterable[bytes]:
    """Give the lines of a stretch without a copy of it.

    A BytesIO finds newlines twice as fast as `bytes.split` in lines of usual length.
    """
    lines = io.BytesIO(chunk)
    lines.truncate(end)
    lines.seek(start)
    return lines


def _read_chunks(path: Path, offset: int, size: int) -> Iterator[bytes]:
    with open_regular(path) as stream:
        stream.seek(offset)
        while chunk := stream.read(size):
            yield chunk
