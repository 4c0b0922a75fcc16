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


# A longer line is not read: decoded, it takes many times as much memory.
LARGEST_LINE: Final = 64 << 20
# What is kept of such a line, to tell whose it is.
_HEAD_SIZE: Final = 1 << 16


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of a transcript, byte for byte, without its newline.

    `ended` is false for a last line whose newline is not there (yet). Of a line that is larger than
    64 MiB, `raw` is the beginning alone, and `oversize` tells how many bytes it has in the file.
    """

    raw: bytes
    file: str
    number: int
    offset: int
    ended: bool = True
    oversize: int = 0


class Block(msgspec.Struct, frozen=True, gc=False):
    """Lines that were read together, each with a newline behind it; to be gone through once.

    Where a last line has none in the file, it stands in a block of its own that is not `ended`. So
    does the beginning of a line that is too large; `oversize` is its size without a newline.
    """

    texts: Iterable[bytes]
    ended: bool = True
    oversize: int = 0


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
            yield Line(text[:-1], file, number, offset, ended, block.oversize)
            number += 1
            offset += block.oversize + 1 if block.oversize else len(text)


def _split(chunks: Iterable[bytes], *, with_tail: bool) -> Iterator[Block]:
    begun = _Begun()
    for chunk in chunks:
        start = chunk.find(b"\n") + 1 if begun.size else 0
        if start:
            begun.add(chunk[: start - 1])
            yield begun.finish()
        end = chunk.rfind(b"\n") + 1
        if end > start:
            yield from _stretches(chunk, start, end)
        if end < len(chunk):
            begun.add(chunk[end:])
    if with_tail and begun.size:
        yield begun.finish(ended=False)


class _Begun:
    """A line that is not at its end.

    Its pieces are joined once: appending them one to the other takes quadratic time when a line
    spans many chunks.
    """

    def __init__(self) -> None:
        self.size = 0
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        """Take the next piece; of a line that becomes too large, the beginning stays."""
        self.size += len(piece)
        self._pieces.append(piece)
        if self.size > LARGEST_LINE:
            self._pieces = [_head(self._pieces)]

    def finish(self, *, ended: bool = True) -> Block:
        """Give the line, and begin another."""
        oversize = self.size if self.size > LARGEST_LINE else 0
        block = Block((b"".join((*self._pieces, b"\n")),), ended, oversize)
        self.size, self._pieces = 0, []
        return block


def _head(pieces: Iterable[bytes]) -> bytes:
    """Give the beginning of a line without joining all of it."""
    head = b""
    for piece in pieces:
        head += piece[: _HEAD_SIZE - len(head)]
    return head


def _stretches(chunk: bytes, start: int, end: int) -> Iterator[Block]:
    """Give whole lines; only a chunk that is larger itself can have a line that is too large."""
    if end - start <= LARGEST_LINE:
        yield Block(_stretch(chunk, start, end))
        return
    begun = _Begun()
    while start < end:
        stop = chunk.index(b"\n", start)
        begun.add(chunk[start:stop])
        yield begun.finish()
        start = stop + 1


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
