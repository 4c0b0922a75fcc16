"""Writing: a file is whole, or it is not there."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a file beside its place and put it there; give its size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".clew-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            for piece in pieces:
                stream.write(piece)
            size = stream.tell()
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return size


def write_text(path: Path, text: str) -> int:
    """Write a text so, whatever characters stand in it."""
    return write_whole(path, [text.encode("utf-8", "backslashreplace")])
