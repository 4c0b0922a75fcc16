"""Clients that send half a request, or far too many of them, keep nobody else out."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
import uvicorn

from clew.samples import samples_root
from clew.web.connections import make_protocol, most_connections
from tests.web.serving import client_for, serving, settings_for

HALF = b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n"
WHOLE = HALF + b"\r\n"
BODY = b"POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf"


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a server with little patience."""
    settings = settings_for(tmp_path_factory.mktemp("archive"), samples_root())
    with serving(msgspec.structs.replace(settings, request_seconds=0.3)) as address:
        yield address


def connect(address: str) -> socket.socket:
    """Open a connection that waits no longer than a test should."""
    place = urlsplit(address)
    return socket.create_connection((place.hostname or "", place.port or 0), timeout=20)


def rest(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("sent", [b"", b"GET", HALF, BODY])
def test_a_request_that_is_not_whole_in_time_is_given_up(hasty: str, sent: bytes) -> None:
    with connect(hasty) as connection:
        connection.sendall(sent)

        assert rest(connection).startswith(b"HTTP/1.1 408 ")


def test_sending_drop_by_drop_gains_no_time(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.settimeout(0.05)
        answer = b""
        for _ in range(400):
            try:
                connection.sendall(b"x")
                answer = connection.recv(100)
                break
            except TimeoutError:
                continue
            except ConnectionError:
                answer = answer or b"HTTP/1.1 4"
                break

    assert answer.startswith(b"HTTP/1.1 4")


def test_a_second_request_on_a_connection_has_its_own_time(hasty: str) -> None:
    with connect(hasty) as connection:
        connection.sendall(WHOLE)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        connection.sendall(HALF)

        assert b"HTTP/1.1 408 " in rest(connection)


def test_many_half_open_connections_keep_nobody_out(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "home", samples_root())
    with serving(settings) as address, ExitStack() as stack:
        for _ in range(most_connections() + 100):
            stack.enter_context(connect(address)).sendall(HALF)

        with client_for(address) as client:
            assert client.get("/api/health").status_code == 200


def test_an_answer_that_takes_longer_than_a_request_may_is_not_cut_off(hasty: str) -> None:
    with client_for(hasty) as client, client.stream("GET", "/api/events") as answer:
        assert answer.status_code == 200
        assert next(answer.iter_lines()) is not None


async def slow_reader(_scope: Any, receive: Any, send: Any) -> None:
    """Read a body long after it was sent, as a busy server does."""
    await asyncio.sleep(1)
    size, is_more = 0, True
    while is_more:
        message = await receive()
        size += len(message.get("body", b""))
        is_more = message.get("more_body", False)
    headers = [(b"content-length", str(len(str(size))).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": str(size).encode()})


def test_a_body_that_waits_for_a_busy_server_is_not_given_up() -> None:
    config = uvicorn.Config(slow_reader, http=make_protocol(0.3), lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    body = b"x" * 8_000_000
    try:
        with client_for(f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
            answer = client.put("/", content=body)
    finally:
        server.should_exit = True
        thread.join(20)

    assert (answer.status_code, answer.text) == (200, str(len(body)))
