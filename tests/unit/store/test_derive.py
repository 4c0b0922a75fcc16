"""A kept file's bytes: its frames, then what was just read."""

from pathlib import Path

from clew.store.blobs import FolderBlobs
from clew.store.derive import BlobContent
from clew.store.frames import compress

OLD = (b"01234567", b"89abcdef", b"ghij")
NEW = (b"klmno", b"p")


def test_new_bytes_follow_all_frames(tmp_path: Path) -> None:
    folder = FolderBlobs(tmp_path)
    packed = list(compress(OLD, 0, 0))
    folder.append("file.zst", 0, packed)

    content = BlobContent("file.zst", tuple(frame for _, frame in packed), NEW)

    assert tuple(content.read(folder)) == OLD + NEW


def test_new_bytes_alone_need_no_blob(tmp_path: Path) -> None:
    assert tuple(BlobContent("file.zst", (), NEW).read(FolderBlobs(tmp_path))) == NEW
