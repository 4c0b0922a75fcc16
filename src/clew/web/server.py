"""The server: the application on a socket."""

import asyncio
import socket
import subprocess
from collections.abc import Callable
from contextlib import closing
from typing import Final

import uvicorn

from clew.web.app import make_app
from clew.web.connections import make_protocol
from clew.web.guard import Guard
from clew.web.memory import limit_server_memory
from clew.web.settings import Settings

_SHUTDOWN_SECONDS: Final = 3
_TICK: Final = 0.5


class Server(uvicorn.Server):
    """A server with a callback when it is ready, which closes its streams when it shuts down."""

    def __init__(self, config: uvicorn.Config, guard: Guard, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._guard = guard
        self._on_ready = on_ready

    async def startup(  # type: ignore[explicit-override]  # typing.override comes with 3.12
        self, sockets: list[socket.socket] | None = None
    ) -> None:
        """Start, then call back."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def main_loop(self) -> None:  # type: ignore[explicit-override]
        """Wake up twice a second instead of ten times, to use less power when idle."""
        while not await self.on_tick(0):  # noqa: ASYNC110 (signals set a plain flag)
            await asyncio.sleep(_TICK)

    async def shutdown(  # type: ignore[explicit-override]
        self, sockets: list[socket.socket] | None = None
    ) -> None:
        """Close the event streams first: they would never end by themselves."""
        self._guard.live.end()
        await super().shutdown(sockets)


def make_server(
    settings: Settings,
    on_ready: Callable[[], None],
    follower: subprocess.Popen[bytes] | None = None,
) -> Server:
    """Make a server; setting its `should_exit` stops it. It stops the `follower`, too.

    Raises:
        ExposedError: Other machines could read everything without a token.
    """
    guard = make_app(settings, follower)
    config = uvicorn.Config(
        guard,
        http=make_protocol(settings.request_seconds),
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        server_header=False,
        ws="none",
    )
    return Server(config, guard, on_ready)


def run(server: Server, listener: socket.socket) -> None:
    """Serve on a socket until the process is stopped."""
    limit_server_memory()
    with closing(listener):
        server.run(sockets=[listener])
