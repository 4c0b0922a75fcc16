"""Errors while an archive is opened or written, each with what to do."""

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


class ArchiveUnavailableError(ClewError):
    """The archive, or a part of it, cannot be reached or written at the moment."""


class DiskFullError(ArchiveUnavailableError):
    """No space is left on the archive's disk."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"no space left for the archive in {place}; free some and run this again: "
            "nothing that was archived is lost"
        )


class NotWritableError(ArchiveUnavailableError):
    """The archive's folder is not writable."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(
            f"the archive in {place} cannot be written ({reason}); make it writable, or "
            "choose another with --archive or CLEW_ARCHIVE"
        )


class DamagedDatabaseError(ClewError):
    """The database is damaged."""

    def __init__(self, home: Home, reason: str) -> None:
        super().__init__(
            f"the database {home.database} is damaged ({reason}); restore it from a backup, or "
            "move it away and run `clew sync`, which rebuilds it from the archived files"
        )


class WriteConflictError(ClewError):
    """A transaction got into the way of another, and was undone."""

    def __init__(self) -> None:
        super().__init__(
            "another process changed the same rows at the same time; run this again: nothing that "
            "was archived is lost"
        )


class NewerArchiveError(ClewError):
    """The archive was written by a newer version of clew."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"the archive has format {found}, but this version of clew supports up to {known}; "
            "upgrade clew"
        )


class OlderArchiveError(ClewError):
    """The archive was written by an earlier version of clew."""

    def __init__(self) -> None:
        super().__init__(
            "the archive was written by an earlier version of clew; run `clew sync` to upgrade it"
        )


@contextmanager
def translate_errors(home: Home) -> Iterator[None]:
    """Turn errors of the system and of SQLite into ours, which say what to do."""
    try:
        with translate_system_errors(home.name):
            yield
    except apsw.FullError as error:
        raise DiskFullError(home.name) from error
    except apsw.BusyError as error:
        raise ArchiveBusyError("") from error
    except DAMAGE as error:
        raise DamagedDatabaseError(home, str(error)) from error
    except (apsw.CantOpenError, apsw.IOError, apsw.PermissionsError, apsw.ReadOnlyError) as error:
        raise NotWritableError(home.name, str(error)) from error


@contextmanager
def translate_system_errors(place: str) -> Iterator[None]:
    """Turn errors while a folder is written into ours."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFullError(place) from error
        if error.errno in _NO_RIGHT:
            raise NotWritableError(place, error.strerror or "refused") from error
        raise
