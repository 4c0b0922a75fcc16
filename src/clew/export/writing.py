"""Write files atomically below a folder."""

from collections.abc import Iterable
from pathlib import Path

from clew.writing import whole_file


def write_file(path: Path, pieces: Iterable[bytes], below: Path) -> int:
    """Write a temporary file and move it into place, below a folder; return its size."""
    with whole_file(path, below) as stream:
        for piece in pieces:
            stream.write(piece)
        return stream.tell()


def write_text(path: Path, text: str, below: Path) -> int:
    """Write a text file, whatever characters it contains."""
    return write_file(path, [text.encode("utf-8", "backslashreplace")], below)
