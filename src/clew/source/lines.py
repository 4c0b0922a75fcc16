"""Lines of a transcript, with their positions."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.source.regular_files import open_regular

# A piece that stays in a core's cache is read and split faster than a larger one.
_PIECE_SIZE: Final = 1 << 16
# One line is usually a few kilobytes: a jump to it need not read a megabyte.
_JUMP_SIZE: Final = 1 << 14


# A longer line is not read: decoded, it takes many times as much memory.
LARGEST_LINE: Final = 64 << 20
# How much of such a line is read, to find its session.
_HEAD_SIZE: Final = 1 << 16


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of a transcript, byte for byte, without its newline.

    `ended` is false for a last line whose newline is not there (yet). Of a line that is larger than
    64 MiB, `raw` is the beginning alone, and `oversize` is its size in the file.
    """

    raw: bytes
    file: str
    number: int
    offset: int
    ended: bool = True
    oversize: int = 0


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """Whole lines that were read together: `data` from `start` to `end`, each with its newline.

    A last line without a newline in the file gets one here; its chunk is not `ended`. Of a line
    that is too large only the beginning is here; `oversize` is its size without a newline.
    """

    data: bytes
    start: int
    end: int
    ended: bool = True
    oversize: int = 0

    @property
    def lines(self) -> Iterable[bytes]:
        """Iterate over the lines without a copy of all of them.

        A BytesIO finds newlines twice as fast as `bytes.split` in lines of usual length.
        """
        lines = io.BytesIO(self.data)
        lines.truncate(self.end)
        lines.seek(self.start)
        return lines


class Lines:
    """The lines of a file or of pieces, one after the other.

    To handle very many of them, iterate over `chunks` instead, before the first line: that saves
    an object and a copy for each line.
    """

    def __init__(self, chunks: Iterator[Chunk], file: str, number: int, offset: int) -> None:
        self.chunks = chunks
        self.file = file
        self.number = number
        self.offset = offset
        self.begun = False
        self._each = _each_line(chunks, file, number, offset)

    def __iter__(self) -> Iterator[Line]:
        """Return the lines that are left."""
        self.begun = True
        return self._each

    def __next__(self) -> Line:
        """Return the next line."""
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
    r"""Return the lines of a file, one after the other.

    The file is opened when the first line is requested. Only the newline byte ends a line: `\r`,
    a byte order mark, NUL bytes and U+2028 are content. A file that grows meanwhile is read to the
    end that is found then; one that shrinks ends early.

    Args:
        path: A regular file; anything else raises `OSError`.
        offset: Where to begin, in bytes: the start of a line.
        number: The number of the line that begins there.
        file: The name of the file in each line; the path by default.
        with_tail: Whether to include a last line without a newline, as not `ended`.
    """
    pieces = _read_pieces(path, offset, _PIECE_SIZE)
    name = str(path) if file is None else file
    return split_lines(pieces, name, offset=offset, number=number, with_tail=with_tail)


def split_lines(
    pieces: Iterable[bytes],
    file: str,
    *,
    offset: int = 0,
    number: int = 1,
    with_tail: bool = True,
) -> Lines:
    """Return the lines of bytes that come in pieces, wherever the pieces were cut."""
    return Lines(_split(pieces, with_tail=with_tail), file, number, offset)


def line_at(path: Path, offset: int, *, number: int = 1, file: str | None = None) -> Line | None:
    """Return the one line that begins at `offset`, or None at or after the end of the file."""
    pieces = _read_pieces(path, offset, _JUMP_SIZE)
    name = str(path) if file is None else file
    return next(split_lines(pieces, name, offset=offset, number=number), None)


def join_lines(lines: Iterable[Line]) -> bytes:
    """Return the bytes that the lines were read from."""
    return b"".join(line.raw + b"\n" if line.ended else line.raw for line in lines)


def _each_line(chunks: Iterable[Chunk], file: str, number: int, offset: int) -> Iterator[Line]:
    for chunk in chunks:
        for text in chunk.lines:
            yield Line(text[:-1], file, number, offset, chunk.ended, chunk.oversize)
            number += 1
            offset += chunk.oversize + 1 if chunk.oversize else len(text)


def _split(pieces: Iterable[bytes], *, with_tail: bool) -> Iterator[Chunk]:
    partial = _PartialLine()
    for piece in pieces:
        start = piece.find(b"\n") + 1 if partial.size else 0
        if start:
            partial.add(piece[: start - 1])
            yield partial.finish()
        end = piece.rfind(b"\n") + 1
        if end > start:
            yield from _whole_lines(piece, start, end)
        if end < len(piece):
            partial.add(piece[end:])
    if with_tail and partial.size:
        yield partial.finish(ended=False)


class _PartialLine:
    """A line whose end has not been read.

    Its pieces are joined once: appending them one to the other takes quadratic time when a line
    spans many chunks.
    """

    def __init__(self) -> None:
        self.size = 0
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        """Add the next piece; of a line that becomes too large, only the beginning stays."""
        self.size += len(piece)
        self._pieces.append(piece)
        if self.size > LARGEST_LINE:
            self._pieces = [_head(self._pieces)]

    def finish(self, *, ended: bool = True) -> Chunk:
        """Return the line and start another."""
        oversize = self.size if self.size > LARGEST_LINE else 0
        line = b"".join((*self._pieces, b"\n"))
        self.size, self._pieces = 0, []
        return Chunk(line, 0, len(line), ended, oversize)


def _head(pieces: Iterable[bytes]) -> bytes:
    """Return the beginning of a line without joining all of it."""
    head = b""
    for piece in pieces:
        head += piece[: _HEAD_SIZE - len(head)]
    return head


def _whole_lines(piece: bytes, start: int, end: int) -> Iterator[Chunk]:
    """Cut whole lines; only a piece that is larger itself can have a line that is too large."""
    if end - start <= LARGEST_LINE:
        yield Chunk(piece, start, end)
        return
    partial = _PartialLine()
    while start < end:
        stop = piece.index(b"\n", start)
        partial.add(piece[start:stop])
        yield partial.finish()
        start = stop + 1


def _read_pieces(path: Path, offset: int, size: int) -> Iterator[bytes]:
    with open_regular(path) as stream:
        stream.seek(offset)
        while piece := stream.read(size):
            yield piece
