"""Open regular files, and nothing else."""

import errno
import io
import os
import stat
import sys
from pathlib import Path

# A FIFO without a writer blocks while it is being opened, before its kind can be checked.
if sys.platform == "win32":
    _FLAGS = os.O_RDONLY | os.O_BINARY
else:
    _FLAGS = os.O_RDONLY | os.O_NONBLOCK


def open_regular(path: Path) -> io.FileIO:
    """Open a regular file for reading, without a buffer.

    Raises:
        FileNotFoundError: Nothing exists at `path`.
        IsADirectoryError: A folder is there.
        OSError: Something else than a file is there (a FIFO, a socket, a device), or the
            system refuses to open it.
    """
    # Checked first, because opening and closing a FIFO kills the process that writes to it.
    _require_regular(path.stat().st_mode, path)
    stream = io.FileIO(path, "rb", opener=_open)
    try:
        # Checked again, because the path may lead elsewhere by the time it is opened.
        _require_regular(os.fstat(stream.fileno()).st_mode, path)
    except OSError:
        stream.close()
        raise
    return stream


def _open(path: str, _flags: int) -> int:
    return os.open(path, _FLAGS)


def _require_regular(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
