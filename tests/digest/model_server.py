"""A server on loopback that answers like Anthropic's API, as a test tells it to."""

import json
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NoReturn, TypeAlias

from typing_extensions import override

_PIECE: Final = 40
_FLOOD: Final = b"x" * (1 << 16)

Answer: TypeAlias = Callable[["Connection"], None]
"""What a server does with one request."""


class Connection:
    """One request, and the means to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.handler = handler
        self.body = body

    def begin(self, status: int, kind: str, **headers: str) -> None:
        """Send the head of an answer; its end is the end of the connection."""
        self.handler.send_response(status)
        self.handler.send_header("content-type", kind)
        self.handler.send_header("connection", "close")
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()

    def send(self, data: bytes) -> None:
        """Send some bytes at once."""
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def event(self, kind: str, **fields: object) -> None:
        """Send one event of a stream."""
        self.send(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())

    def drop(self) -> None:
        """Break the connection off, so that the client notices."""
        linger = struct.pack("ii", 1, 0)
        self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.handler.connection.close()


class ModelServer:
    """A scripted server: answers are used up in order, the last one again and again."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.ended = threading.Event()
        self.url = ""

    def take(self, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """Note a request, and return what to do with it."""
        self.requests.append(body)
        self.headers.append(headers)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def serve_model(*answers: Answer) -> Iterator[ModelServer]:
    """Run a server until the end of the block."""
    script = ModelServer(*answers)

    class Handler(BaseHTTPRequestHandler):
        @override
        def log_message(self, format: str, *args: object) -> None:
            """Be quiet."""

        def do_POST(self) -> None:
            size = int(self.headers["content-length"])
            body = json.loads(self.rfile.read(size))
            answer = script.take({k.lower(): v for k, v in self.headers.items()}, body)
            with suppress(OSError, ValueError):
                answer(Connection(self, body))
            self.close_connection = True

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        script.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield script
        finally:
            script.ended.set()
            server.shutdown()
            thread.join()


def say(
    text: str, *, stop: str = "end_turn", input_tokens: int = 1000, output_tokens: int = 200
) -> Answer:
    """Stream a text in small pieces."""

    def answer(to: Connection) -> None:
        begin_message(to, {"input_tokens": input_tokens, "output_tokens": 1})
        for start in range(0, len(text), _PIECE):
            send_text(to, text[start : start + _PIECE])
        end_message(to, stop, output_tokens)

    return answer


def refuse(status: int, kind: str, message: str = "no", **headers: str) -> Answer:
    """Answer with an error."""

    def answer(to: Connection) -> None:
        to.begin(status, "application/json", **headers)
        error = {"type": "error", "error": {"type": kind, "message": message}}
        to.send(json.dumps(error).encode())

    return answer


def fail_midway(kind: str) -> Answer:
    """Begin an answer, and report an error in the middle of it."""

    def answer(to: Connection) -> None:
        begin_message(to)
        send_text(to, '{"title": "a')
        to.event("error", error={"type": kind, "message": "no"})

    return answer


def drop_midway(to: Connection) -> None:
    """Begin an answer and break the connection off."""
    begin_message(to)
    send_text(to, '{"title": "a')
    to.drop()


def end_midway(to: Connection) -> None:
    """Begin an answer and close the connection as if all had been said."""
    begin_message(to)
    send_text(to, '{"title": "a')


def drip(to: Connection) -> None:
    """Send a sign of life now and then, and never an answer."""
    begin_message(to)
    drip_pings(to)


def drip_head(to: Connection) -> None:
    """Begin the head of an answer, and add to it for ever."""
    to.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-padding: ")
    _repeat(lambda: to.send(b"x"), pause=0.02)


def drip_refusal(to: Connection) -> None:
    """Refuse a request, for a reason that never ends."""
    to.begin(400, "application/json")
    _repeat(lambda: to.send(b" "), pause=0.02)


def flood(kind: str) -> Answer:
    """Send something without end, as fast as it is read."""

    def answer(to: Connection) -> None:
        if kind == "refusal":
            to.begin(400, "application/json")
            _repeat(lambda: to.send(_FLOOD))
        begin_message(to)
        match kind:
            case "text":
                _repeat(lambda: send_text(to, "x" * 1000))
            case "thinking":
                delta = {"type": "thinking_delta", "thinking": "hm " * 300}
                _repeat(lambda: to.event("content_block_delta", index=0, delta=delta))
            case "pings":
                _repeat(lambda: to.event("ping"))
            case "one event":
                to.send(b'event: content_block_delta\ndata: {"type": "')
                _repeat(lambda: to.send(_FLOOD))
            case _:
                raise ValueError(kind)

    return answer


def go_on_after(*, is_over: bool) -> Answer:
    """Send a whole answer, with or without the sign of its end, and pings for ever."""

    def answer(to: Connection) -> None:
        begin_message(to)
        send_text(to, "{}")
        if is_over:
            end_message(to, "end_turn", 200)
        else:
            delta = {"stop_reason": "end_turn", "stop_sequence": None}
            to.event("message_delta", delta=delta, usage={"output_tokens": 200})
        _repeat(lambda: to.event("ping"))

    return answer


def send_bomb(to: Connection) -> None:
    """Send a few bytes that a client unpacks to very many, though it has not asked for that."""
    to.begin(200, "text/event-stream", content_encoding="gzip")
    packer = zlib.compressobj(wbits=31)
    for _ in range(64):
        to.send(packer.compress(b":" * (1 << 20)))
    to.send(packer.flush())


def drip_pings(to: Connection) -> None:
    """Send a sign of life now and then."""
    _repeat(lambda: to.event("ping"), pause=0.02)


def _repeat(act: Callable[[], None], pause: float = 0) -> NoReturn:
    """Do something until the client has gone."""
    while True:
        act()
        time.sleep(pause)


def send_garbage(to: Connection) -> None:
    """Send what is no stream of events."""
    to.begin(200, "text/event-stream")
    to.send(b"event: message_start\ndata: {]\n\nevent: \xff\xfe\ndata: <html>\n\n")


def send_page(to: Connection) -> None:
    """Send a page, as the login of a network does."""
    to.begin(200, "text/html")
    to.send(b"<html><body>Please log in</body></html>")


def begin_message(to: Connection, usage: dict[str, object] | None = None) -> None:
    """Send all that comes before a text."""
    to.begin(200, "text/event-stream")
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": to.body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 1} if usage is None else usage,
    }
    to.event("message_start", message=message)
    to.event("content_block_start", index=0, content_block={"type": "text", "text": ""})


def send_text(to: Connection, text: str) -> None:
    """Send a piece of a text."""
    to.event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})


def end_message(to: Connection, stop: str, output_tokens: int) -> None:
    """Send all that comes behind a text."""
    to.event("content_block_stop", index=0)
    delta = {"stop_reason": stop, "stop_sequence": None}
    to.event("message_delta", delta=delta, usage={"output_tokens": output_tokens})
    to.event("message_stop")
