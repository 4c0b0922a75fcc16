"""Writing: a file is whole, or it is not there."""

from collections.abc import Iterable
from pathlib import Path

from clew.writing import whole_file


def write_file(path: Path, pieces: Iterable[bytes], below: Path) -> int:
    """Write a file below a folder beside its place, and put it there; give its size."""
    with whole_file(path, below) as stream:
        for piece in pieces:
            stream.write(piece)
        return stream.tell()


def write_text(path: Path, text: str, below: Path) -> int:
    """Write a text so, whatever characters stand in it."""
    return write_file(path, [text.encode("utf-8", "backslashreplace")], below)
