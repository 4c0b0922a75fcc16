"""A network that is far away, or fails now and then: a proxy in front of a server.

What a client sends arrives later, in order and without loss, as over a long line. Of the requests,
every so-many-th can be refused, as a busy server does. What clients send can be recorded.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final

_HOST: Final = "127.0.0.1"
_PIECE: Final = 1 << 16
_METHODS: Final = (b"GET ", b"PUT ", b"POST ", b"HEAD ", b"DELETE ")
_REFUSAL: Final = "HTTP/1.1 {} Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class SlowProxy:
    """A proxy on the loopback interface.

    `requests` counts what came through, and `most_waiting` how many were on their way at once.
    While `is_recording`, `recorded` gets what each connection sends.
    """

    def __init__(self, port: int, seconds: float, refuse_each: int = 0) -> None:
        self.server_port = port
        self.seconds = seconds
        self.endpoint = ""
        self.requests = self.refused = self.most_waiting = 0
        self.refusal_status = 503
        self.is_recording = False
        self.recorded: list[bytearray] = []
        self._waiting = 0
        self._refuse_each = refuse_each
        self._numbers = count(1)
        self._connections: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()

    async def serve(self, started: threading.Event, ended: asyncio.Event) -> None:
        """Serve until the end."""
        server = await asyncio.start_server(self._connect, _HOST, 0)
        self.endpoint = f"http://{_HOST}:{server.sockets[0].getsockname()[1]}"
        started.set()
        await ended.wait()
        server.close()
        for writer in set(self._writers):
            writer.transport.abort()
        await asyncio.gather(*self._connections)

    async def _connect(self, client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        try:
            back, server = await asyncio.open_connection(_HOST, self.server_port)
        except OSError:
            # The server is down, and its clients find a connection that ends.
            answer.close()
            return
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        self._writers |= {answer, server}
        with suppress(OSError):
            await asyncio.gather(self._send(client, server, answer), _copy(back, answer))
        for writer in (answer, server):
            writer.close()
            self._writers.discard(writer)
        self._connections.discard(task)

    async def _send(
        self,
        client: asyncio.StreamReader,
        server: asyncio.StreamWriter,
        answer: asyncio.StreamWriter,
    ) -> None:
        """Pass on what a client sends, each piece after its time on the way."""
        loop = asyncio.get_running_loop()
        sent = bytearray()
        if self.is_recording:
            self.recorded.append(sent)
        while piece := await client.read(_PIECE):
            if self.is_recording:
                sent += piece
            if piece.startswith(_METHODS):
                self.requests += 1
                if self._refuse_each and next(self._numbers) % self._refuse_each == 0:
                    self.refused += 1
                    answer.write(_REFUSAL.format(self.refusal_status).encode())
                    break
                self._waiting += 1
                self.most_waiting = max(self.most_waiting, self._waiting)
                loop.call_later(self.seconds, self._arrive)
            loop.call_later(self.seconds, server.write, piece)
        loop.call_later(self.seconds, server.close)

    def refuse_each(self, number: int) -> None:
        """Refuse every so-many-th request from now on; 0 refuses none."""
        self._refuse_each = number

    def _arrive(self) -> None:
        self._waiting -= 1


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(_PIECE):
        writer.write(piece)
        await writer.drain()
    writer.close()


@contextmanager
def slow_proxy(port: int, seconds: float, refuse_each: int = 0) -> Iterator[SlowProxy]:
    """Put a proxy in front of a server's port, in a thread of its own."""
    proxy = SlowProxy(port, seconds, refuse_each)
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()
    started = threading.Event()
    thread = threading.Thread(
        target=loop.run_until_complete, args=(proxy.serve(started, ended),), daemon=True
    )
    thread.start()
    started.wait()
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()
