"""The team server on a socket."""

import socket
from collections.abc import Callable
from contextlib import closing
from typing import Final

import uvicorn

from clew.collector import collect_rarely
from clew.server.app import make_team_app
from clew.server.settings import TeamSettings
from clew.store import translate_errors
from clew.store.postgres.team import prepare_team
from clew.web.connections import TEAM_CONNECTIONS, allow_connections, make_protocol
from clew.web.memory import limit_server_memory

_SHUTDOWN_SECONDS: Final = 10


class TeamServer(uvicorn.Server):
    """A server with callbacks when it is ready and stops; its `should_exit` stops it."""

    def __init__(
        self, config: uvicorn.Config, on_ready: Callable[[], None], on_stop: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._on_stop = on_stop

    async def startup(  # type: ignore[explicit-override]  # typing.override comes with 3.12
        self, sockets: list[socket.socket] | None = None
    ) -> None:
        """Start, then call back."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def shutdown(  # type: ignore[explicit-override]
        self, sockets: list[socket.socket] | None = None
    ) -> None:
        """Call back, then stop: open streams would never end by themselves."""
        self._on_stop()
        await super().shutdown(sockets)


def make_team_server(settings: TeamSettings, on_ready: Callable[[], None]) -> TeamServer:
    """Bring the tables up to date, one process at a time, and make a server.

    Raises:
        ArchiveUnavailableError: The database cannot be reached.
        NewerArchiveError: The tables are those of a later version.
    """
    with translate_errors(settings.location):
        prepare_team(settings.location)
    guard = make_team_app(settings)
    allow_connections(TEAM_CONNECTIONS)
    config = uvicorn.Config(
        guard,
        http=make_protocol(settings.request_seconds, TEAM_CONNECTIONS),
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        # The guard alone decides whether a proxy is trusted.
        proxy_headers=False,
        server_header=False,
        access_log=False,
        ws="none",
    )
    return TeamServer(config, on_ready, guard.end_streams)


def run_team_server(server: TeamServer, listener: socket.socket) -> None:
    """Serve on a socket until the process is stopped."""
    limit_server_memory()
    collect_rarely()
    with closing(listener):
        server.run(sockets=[listener])
