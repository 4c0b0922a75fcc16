"""What all blobs must do, tested through their protocol."""

import random
import time
from collections.abc import Iterable

import msgspec
import pytest

from clew.store import Blobs, DamagedBlobError, open_blobs
from clew.store.frames import Frame, compress

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


def test_what_is_written_is_read(place: str) -> None:
    frames = write(open_blobs(place))

    assert tuple(open_blobs(place).read(NAME, frames)) == FIRST


def test_a_blob_grows(place: str) -> None:
    frames = grow(open_blobs(place), write(open_blobs(place)))

    assert tuple(open_blobs(place).read(NAME, frames)) == FIRST + SECOND
    assert open_blobs(place).size(NAME) == sum(frame.blob_bytes for frame in frames)


def test_what_an_unfinished_write_left_is_written_over(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)
    size = sum(frame.blob_bytes for frame in frames)
    blobs.append(NAME, size, pack((b"never finished " * 1000,), frames))

    grown = grow(blobs, frames)

    assert tuple(blobs.read(NAME, grown)) == FIRST + SECOND
    assert list(blobs.scan(NAME)) == list(FIRST + SECOND)


def test_a_late_writer_takes_nothing_away(place: str) -> None:
    blobs = open_blobs(place)
    grown = grow(blobs, write(blobs))

    late = open_blobs(place)
    write(late)

    assert tuple(late.read(NAME, grown)) == FIRST + SECOND
    assert list(blobs.scan(NAME)) == list(FIRST + SECOND)


def test_a_deleted_blob_is_gone_and_others_stay(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)
    blobs.seal(NAME, frames)
    grow(blobs, frames)
    other = write(blobs, f"{NAME}.other.zst")

    blobs.delete([NAME, "root-1/never/there.zst"])

    assert open_blobs(place).names() == [f"{NAME}.other.zst"]
    assert open_blobs(place).size(NAME) == 0
    assert tuple(open_blobs(place).read(f"{NAME}.other.zst", other)) == FIRST


def test_a_blob_is_replaced_as_a_whole(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)

    def failing() -> Iterable[tuple[bytes, Frame]]:
        yield from pack(SECOND)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        blobs.replace(NAME, failing())
    assert tuple(blobs.read(NAME, frames)) == FIRST
    assert list(blobs.scan(NAME)) == list(FIRST)

    packed = pack(SECOND)
    blobs.replace(NAME, packed)
    blobs.flush([NAME])
    assert tuple(blobs.read(NAME, [frame for _, frame in packed])) == SECOND
    assert list(blobs.scan(NAME)) == list(SECOND)
    assert blobs.names() == [NAME]


def test_replacing_creates_a_blob(place: str) -> None:
    packed = pack(FIRST)
    blobs = open_blobs(place)
    blobs.replace(NAME, packed)
    blobs.flush([NAME])

    assert tuple(open_blobs(place).read(NAME, [frame for _, frame in packed])) == FIRST


def test_a_part_is_read_over_the_borders_of_frames(place: str) -> None:
    blobs = open_blobs(place)
    frames = grow(blobs, write(blobs))
    whole = b"".join(FIRST + SECOND)

    for start, size in ((0, 10), (1590, 50), (2790, 100), (0, len(whole)), (len(whole) - 5, 50)):
        assert blobs.read_range(NAME, frames, start, size) == whole[start : start + size]
    blobs.clear_cache()
    assert blobs.read_range(NAME, frames, 2, 4) == whole[2:6]


def test_a_blob_is_verified_by_its_hashes(place: str) -> None:
    blobs = open_blobs(place)
    first, second = write(blobs)
    other = msgspec.structs.replace(second, hash=first.hash)

    with pytest.raises(DamagedBlobError):
        list(blobs.read(NAME, [first, other]))


def test_a_missing_blob_is_damaged(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)

    with pytest.raises(DamagedBlobError):
        list(blobs.read("root-1/other.zst", frames))
    with pytest.raises(DamagedBlobError):
        blobs.scan("root-1/other.zst")
    assert blobs.size("root-1/other.zst") == 0


def test_a_blob_tells_its_frames(place: str) -> None:
    frames = grow(open_blobs(place), write(open_blobs(place)))

    scan = open_blobs(place).scan(NAME)

    assert list(scan) == list(FIRST + SECOND)
    assert scan.frames() == frames
    assert scan.fault == ""


def test_blobs_are_listed(place: str) -> None:
    blobs = open_blobs(place)
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


def test_an_empty_file_is_listed(place: str) -> None:
    blobs = open_blobs(place)
    blobs.replace(NAME, ())
    blobs.flush([NAME])

    assert blobs.names() == [NAME]
    assert blobs.size(NAME) == 0
    assert list(blobs.scan(NAME)) == list(blobs.read(NAME, ())) == []


