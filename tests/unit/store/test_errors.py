"""What the system and SQLite say, told in one sentence."""

import errno
import os
from pathlib import Path

import apsw
import pytest

from clew.errors import ClewError
from clew.store import (
    ArchiveBusyError,
    DamagedDatabaseError,
    DiskFullError,
    Home,
    NotWritableError,
    translate_errors,
)

HOME = Home(Path("/data/clew"))


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (apsw.FullError("database or disk is full"), DiskFullError),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), DiskFullError),
        (OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), DiskFullError),
        (PermissionError(errno.EACCES, os.strerror(errno.EACCES)), NotWritableError),
        (OSError(errno.EROFS, os.strerror(errno.EROFS)), NotWritableError),
        (apsw.ReadOnlyError("attempt to write a readonly database"), NotWritableError),
        (apsw.CantOpenError("unable to open database file"), NotWritableError),
        (apsw.IOError("disk I/O error"), NotWritableError),
        (apsw.BusyError("database is locked"), ArchiveBusyError),
        (apsw.CorruptError("database disk image is malformed"), DamagedDatabaseError),
        (apsw.NotADBError("file is not a database"), DamagedDatabaseError),
    ],
)
def test_each_kind_of_failure_says_what_to_do(raised: Exception, told: type[ClewError]) -> None:
    with pytest.raises(told, match=";") as caught, translate_errors(HOME):
        raise raised

    assert (caught.value.exit_code, "\n" in str(caught.value)) == (1, False)


def test_a_refusal_carries_the_system_s_own_words() -> None:
    with pytest.raises(NotWritableError, match="Read-only file system"), translate_errors(HOME):
        raise OSError(errno.EROFS, "Read-only file system")


def test_what_is_not_about_the_archive_goes_on_as_it_is() -> None:
    with pytest.raises(FileNotFoundError), translate_errors(HOME):
        raise FileNotFoundError(errno.ENOENT, "gone", "a.jsonl")
