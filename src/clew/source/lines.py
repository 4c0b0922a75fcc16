"""Lines of a transcript, with the place where each stood."""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.source.regular import open_regular

# A chunk that stays in a core's cache is read and split faster than a larger one.
_CHUNK_SIZE: Final = 1 << 18
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


def read_lines(
    path: Path,
    *,
    offset: int = 0,
    number: int = 1,
    file: str | None = None,
    with_tail: bool = True,
) -> Iterator[Line]:
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
) -> Iterator[Line]:
    """Give the lines of bytes that come in chunks, wherever the chunks were cut."""
    # The pieces of a line are joined once, at its end: appending them one to the other takes
    # quadratic time when a line spans many chunks.
    pieces: list[bytes] = []
    for chunk in chunks:
        start = chunk.find(b"\n") + 1 if pieces else 0
        if pieces and start:
            pieces.append(chunk[: start - 1])
            raw = b"".join(pieces)
            pieces.clear()
            yield Line(raw, file, number, offset)
            offset += len(raw) + 1
            number += 1
        end = chunk.rfind(b"\n") + 1
        # A BytesIO finds newlines twice as fast as `bytes.split` in lines of usual length.
        for ended in io.BytesIO(chunk[start:end]):
            yield Line(ended[:-1], file, number, offset)
            offset += len(ended)
            number += 1
        if end < len(chunk):
            pieces.append(chunk[end:])
    if with_tail and pieces:
        yield Line(b"".join(pieces), file, number, offset, ended=False)


def line_at(path: Path, offset: int, *, number: int = 1, file: str | None = None) -> Line | None:
    """Give the one line that begins at `offset`, or None at or after the end of the file."""
    chunks = _read_chunks(path, offset, _JUMP_SIZE)
    name = str(path) if file is None else file
    return next(split_lines(chunks, name, offset=offset, number=number), None)


def join_lines(lines: Iterable[Line]) -> bytes:
    """Give the bytes that the lines were read from."""
    return b"".join(line.raw + b"\n" if line.ended else line.raw for line in lines)


def _read_chunks(path: Path, offset: int, size: int) -> Iterator[bytes]:
    with open_regular(path) as stream:
        stream.seek(offset)
        while chunk := stream.read(size):
            yield chunk
