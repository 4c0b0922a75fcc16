"""Who may write to an archive: locks that their holder's end releases, however it ends.

In a folder it is one process at a time. In a database server syncs write beside each other, and
keep out of the way of a process that has to be alone.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from clew.errors import ClewError
from clew.store.protocols import Database

_FAR: Final = 1 << 30


class ArchiveBusyError(ClewError):
    """Another process writes to the archive."""

    def __init__(self, holder: str) -> None:
        who = f"process {holder}" if holder else "another process"
        super().__init__(f"the archive is in use by {who}; run this again when it has finished")


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the archive's writer lock; raise `ArchiveBusyError` when another process has it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _lock(descriptor):
            raise ArchiveBusyError(os.read(descriptor, 32).decode("ascii", "replace").strip())
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


def enter(database: Database, *, is_alone: bool = False) -> None:
    """Write beside other processes, or alone, until the database is closed.

    Raises:
        ArchiveBusyError: Another process has to be alone, or others write.
    """
    name = "enter_alone" if is_alone else "enter_with_others"
    if not next(database.rows(name))[0]:
        raise ArchiveBusyError("")


def _lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 (there is none elsewhere)

        # What is locked there cannot be read either, and others read who holds the lock.
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl  # noqa: PLC0415 (there is none on Windows)

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
