"""Server: the application on a socket, until told to stop."""

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Final

import uvicorn

from clew.errors import ClewError
from clew.web.app import make_app
from clew.web.connections import make_protocol
from clew.web.guard import Guard
from clew.web.memory import stay_small
from clew.web.settings import Settings

_PORTS_TRIED: Final = 20
_PATIENCE: Final = 3
_TICK: Final = 0.5


class PortTakenError(ClewError):
    """Somebody else listens there, or nobody may."""

    def __init__(self, host: str, port: int, why: str) -> None:
        other = "--host" if why == os.strerror(errno.EADDRNOTAVAIL) else "--port"
        super().__init__(f"cannot listen on {host}:{port}: {why}; give another {other}")


class Server(uvicorn.Server):
    """A server that says when it is ready, and ends its streams before it waits for the rest."""

    def __init__(self, config: uvicorn.Config, guard: Guard, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._guard = guard
        self._on_ready = on_ready

    async def startup(  # type: ignore[explicit-override]  # typing.override comes with 3.12
        self, sockets: list[socket.socket] | None = None
    ) -> None:
        """Start, then tell."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def main_loop(self) -> None:  # type: ignore[explicit-override]
        """Wake up twice a second, not ten times: an idle app shall cost nothing."""
        while not await self.on_tick(0):  # noqa: ASYNC110 (signals set a plain flag)
            await asyncio.sleep(_TICK)

    async def shutdown(  # type: ignore[explicit-override]
        self, sockets: list[socket.socket] | None = None
    ) -> None:
        """Let go of the listeners first: a stream would never end by itself."""
        self._guard.live.end()
        await super().shutdown(sockets)


def open_socket(settings: Settings, *, any_port: bool) -> socket.socket:
    """Take the port, or the first free one after it when any will do.

    Raises:
        PortTakenError: It cannot be had.
    """
    tries = range(settings.port, settings.port + (_PORTS_TRIED if any_port else 1))
    problem: OSError | None = None
    for port in tries:
        try:
            return _bind(settings.host, port)
        except OSError as error:
            problem = error
    why = "" if problem is None else problem.strerror or str(problem)
    raise PortTakenError(settings.host, settings.port, why) from problem


def make_server(settings: Settings, on_ready: Callable[[], None]) -> Server:
    """Give a server that is ready to run; setting its `should_exit` ends it.

    Raises:
        ExposedError: Others could read everything.
    """
    guard = make_app(settings)
    config = uvicorn.Config(
        guard,
        http=make_protocol(settings),
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=_PATIENCE,
        server_header=False,
        ws="none",
    )
    return Server(config, guard, on_ready)


def run(server: Server, listener: socket.socket) -> None:
    """Serve on a socket until the process is told to stop."""
    stay_small()
    with closing(listener):
        server.run(sockets=[listener])


def _bind(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    # The protocol is named, or else answers wait for more to send before they go out.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(512)
    except OSError:
        listener.close()
        raise
    return listener
