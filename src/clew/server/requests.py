"""What handlers of the team server know of a request."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from litestar.connection import ASGIConnection

from clew.errors import ClewError
from clew.server.principal import Principal
from clew.server.settings import TeamSettings
from clew.store import translate_errors
from clew.store.postgres.team import TeamDatabase, open_team


class NotAllowedError(ClewError):
    """Whoever makes a request is known, but may not make it."""


def principal_of(request: ASGIConnection[Any, Any, Any, Any]) -> Principal:
    """Return who makes a request to a path that is not open."""
    found = visitor_of(request)
    if found is None:
        raise RuntimeError("the guard let a request in without knowing whose it is")
    return found


def browser_of(request: ASGIConnection[Any, Any, Any, Any]) -> Principal:
    """Return who makes a request with a browser: a device's token alone changes no account.

    Raises:
        NotAllowedError: It comes from a device.
    """
    found = principal_of(request)
    if found.device_id is not None:
        raise NotAllowedError("open this page in a browser")
    return found


def visitor_of(request: ASGIConnection[Any, Any, Any, Any]) -> Principal | None:
    """Return who makes a request, if they are logged in."""
    found: Principal | None = request.scope["state"]["principal"]
    return found


def address_of(request: ASGIConnection[Any, Any, Any, Any]) -> str:
    """Return where a request comes from."""
    address: str = request.scope["state"]["address"]
    return address


def team_settings_of(request: ASGIConnection[Any, Any, Any, Any]) -> TeamSettings:
    """Return the settings of the server."""
    settings: TeamSettings = request.app.state.team_settings
    return settings


@contextmanager
def team_of(request: ASGIConnection[Any, Any, Any, Any]) -> Iterator[TeamDatabase]:
    """Take a connection to the team's tables for a part of a request.

    Raises:
        ArchiveUnavailableError: The database cannot be reached.
    """
    location = team_settings_of(request).location
    with translate_errors(location), open_team(location) as team:
        yield team
