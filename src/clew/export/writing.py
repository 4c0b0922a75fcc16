"""Write files atomically below a folder."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from clew.writing import whole_file


def write_file(path: Path, pieces: Iterable[bytes], below: Path) -> int:
    """Write a temporary file and move it into place, below a folder; return its size."""
    with whole_file(path, below) as stream:
        for piece in pieces:
            stream.write(piece)
        return stream.tell()


def write_changed(path: Path, data: bytes, below: Path) -> bool:
    """Write a file unless it has this content already; return whether it was written."""
    with suppress(OSError):
        if not path.is_symlink() and path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    write_file(path, [data], below)
    return True


def write_text(path: Path, text: str, below: Path) -> bool:
    """Write a text file, whatever characters it contains, unless it is the same already."""
    return write_changed(path, text.encode("utf-8", "backslashreplace"), below)
