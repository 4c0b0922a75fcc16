"""Errors of PostgreSQL → ours, each with what to do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import errors

from clew.errors import ClewError
from clew.store.errors import ArchiveUnavailableError, DamagedRowError, translate_system_errors
from clew.store.postgres.connection import CannotConnectError
from clew.store.postgres_location import PostgresLocation

_START: Final = "start the server, or correct the address of the archive"
# While a connection is made, the server gives its reasons in words only.
_ADVICE: Final = (
    (("pg_hba.conf",), "allow it in pg_hba.conf, or try sslmode=require in the address"),
    (
        ("password", "authentication"),
        "correct user and password: in the address, in PGPASSWORD or in ~/.pgpass",
    ),
    (("SSL", "certificate"), "correct sslmode and sslrootcert in the address"),
    (("permission denied",), "grant CONNECT to the user, or use another one"),
    (
        ("too many", "slots", "starting up", "shutting down", "recovery", "not currently"),
        "try again in a moment",
    ),
    (('role "',), "create the user, or correct it in the address"),
    (('database "',), "create the database, or correct its name in the address"),
    (("invalid ",), "correct it in the address"),
)
_CONNECTING: Final = re.compile(
    r"(?:- host: .*?: (?=connection |failed ))?(?:connection (?:failed|is bad): )?"
    r"(?:connection to server (?:at|on) .*? failed: )?(?:FATAL:\s+)?"
)
_SEVERAL: Final = "Multiple connection attempts failed"
# What ends a connection: the server, or somebody in charge of it, says so.
_ENDED: Final = re.compile(r"57P0[1-5]|25P0[34]|08...").fullmatch


class UnreachableServerError(ArchiveUnavailableError):
    """The database server cannot be reached, or does not let this user in."""

    def __init__(self, location: PostgresLocation, reason: str, advice: str) -> None:
        super().__init__(f"cannot connect to {location.name} ({reason}); {advice}")


class LostConnectionError(ArchiveUnavailableError):
    """The connection ended while it was in use."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"the connection to {location.name} was lost ({reason}); run this again: nothing that "
            "was archived is lost"
        )


class NoPermissionError(ArchiveUnavailableError):
    """The database user may not do what is needed."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"no permission in {location.name} ({reason}); use another user, or grant it to this "
            "one"
        )


class FullServerError(ArchiveUnavailableError):
    """The server has no room left."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"no space left in {location.name} ({reason}); free some and run this again: nothing "
            "that was archived is lost"
        )


class ServerFailedError(ArchiveUnavailableError):
    """The server cannot do something at the moment, or stopped doing it."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"{location.name} failed ({reason}); run this again, or see the log of the server"
        )


class DamagedServerError(ArchiveUnavailableError):
    """The database is damaged."""

    def __init__(self, location: PostgresLocation, reason: str) -> None:
        super().__init__(
            f"the database {location.name} is damaged ({reason}); restore it from a backup, or "
            "copy the archive to a new one"
        )


@contextmanager
def translate_errors(location: PostgresLocation) -> Iterator[None]:
    """Turn errors of PostgreSQL, and of a folder of blobs, into ours."""
    try:
        with translate_system_errors(location.blobs):
            yield
    except (psycopg.Error, DamagedRowError) as error:
        if explained := explain(location, error):
            raise explained from error
        raise


def explain(location: PostgresLocation, error: BaseException | None) -> ClewError | None:
    """Return what an error means for the user; None if it is a fault of our own."""
    reason = _first_line(str(error))
    match error:
        case CannotConnectError():
            return _explain_connecting(location, str(error))
        case errors.InsufficientPrivilege() | errors.ReadOnlySqlTransaction():
            return NoPermissionError(location, reason)
        case errors.DiskFull():
            return FullServerError(location, reason)
        case errors.DataCorrupted() | errors.IndexCorrupted() | DamagedRowError():
            return DamagedServerError(location, reason)
        case psycopg.OperationalError(sqlstate=None):
            return LostConnectionError(location, reason)
        case psycopg.OperationalError(sqlstate=str(state)) if _ENDED(state):
            return LostConnectionError(location, reason)
        case psycopg.OperationalError():
            return ServerFailedError(location, reason)
        case _:
            return None


def _explain_connecting(location: PostgresLocation, text: str) -> UnreachableServerError:
    reason = _connecting_reason(text)
    for words, advice in _ADVICE:
        if any(word in reason for word in words):
            return UnreachableServerError(location, reason, advice)
    return UnreachableServerError(location, reason, _START)


def _connecting_reason(text: str) -> str:
    """Return why the last address of a host failed, or the one where the server answered."""
    tried = [line for line in text.splitlines() if line and not line[0].isspace()]
    tried = [line for line in tried if not line.startswith(_SEVERAL)]
    answered = [line for line in tried if "FATAL" in line]
    reason = (answered or tried or ["no reason given"])[0]
    return _first_line(_CONNECTING.sub("", reason, count=1))


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip(".")
