"""A kept file's bytes: from any offset on, and no frame before it."""

from pathlib import Path

import pytest

from clew.store import blobs
from clew.store.blobs import FolderBlobs, compress
from clew.store.content import Content

OLD = b"0123456789abcdefghij"
NEW = b"klmno"


@pytest.fixture
def folder(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path)


@pytest.fixture
def content(folder: FolderBlobs, monkeypatch: pytest.MonkeyPatch) -> Content:
    """Three frames of eight bytes at most, and some that were just read."""
    monkeypatch.setattr(blobs, "FRAME_BYTES", 8)
    packed = list(compress(OLD, 0, 0))
    folder.append("file.zst", 0, (piece for piece, _ in packed))
    return Content("file.zst", tuple(frame for _, frame in packed), NEW)


@pytest.mark.parametrize("start", range(26))
def test_bytes_are_read_from_any_offset_on(
    start: int, content: Content, folder: FolderBlobs
) -> None:
    assert b"".join(content.read(folder, start)) == (OLD + NEW)[start:]


def test_frames_before_the_offset_stay_packed(content: Content, folder: FolderBlobs) -> None:
    path = folder.path("file.zst")
    path.write_bytes(b"damaged!" + path.read_bytes()[8:])

    assert b"".join(content.read(folder, 8)) == (OLD + NEW)[8:]


def test_new_bytes_alone_need_no_blob(folder: FolderBlobs) -> None:
    assert list(Content("", (), NEW).read(folder, 2)) == [b"mno"]
