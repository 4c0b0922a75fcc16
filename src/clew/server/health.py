"""Whether the server runs, and whether it can answer requests; open to everybody."""

import os
import threading
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Request, get

from clew.errors import ClewError
from clew.store import ArchiveUnavailableError, translate_errors
from clew.store.objects import open_objects
from clew.store.postgres.connection import require_current
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation

READY: Final = "ready"
_SECONDS: Final = 2.0


class ServerHealth(msgspec.Struct, frozen=True):
    """Whether the server runs, or what it waits for."""

    status: str
    version: str


class NotReadyError(ArchiveUnavailableError):
    """The server cannot answer requests now."""


class Readiness:
    """Whether database and objects can be used; looked at once in a while, whoever asks."""

    def __init__(self, location: PostgresLocation) -> None:
        self._location = location
        self._lock = threading.Lock()
        self._status = ""
        self._until = 0.0

    def status(self) -> str:
        """Return `ready`, or what is missing; addresses and reasons are in nobody's answer."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._status = self._look()
                self._until = time.monotonic() + _SECONDS
            return self._status

    def _look(self) -> str:
        try:
            with translate_errors(self._location), open_team(self._location) as team:
                require_current(team.connection)
        except ClewError:
            return "the database cannot be used"
        return "the objects cannot be used" if objects_problem(self._location) else READY


def objects_problem(location: PostgresLocation) -> str:
    """Return why the objects cannot be used, for administrators; an empty text if they can."""
    try:
        with translate_errors(location):
            _look_into(location.blobs)
    except ClewError as error:
        return str(error)
    except OSError:
        return f"{location.blobs} cannot be written to; check its permissions, or set CLEW_BLOBS"
    return ""


@get("/health", sync_to_thread=False, tags=["health"], operation_id="server_health")
def server_health() -> ServerHealth:
    """Get whether the server runs."""
    return ServerHealth("ok", version("clew"))


@get("/ready", sync_to_thread=True, tags=["health"], operation_id="server_ready")
def server_ready(request: Request[Any, Any, Any]) -> ServerHealth:
    """Get whether the server can answer requests: 503 without its database or its objects."""
    readiness: Readiness = request.app.state.readiness
    status = readiness.status()
    if status != READY:
        raise NotReadyError(status)
    return ServerHealth(status, version("clew"))


def _look_into(blobs: str) -> None:
    """List an object of a bucket, or make sure that a folder can be written to."""
    if "://" in blobs:
        next(iter(open_objects(blobs).keys("ready/")), None)
        return
    folder = Path(blobs)
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.R_OK | os.W_OK | os.X_OK):
        raise PermissionError(blobs)


HANDLERS = [server_health, server_ready]
