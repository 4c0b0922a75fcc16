"""Connections: timeouts and a limit, so that slow clients cannot exhaust the server.

A client that sends half a request, or a body byte by byte, uses a connection and a file descriptor.
So a request must be complete in time, and when there are too many connections, the one that has
waited longest for its request is closed.
"""

import asyncio
import sys
from typing import Any, Final, Literal, TypeAlias

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

if sys.platform != "win32":
    import resource

_MAX_CONNECTIONS: Final = 400
TEAM_CONNECTIONS: Final = 4_000
"""A team's laptops have several connections each."""
_TIMED_OUT: Final = (
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
)

Awaited: TypeAlias = Literal["", "head", "body"]


def make_protocol(seconds: float, most: int = _MAX_CONNECTIONS) -> type["TimedProtocol"]:
    """Make the protocol class of one server, whose connections share one list."""
    return type(
        "Protocol",
        (TimedProtocol,),
        {"seconds": seconds, "most": most_connections(most), "waiting": {}},
    )


def most_connections(most: int = _MAX_CONNECTIONS) -> int:
    """Return the maximum number of connections: at most half of the files we may open."""
    if sys.platform == "win32":
        return most
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return most if allowed == resource.RLIM_INFINITY else max(1, min(most, allowed // 2))


def allow_connections(most: int) -> None:
    """Let this process open as many files as so many connections need, if the system allows it."""
    if sys.platform != "win32":
        allowed, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 2 * most if limit == resource.RLIM_INFINITY else min(2 * most, limit)
        if allowed != resource.RLIM_INFINITY and allowed < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, limit))


class TimedProtocol(H11Protocol):
    """HTTP on one connection, with a timeout for the head and the body of a request."""

    seconds: float
    most: int
    # Connections that wait for the head of a request, the oldest first.
    waiting: "dict[TimedProtocol, None]"

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._awaited: Awaited = ""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(  # type: ignore[explicit-override, override]
        self, transport: asyncio.Transport
    ) -> None:
        """Accept a connection; close the oldest idle one if there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            oldest = next(iter(self.waiting), self)
            # Without a word: a client that has just sent a request would take it for the response.
            oldest.transport.close()
        self._await("head")

    def connection_lost(self, exc: Exception | None) -> None:  # type: ignore[explicit-override]
        """Forget a connection."""
        self._await("")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:  # type: ignore[explicit-override]
        """Receive data; more of the same part does not extend its timeout."""
        super().data_received(data)
        cycle = self._current
        if cycle is None or cycle.response_complete:
            self._await("head")
        else:
            self._await("body" if cycle.more_body else "")

    def give_up(self) -> None:
        """Close a connection that has not sent its request in time."""
        if self._awaited == "body" and self.flow.read_paused:
            # The rest of the body waits for us to read it: that is not the client's fault.
            self._timer = self.loop.call_later(self.seconds, self.give_up)
            return
        self._await("")
        cycle = self._current
        is_idle = cycle is None or cycle.response_complete or not cycle.response_started
        if is_idle and not self.transport.is_closing():
            self.transport.write(_TIMED_OUT)
        self.transport.close()

    @property
    def _current(self) -> RequestResponseCycle | None:
        """The request that was read last; the server's own types do not say that there is none."""
        return self.cycle

    def _await(self, part: Awaited) -> None:
        if part == self._awaited or (part and self.transport.is_closing()):
            return
        self._awaited = part
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(self.seconds, self.give_up) if part else None
        if part == "head":
            self.waiting[self] = None
        else:
            self.waiting.pop(self, None)
