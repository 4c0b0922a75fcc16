"""Frames that prove themselves, even where no row speaks of them."""

import sys

import pytest

from clew.store.frames import (
    OLD_HASH_BYTES,
    BadFrameError,
    Frame,
    FrameScan,
    compress,
    content_hash,
    make_checksum_frame,
    unpack,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECES = (b"first line\n" * 3, b"and the second one\n", b"third, at last\n" * 2)
CONTENT = b"".join(PIECES)


def new_blob() -> bytes:
    return b"".join(packed for packed, _ in compress(PIECES, 0, 0))


def old_blob(*, is_sealed: bool) -> bytes:
    """Give frames without checksums, as they once were written."""
    packed = [zstd.compress(piece) for piece in PIECES]
    frames = [
        Frame(0, len(p), 0, len(z), content_hash(p)) for p, z in zip(PIECES, packed, strict=True)
    ]
    seal, _ = make_checksum_frame(frames, content_hash(CONTENT))
    return b"".join([*packed, seal] if is_sealed else packed)


@pytest.mark.parametrize("blob", [new_blob(), old_blob(is_sealed=True)])
def test_the_frames_of_a_blob_are_found_and_give_its_content(blob: bytes) -> None:
    scan = FrameScan(blob)

    assert b"".join(scan) == CONTENT == zstd.decompress(blob)
    assert scan.fault == ""
    assert {len(frame.hash) for frame in scan.frames()} == {32}
    assert sum(frame.blob_bytes for frame in scan.frames()) == len(blob)
    assert b"".join(unpack(blob[f.blob_start :][: f.blob_bytes], f) for f in scan.frames())


@pytest.mark.parametrize("blob", [new_blob(), old_blob(is_sealed=True)])
@pytest.mark.parametrize("flip", [1, 0x40, 0xFF])
def test_a_byte_that_is_flipped_anywhere_is_noticed(blob: bytes, flip: int) -> None:
    for at in range(len(blob)):
        scan = FrameScan(blob[:at] + bytes([blob[at] ^ flip]) + blob[at + 1 :])
        found = b"".join(scan)

        assert scan.fault or found == CONTENT


def test_frames_before_a_bad_one_are_good_and_what_follows_is_reported() -> None:
    blob = bytearray(new_blob())
    blob[len(blob) // 2] ^= 1

    scan = FrameScan(bytes(blob))

    assert list(scan) == [PIECES[0]]
    assert f" of {len(blob)} bytes are unreadable: " in scan.fault


def test_a_blob_that_ends_within_a_frame_is_reported() -> None:
    scan = FrameScan(new_blob()[:-3])

    assert list(scan) == list(PIECES[:2])
    assert scan.fault


def test_frames_that_nothing_vouches_for_have_a_shorter_hash() -> None:
    scan = FrameScan(old_blob(is_sealed=False))

    assert (b"".join(scan), scan.fault) == (CONTENT, "")
    assert {len(frame.hash) for frame in scan.frames()} == {OLD_HASH_BYTES}


def test_a_frame_is_verified_by_a_hash_of_either_length_and_by_no_shorter_one() -> None:
    ((packed, frame),) = compress([CONTENT], 0, 0)

    for size in (OLD_HASH_BYTES, 32):
        short = Frame(0, len(CONTENT), 0, len(packed), frame.hash[:size])
        assert unpack(packed, short) == CONTENT
    with pytest.raises(BadFrameError, match="its hash differs"):
        unpack(packed, Frame(0, len(CONTENT), 0, len(packed), frame.hash[:1]))
