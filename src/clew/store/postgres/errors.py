"""Errors of PostgreSQL → ours, each with what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import errors

from clew.errors import ClewError
from clew.store.errors import DamagedRowError
from clew.store.postgres.connection import CannotConnectError
from clew.store.postgres_location import PostgresLocation

_ADDRESS: Final = "the address in --archive or CLEW_ARCHIVE"
# The server says these in words only, since the connection fails before it can give a number.
_REFUSALS: Final = (
    (
        ("password", "authentication", "pg_hba.conf", "no encryption"),
        f"set the right user and password in {_ADDRESS}, or in PGPASSWORD",
    ),
    (("role",), f"correct the user in {_ADDRESS}"),
    (("database",), f"create the database, or correct {_ADDRESS}"),
)


class UnreachableServerError(ClewError):
    """The database server cannot be reached, or does not answer."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"cannot connect to {location.name} ({reason}); start the server, or correct {_ADDRESS}"
        )


class RefusedConnectionError(ClewError):
    """The server answers, and does not let this user in."""

    def __init__(self, location: PostgresLocation, reason: str, advice: str) -> None:
        super().__init__(f"{location.name} refused the connection ({reason}); {advice}")


class LostConnectionError(ClewError):
    """The connection ended while it was in use."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"the connection to {location.name} was lost ({reason}); run this again: nothing that "
            "was archived is lost"
        )


class NoPermissionError(ClewError):
    """The database user may not do what is needed."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"no permission in {location.name} ({reason}); connect as a user who may, or ask the "
            "administrator of the database"
        )


class FullServerError(ClewError):
    """The server has no room left."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"no space left for the archive in {location.name} ({reason}); free some and run this "
            "again: nothing that was archived is lost"
        )


class DamagedServerError(ClewError):
    """The database is damaged."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"the database {location.name} is damaged ({reason}); restore it from a backup"
        )


@contextmanager
def translate_errors(location: PostgresLocation) -> Iterator[None]:
    """Turn errors of PostgreSQL into ours."""
    try:
        yield
    except (psycopg.Error, DamagedRowError) as error:
        if explained := explain(location, error):
            raise explained from error
        raise


def explain(location: PostgresLocation, error: BaseException) -> ClewError | None:
    """Return what an error means for the user; None if it is a fault of our own."""
    reason = _reason(error)
    match error:
        case errors.InsufficientPrivilege() | errors.ReadOnlySqlTransaction():
            return NoPermissionError(location, reason)
        case errors.DiskFull() | errors.OutOfMemory():
            return FullServerError(location, reason)
        case errors.DataCorrupted() | errors.IndexCorrupted() | DamagedRowError():
            return DamagedServerError(location, reason)
        case CannotConnectError():
            return _explain_connecting(location, reason)
        case psycopg.OperationalError():
            return LostConnectionError(location, reason)
        case _:
            return None


def _explain_connecting(location: PostgresLocation, reason: str) -> ClewError:
    if "FATAL" in reason:
        said = reason.partition("FATAL:")[2].strip()
        for words, advice in _REFUSALS:
            if any(word in said for word in words):
                return RefusedConnectionError(location, said, advice)
    return UnreachableServerError(location, reason)


def _reason(error: BaseException) -> str:
    """Return the first line of what the server says."""
    return str(error).strip().partition("\n")[0].rstrip(".")
