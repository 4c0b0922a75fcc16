"""Kept bytes."""

import errno
import io
import os
import random
from pathlib import Path
from typing import NoReturn

import pytest

from clew.store import DamagedBlobError, FolderBlobs
from clew.store.blobs import UnreadableBlobError
from clew.store.frames import FRAME_BYTES, Frame, compress, read_pieces

DATA = random.Random(7).randbytes(1000) * (FRAME_BYTES // 500)  # noqa: S311 (a test's dice)


def frames(*packed: bytes) -> list[tuple[bytes, Frame]]:
    """Give bytes as a blob takes them, whatever they hold."""
    return [(data, Frame(0, 0, 0, len(data), b"")) for data in packed]


def refuse(*_: object) -> NoReturn:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def test_stretches_of_a_frame_are_read_in_any_order(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    packed = list(compress(read_pieces(io.BytesIO(DATA)), 0, 0))
    blobs.append("x", 0, packed)

    second = [packed[1][1]]
    parts = [blobs.read_range("x", second, FRAME_BYTES + at, 50) for at in (300, 9000, 20)]

    own = DATA[FRAME_BYTES:]
    assert parts == [own[300:350], own[9000:9050], own[20:70]]


def test_frames_give_their_bytes_back(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    packed = list(compress(read_pieces(io.BytesIO(DATA)), 0, 0))
    blobs.append("x", 0, packed)

    assert b"".join(blobs.read("x", [frame for _, frame in packed])) == DATA


def test_what_a_cut_off_write_left_is_cut_away(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    blobs.append("x", 0, frames(b"first", b"the rest of a write that was cut off"))

    blobs.append("x", len(b"first"), frames(b"second"))

    assert (tmp_path / "x").read_bytes() == b"firstsecond"


def test_a_blob_is_replaced_by_one_that_is_whole(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    blobs.append("r/x", 0, frames(b"a long blob that is damaged"))

    with pytest.raises(ZeroDivisionError):
        blobs.replace(
            "r/x", (frame for number in (1, 0) for frame in frames(b"%d" % (1 // number)))
        )
    assert (tmp_path / "r" / "x").read_bytes() == b"a long blob that is damaged"
    blobs.replace("r/x", frames(b"short"))

    assert [path.read_bytes() for path in (tmp_path / "r").iterdir()] == [b"short"]


def test_a_kept_file_that_may_not_be_written_is_no_fault_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "open", refuse)

    with pytest.raises(UnreadableBlobError, match="the archived copy x cannot be opened"):
        FolderBlobs(tmp_path).append("x", 0, [])


def test_a_kept_file_that_may_not_be_read_is_told_apart_from_a_damaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, frame), *_ = compress([b"data"], 0, 0)
    blobs = FolderBlobs(tmp_path)

    with pytest.raises(DamagedBlobError, match="is damaged"):
        list(blobs.read("x", [frame]))
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableBlobError):
        list(blobs.read("x", [frame]))
