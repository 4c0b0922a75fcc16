"""What a session's files become before they leave: names and pieces of bytes.

`project_session` in `clew.push.projection` makes them:

    ledger = MarkLedger(laptop_key, saved_marks)
    for file in project_session(tier, laptop_key, files, ledger):
        save(ledger.take_added())        # before a piece with those marks is sent
        for piece in file.pieces: ...    # becomes a frame

All files of a session go in together, since what one of them reveals as a secret is masked in the
others. Whole lines alone are projected: an unfinished last line waits for its end. The same files,
key and ledger give the same bytes; a secret that is recognised late changes earlier pieces, and
then the list of frames is no longer a continuation of what the server has.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.protocol import MAX_FRAME_BYTES
from clew.source import FileKind

PIECE_BYTES: Final = 1 << 20
"""How many bytes of a file make a piece, if no earlier push says where it ends."""
_LARGEST_FILE: Final = 64 << 20


class PushedSource(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a session as the archive has it.

    `read` returns its bytes from the beginning, cut anywhere; it is called up to three times.
    `cuts` are the ends of the pieces that an earlier push made of it, so that this one cuts it at
    the same places and adds to them.
    """

    path: str
    kind: FileKind
    session_id: str
    agent_id: str | None = None
    workflow_id: str | None = None
    read: Callable[[], Iterable[bytes]]
    cuts: Sequence[int] = ()


class ProjectedPiece(msgspec.Struct, frozen=True):
    """Some bytes to send, at most a frame of them, made of the file's bytes up to `source_end`.

    What is too long for one frame comes as several pieces with the same end.
    """

    source_end: int
    data: bytes


class ProjectedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to send: its names, none of which says what it was called, and its pieces.

    `path` is the one of the source, and does not leave. `pieces` can be iterated once.
    """

    path: str
    file: str
    kind: FileKind
    session: str
    agent: str | None = None
    workflow: str | None = None
    pieces: Iterator[ProjectedPiece]


def read_small(source: PushedSource) -> bytes | None:
    """Read a file that is projected as a whole; None if it is too large for that."""
    pieces: list[bytes] = []
    size = 0
    for piece in source.read():
        pieces.append(piece)
        size += len(piece)
        if size > _LARGEST_FILE:
            return None
    return b"".join(pieces)


def cut_pieces(
    units: Iterable[tuple[int, bytes]], cuts: Sequence[int] = ()
) -> Iterator[ProjectedPiece]:
    """Join lines to pieces, given each with where it ends in its file.

    A piece ends where an earlier push ended it, then after about a megabyte of the file, and where
    its bytes would no longer fit into a frame.
    """
    ends = iter(sorted(set(cuts)))
    cut = next(ends, None)
    start = end = size = 0
    waiting: list[bytes] = []
    for end, data in units:
        waiting.append(data)
        size += len(data)
        while cut is not None and end > cut:
            cut = next(ends, None)
        is_full = end - start >= PIECE_BYTES or size >= MAX_FRAME_BYTES
        if end == cut or (cut is None and is_full):
            yield from _split(end, waiting)
            start, size, waiting = end, 0, []
    yield from _split(end, waiting)


def _split(end: int, waiting: list[bytes]) -> Iterator[ProjectedPiece]:
    data = b"".join(waiting)
    for start in range(0, len(data), MAX_FRAME_BYTES):
        yield ProjectedPiece(end, data[start : start + MAX_FRAME_BYTES])
