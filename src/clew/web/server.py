"""The server: the application on a socket."""

import asyncio
import errno
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Final

import uvicorn

from clew.errors import ClewError
from clew.web.app import make_app
from clew.web.connections import make_protocol
from clew.web.guard import Guard
from clew.web.memory import limit_server_memory
from clew.web.settings import Settings

_PORTS_TRIED: Final = 20
_SHUTDOWN_SECONDS: Final = 3
_TICK: Final = 0.5


class PortTakenError(ClewError):
    """The port is in use, we may not bind to it, or the host is not this machine."""

    def __init__(self, host: str, port: int, why: OSError | None) -> None:
        is_host = isinstance(why, socket.gaierror) or (why and why.errno == errno.EADDRNOTAVAIL)
        other = "--host" if is_host else "--port"
        reason = "" if why is None else why.strerror or str(why)
        super().__init__(f"cannot bind to {host}:{port}: {reason}; choose another {other}")


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


def open_socket(settings: Settings, *, any_port: bool) -> socket.socket:
    """Bind to the port, or with `any_port` to the first free one after it.

    Raises:
        PortTakenError: No port could be bound.
    """
    tries = range(settings.port, settings.port + (_PORTS_TRIED if any_port else 1))
    problem: OSError | None = None
    for port in tries:
        try:
            return _bind(settings.host, port)
        except OSError as error:
            problem = error
    raise PortTakenError(settings.host, settings.port, problem) from problem


def make_server(settings: Settings, on_ready: Callable[[], None]) -> Server:
    """Make a server; setting its `should_exit` stops it.

    Raises:
        ExposedError: Other machines could read everything without a token.
    """
    guard = make_app(settings)
    config = uvicorn.Config(
        guard,
        http=make_protocol(settings),
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


def _bind(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    # Without the protocol's number, asyncio does not set TCP_NODELAY.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(512)
    except OSError:
        listener.close()
        raise
    return listener
