"""A kept file's bytes: its frames, then what was just read."""

from pathlib import Path

import pytest

from clew.store import frames
from clew.store.blobs import FolderBlobs
from clew.store.content import Content
from clew.store.frames import compress

OLD = b"0123456789abcdefghij"
NEW = b"klmno"


def test_new_bytes_follow_all_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = FolderBlobs(tmp_path)
    monkeypatch.setattr(frames, "FRAME_BYTES", 8)
    packed = list(compress(OLD, 0, 0))
    folder.append("file.zst", 0, (piece for piece, _ in packed))

    content = Content("file.zst", tuple(frame for _, frame in packed), NEW)

    assert len(packed) == 3
    assert b"".join(content.read(folder)) == OLD + NEW


def test_new_bytes_alone_need_no_blob(tmp_path: Path) -> None:
    assert list(Content("", (), NEW).read(FolderBlobs(tmp_path))) == [NEW]