@pytest.mark.parametrize("part", ["a b", "100%", "~", "a~41", "é\u0301", "漢字", "?#&+", "\udcff"])
def test_names_may_have_any_characters(place: str, part: str) -> None:
    name = f"root-1/{part}/{part}.jsonl.zst"
    frames = write(open_blobs(place), name)

    assert tuple(open_blobs(place).read(name, frames)) == FIRST
    assert open_blobs(place).names() == [name]
    assert open_blobs(place).size(name) == sum(frame.blob_bytes for frame in frames)


def test_a_name_is_not_the_beginning_of_another(place: str) -> None:
    longer = NAME.replace(".zst", ".g2.zst")
    frames = write(open_blobs(place), longer)

    assert open_blobs(place).size(NAME) == 0
    write(open_blobs(place), NAME)
    assert open_blobs(place).size(NAME) == sum(frame.blob_bytes for frame in frames)
    assert open_blobs(place).names() == sorted([NAME, longer])


def test_a_sealed_blob_reads_as_before(place: str) -> None:
    blobs = open_blobs(place)
    frames = grow(blobs, write(blobs))
    whole = b"".join(FIRST + SECOND)

    blobs.seal(NAME, frames)

    for found in (blobs, open_blobs(place)):
        assert tuple(found.read(NAME, frames)) == FIRST + SECOND
        assert tuple(found.read(NAME, frames[1:])) == FIRST[1:] + SECOND
        assert found.read_range(NAME, frames, 1500, 1500) == whole[1500:3000]
        assert list(found.scan(NAME)) == list(FIRST + SECOND)
        assert found.size(NAME) == sum(frame.blob_bytes for frame in frames)
        assert found.names() == [NAME]


def test_a_sealed_blob_grows_and_is_sealed_again(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)
    blobs.seal(NAME, frames)
    assert tuple(blobs.read(NAME, frames)) == FIRST

    grown = grow(open_blobs(place), frames)
    assert tuple(blobs.read(NAME, grown)) == FIRST + SECOND
    open_blobs(place).seal(NAME, grown)

    assert tuple(blobs.read(NAME, grown)) == FIRST + SECOND
    assert tuple(open_blobs(place).read(NAME, grown)) == FIRST + SECOND
    assert list(open_blobs(place).scan(NAME)) == list(FIRST + SECOND)


def test_a_sealed_blob_is_sealed_once_more_to_no_effect(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)

    blobs.seal(NAME, frames)
    blobs.seal(NAME, frames)

    assert tuple(blobs.read(NAME, frames)) == FIRST


def test_a_sealed_blob_can_be_replaced(place: str) -> None:
    blobs = open_blobs(place)
    blobs.seal(NAME, write(blobs))

    packed = pack(SECOND)
    blobs.replace(NAME, packed)
    blobs.flush([NAME])

    assert tuple(blobs.read(NAME, [frame for _, frame in packed])) == SECOND
    assert list(open_blobs(place).scan(NAME)) == list(SECOND)


def test_what_an_unfinished_write_left_is_not_sealed(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)
    grow(blobs, frames)

    blobs.seal(NAME, frames)

    assert tuple(blobs.read(NAME, frames)) == FIRST


def test_a_damaged_blob_is_not_sealed(place: str) -> None:
    blobs = open_blobs(place)
    frames = write(blobs)
    wrong = msgspec.structs.replace(frames[1], hash=frames[0].hash)

    with pytest.raises(DamagedBlobError):
        blobs.seal(NAME, [frames[0], wrong])

    assert tuple(blobs.read(NAME, frames)) == FIRST


def test_a_large_blob_is_sealed(place: str) -> None:
    pieces = [random.Random(seed).randbytes(4 << 20) for seed in range(3)]  # noqa: S311 (a test's dice)
    blobs = open_blobs(place)
    packed = pack(pieces)
    frames = [frame for _, frame in packed]
    blobs.replace(NAME, packed)
    blobs.flush([NAME])

    blobs.seal(NAME, frames)

    assert list(open_blobs(place).read(NAME, frames)) == pieces
    assert open_blobs(place).read_range(NAME, frames, 9 << 20, 100) == pieces[2][1 << 20 :][:100]


def test_what_is_fetched_ahead_is_read_as_usual(place: str) -> None:
    names = [f"root-1/{number}.zst" for number in range(5)]
    frames = {name: write(open_blobs(place), name) for name in names}
    blobs = open_blobs(place)
    blobs.seal(names[0], frames[names[0]])

    blobs.prefetch((name, frames[name]) for name in names)

    for name in names:
        assert tuple(blobs.read(name, frames[name])) == FIRST


def test_a_missing_blob_that_is_fetched_ahead_is_found_missing_on_reading(place: str) -> None:
    frames = [frame for _, frame in pack(FIRST)]
    blobs = open_blobs(place)

    blobs.prefetch([(NAME, frames)])

    with pytest.raises(DamagedBlobError):
        list(blobs.read(NAME, frames))


def test_a_sealed_blob_need_not_be_sealed(place: str) -> None:
    blobs = open_blobs(place)
    blobs.seal(NAME, write(blobs))

    assert list(blobs.unsealed([NAME, "root-1/nothing.zst"])) == []
