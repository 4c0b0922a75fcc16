"""The new part of a file, read, hashed and compressed one frame at a time."""

import os
import random
from pathlib import Path

import pytest

from clew.store import FolderBlobs, frame_writer, frames
from clew.store.compare import EDGE_BYTES, are_joined
from clew.store.frame_writer import FrameWriter, edges_of

SIZE = 3 * EDGE_BYTES // 2
"""How much a frame holds here: more than an edge, and not a multiple of it."""
BORDERS = (0, EDGE_BYTES, SIZE, SIZE + EDGE_BYTES, 2 * SIZE, 3 * SIZE)
SIZES = sorted({max(0, border + step) for border in BORDERS for step in (-1, 0, 1)})
DATA = random.Random(7).randbytes(max(SIZES))  # noqa: S311 (a test's dice)


@pytest.fixture(autouse=True)
def small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "FRAME_BYTES", SIZE)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def keep(path: Path, blobs: FolderBlobs, start: int = 0, blob_start: int = 0) -> FrameWriter:
    with path.open("rb", buffering=0) as stream:
        part = FrameWriter(stream, start, blob_start)
        blobs.append("x", blob_start, part.packed())
    return part


@pytest.mark.parametrize("size", SIZES)
def test_the_frames_of_any_size_hold_the_whole_file(size: int, tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path / "blobs")
    data = DATA[:size]

    part = keep(write(tmp_path / "x", data), blobs)

    assert b"".join(blobs.read("x", part.frames)) == b"".join(part.held or ()) == data
    assert [frame.size_bytes for frame in part.frames[:-1]] == [SIZE] * max(0, (size - 1) // SIZE)
    assert (part.size, part.is_empty) == (size, not size)
    assert part.edges(None) == edges_of(data[:EDGE_BYTES], data[-EDGE_BYTES:])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("before", [1, EDGE_BYTES, SIZE])
def test_a_part_of_any_size_continues_what_is_before_it(
    before: int, size: int, tmp_path: Path
) -> None:
    blobs = FolderBlobs(tmp_path / "blobs")
    first = keep(write(tmp_path / "x", DATA[:before]), blobs)
    data = DATA[:before] + DATA[:size]

    part = keep(write(tmp_path / "x", data), blobs, before, blobs.size("x"))

    both = [*first.frames, *part.frames]
    assert are_joined(both, len(data))
    assert b"".join(blobs.read("x", both)) == data
    tail = DATA[:size][-EDGE_BYTES:] or data[-EDGE_BYTES:]
    assert part.edges(first.edges(None)) == edges_of(DATA[:before][:EDGE_BYTES], tail)


def test_a_part_that_is_too_large_for_memory_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_writer, "MAX_HELD_BYTES", 2 * SIZE)
    blobs = FolderBlobs(tmp_path / "blobs")

    held = [keep(write(tmp_path / "x", DATA[:size]), blobs).held for size in (2 * SIZE, 3 * SIZE)]

    assert held == [[DATA[:SIZE], DATA[SIZE : 2 * SIZE]], None]


def test_a_file_that_shrinks_is_kept_as_far_as_it_was_read(tmp_path: Path) -> None:
    path = write(tmp_path / "x", DATA)
    with path.open("rb", buffering=0) as stream:
        part = FrameWriter(stream, 0, 0)
        packed = part.packed()
        next(packed)
        os.truncate(path, SIZE + 5)
        rest = list(packed)

    assert (part.size, len(part.frames), len(rest)) == (SIZE + 5, 2, 1)
    assert part.edges(None) == edges_of(DATA[:EDGE_BYTES], DATA[: SIZE + 5][-EDGE_BYTES:])


def test_a_file_that_is_replaced_is_read_to_its_own_end(tmp_path: Path) -> None:
    path = write(tmp_path / "x", DATA)
    with path.open("rb", buffering=0) as stream:
        part = FrameWriter(stream, 0, 0)
        packed = part.packed()
        next(packed)
        write(tmp_path / "y", b"another").replace(path)
        list(packed)

    assert b"".join(part.held or ()) == DATA
