"""What may go wrong while the archive is written or opened, told in one sentence each."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from clew.errors import ClewError
from clew.store.home import Home
from clew.store.lock import ArchiveBusyError

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_RIGHT: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


class DamagedRowError(Exception):
    """A row does not have the values that were written."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"a row cannot be read: {reason}")


DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError, DamagedRowError)
"""Raised while reading a database that is damaged."""


class DiskFullError(ClewError):
    """There is no room for the archive."""

    def __init__(self, home: Home) -> None:
        super().__init__(
            f"no room is left for the archive in {home.folder}; make some and run it again: "
            "what was kept is safe"
        )


class NotWritableError(ClewError):
    """The archive's folder does not take anything."""

    def __init__(self, home: Home, reason: str) -> None:
        super().__init__(
            f"the archive in {home.folder} cannot be written ({reason}); make it writable, or "
            "set CLEW_HOME to another folder"
        )


class DamagedDatabaseError(ClewError):
    """The rows cannot be read any more."""

    def __init__(self, home: Home, reason: str) -> None:
        super().__init__(
            f"the database {home.database} is damaged ({reason}); put it back from a backup, or "
            "move it away and run `clew sync`, which makes it again from the kept files"
        )


class OlderArchiveError(ClewError):
    """The archive's tables are those of an earlier version of clew."""

    def __init__(self) -> None:
        super().__init__(
            "the archive was written by an earlier version of clew; `clew sync` brings it up to "
            "date"
        )


@contextmanager
def translate_errors(home: Home) -> Iterator[None]:
    """Turn what the system and SQLite say into errors that tell what to do."""
    try:
        yield
    except apsw.FullError as error:
        raise DiskFullError(home) from error
    except apsw.BusyError as error:
        raise ArchiveBusyError("") from error
    except DAMAGE as error:
        raise DamagedDatabaseError(home, str(error)) from error
    except (apsw.CantOpenError, apsw.IOError, apsw.PermissionsError, apsw.ReadOnlyError) as error:
        raise NotWritableError(home, str(error)) from error
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFullError(home) from error
        if error.errno in _NO_RIGHT:
            raise NotWritableError(home, error.strerror or "refused") from error
        raise
