"""One call over HTTP: ended when it takes too long, or sends too much.

Time-outs of a client count silence only, so a server that sends a byte now and then would never
reach them; and a client reads whatever is sent, all of it, and unpacks it.
"""

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx2
from typing_extensions import override

_OPENED: Final = ("connect_tcp.complete", "start_tls.complete")
_log: Final = logging.getLogger(__name__)


class CallGuard:
    """Limits the calls of one HTTP client, one after the other, by its hooks."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._connections: list[Any] = []
        self._received = 0
        self._late = threading.Event()
        self.is_too_large = False
        """Whether a call was ended because it sent too much."""

    @property
    def is_late(self) -> bool:
        """Whether a call was ended because it took too long."""
        return self._late.is_set()

    @property
    def hooks(self) -> dict[str, list[Callable[..., None]]]:
        """What the client is to call with each request and response."""
        return {"request": [self._watch_request], "response": [self._watch_response]}

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Count what arrives from zero, and end what is not finished in time."""
        self._received = 0
        timer = threading.Timer(seconds, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _watch_request(self, request: httpx2.Request) -> None:
        # What is compressed may have any size.
        request.headers["accept-encoding"] = "identity"
        request.extensions = {**request.extensions, "trace": self._notice}

    def _watch_response(self, response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _CountedStream(response.stream, self._count)
        # A server that compresses all the same is not understood, rather than unpacked.
        response.headers.pop("content-encoding", None)

    def _notice(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith(_OPENED):
            self._connections.append(info["return_value"])
            if self.is_late:
                self._end()

    def _count(self, size: int) -> None:
        self._received += size
        if self._received > self._most_bytes:
            self.is_too_large = True
            raise _TooLargeError

    def _end(self) -> None:
        """Shut the connections down, so that whoever waits for more goes on."""
        self._late.set()
        for stream in tuple(self._connections):
            try:
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
            except OSError as error:
                _log.debug("the connection is closed already: %s", error)


class _TooLargeError(Exception):
    """More was sent than a guard lets through."""


class _CountedStream(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, count: Callable[[int], None]) -> None:
        self._stream = stream
        self._count = count

    @override
    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            self._count(len(chunk))
            yield chunk

    @override
    def close(self) -> None:
        self._stream.close()
