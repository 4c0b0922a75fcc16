"""What all blobs must do, tested through their protocol."""

import time
from collections.abc import Iterable

import msgspec
import pytest

from clew.store import Blobs, DamagedBlobError
from clew.store.frames import Frame, compress
from tests.contract.backends import Backend

FIRST = (b"one " * 400, b"two " * 300)
SECOND = (b"three " * 200,)
NAME = "root-1/projects/p/session.jsonl.zst"


def pack(pieces: Iterable[bytes], after: Iterable[Frame] = ()) -> list[tuple[bytes, Frame]]:
    frames = list(after)
    start = sum(frame.size_bytes for frame in frames)
    return list(compress(pieces, start, sum(frame.blob_bytes for frame in frames)))


def write(blobs: Blobs, name: str = NAME) -> list[Frame]:
    """Write a blob of two frames."""
    packed = pack(FIRST)
    blobs.append(name, 0, packed)
    blobs.flush([name])
    return [frame for _, frame in packed]


def grow(blobs: Blobs, frames: list[Frame], name: str = NAME) -> list[Frame]:
    """Append a frame to a blob."""
    packed = pack(SECOND, frames)
    blobs.append(name, sum(frame.blob_bytes for frame in frames), packed)
    blobs.flush([name])
    return [*frames, *(frame for _, frame in packed)]


def test_what_is_written_is_read(backend: Backend) -> None:
    frames = write(backend.blobs())

    assert tuple(backend.blobs().read(NAME, frames)) == FIRST


def test_a_blob_grows(backend: Backend) -> None:
    frames = grow(backend.blobs(), write(backend.blobs()))

    assert tuple(backend.blobs().read(NAME, frames)) == FIRST + SECOND
    assert backend.blobs().size(NAME) == sum(frame.blob_bytes for frame in frames)


def test_what_an_unfinished_write_left_is_written_over(backend: Backend) -> None:
    blobs = backend.blobs()
    frames = write(blobs)
    size = sum(frame.blob_bytes for frame in frames)
    blobs.append(NAME, size, pack((b"never finished " * 1000,), frames))

    grown = grow(blobs, frames)

    assert tuple(blobs.read(NAME, grown)) == FIRST + SECOND
    assert list(blobs.scan(NAME)) == list(FIRST + SECOND)


def test_a_blob_is_replaced_as_a_whole(backend: Backend) -> None:
    blobs = backend.blobs()
    frames = write(blobs)

    def failing() -> Iterable[tuple[bytes, Frame]]:
        yield from pack(SECOND)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        blobs.replace(NAME, failing())
    assert tuple(blobs.read(NAME, frames)) == FIRST

    packed = pack(SECOND)
    blobs.replace(NAME, packed)
    assert tuple(blobs.read(NAME, [frame for _, frame in packed])) == SECOND
    assert blobs.names() == [NAME]


def test_replacing_creates_a_blob(backend: Backend) -> None:
    packed = pack(FIRST)
    backend.blobs().replace(NAME, packed)

    assert tuple(backend.blobs().read(NAME, [frame for _, frame in packed])) == FIRST


def test_a_part_is_read_over_the_borders_of_frames(backend: Backend) -> None:
    blobs = backend.blobs()
    frames = grow(blobs, write(blobs))
    whole = b"".join(FIRST + SECOND)

    for start, size in ((0, 10), (1590, 50), (2790, 100), (0, len(whole)), (len(whole) - 5, 50)):
        assert blobs.read_range(NAME, frames, start, size) == whole[start : start + size]
    blobs.clear_cache()
    assert blobs.read_range(NAME, frames, 2, 4) == whole[2:6]


def test_a_blob_is_verified_by_its_hashes(backend: Backend) -> None:
    blobs = backend.blobs()
    first, second = write(blobs)
    other = msgspec.structs.replace(second, hash=first.hash)

    with pytest.raises(DamagedBlobError):
        list(blobs.read(NAME, [first, other]))


def test_a_missing_blob_is_damaged(backend: Backend) -> None:
    blobs = backend.blobs()
    frames = write(blobs)

    with pytest.raises(DamagedBlobError):
        list(blobs.read("root-1/other.zst", frames))
    with pytest.raises(DamagedBlobError):
        blobs.scan("root-1/other.zst")
    assert blobs.size("root-1/other.zst") == 0


def test_a_blob_tells_its_frames(backend: Backend) -> None:
    frames = grow(backend.blobs(), write(backend.blobs()))

    scan = backend.blobs().scan(NAME)

    assert list(scan) == list(FIRST + SECOND)
    assert scan.frames() == frames
    assert scan.fault == ""


def test_blobs_are_listed(backend: Backend) -> None:
    blobs = backend.blobs()
    assert (blobs.folders(), blobs.names()) == ([], [])
    other = "root-2/é/x.g2.zst"
    before = time.time_ns()
    write(blobs, NAME)
    write(blobs, other)

    assert blobs.folders() == ["root-1", "root-2"]
    assert blobs.names() == [NAME, other]
    assert blobs.names("root-2") == [other]
    assert blobs.names("root-3") == []
    assert abs(blobs.modified_ns(NAME) - before) < 60_000_000_000
