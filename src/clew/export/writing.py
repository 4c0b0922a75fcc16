"""Writing: a file is whole, or it is not there."""

import secrets
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a file beside its place and put it there; give its size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A file of `tempfile` is for its owner alone; others are to read a site as they read any file.
    beside = path.parent / f".clew-{secrets.token_hex(8)}.part"
    try:
        with beside.open("xb") as stream:
            for piece in pieces:
                stream.write(piece)
            size = stream.tell()
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return size


def write_text(path: Path, text: str) -> int:
    """Write a text so, whatever characters stand in it."""
    return write_whole(path, [text.encode("utf-8", "backslashreplace")])
