"""Readers: connections that stay open, each asking for one page after another."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import msgspec

Question = tuple[str, str]
_OK: Final = 200


class Answered(msgspec.Struct, frozen=True):
    """An answer: to what, after how many milliseconds, how it went, and how large it is."""

    kind: str
    milliseconds: float
    status: int
    size_bytes: int

    @property
    def is_good(self) -> bool:
        """Whether it is what was asked for."""
        return self.status == _OK


async def read_all(
    address: str,
    readers: int,
    pause: float,
    choose: Callable[[random.Random], Question],
    is_over: Callable[[], bool],
    tokens: Sequence[str] = ("",),
) -> list[Answered]:
    """Let so many readers ask until it is over; each reads for about `pause` seconds in between.

    With tokens, readers are those of a team server.
    """
    each = [
        _read(address, number, pause, choose, is_over, tokens[number % len(tokens)])
        for number in range(readers)
    ]
    return [answer for own in await asyncio.gather(*each) for answer in own]


async def get(address: str, path: str, token: str = "") -> bytes:
    """Ask once, on a connection of its own, and give what came."""
    async with _connection(address) as (reader, writer):
        _ask(writer, address, path, "application/json", token)
        return (await _answer(reader))[1]


async def get_page(address: str, path: str, token: str) -> int:
    """Ask for a page once, as a browser does, and give the status."""
    async with _connection(address) as (reader, writer):
        _ask(writer, address, path, "text/html\r\nAccept-Encoding: gzip", token)
        return (await _answer(reader))[0]


async def _read(
    address: str,
    number: int,
    pause: float,
    choose: Callable[[random.Random], Question],
    is_over: Callable[[], bool],
    token: str,
) -> Sequence[Answered]:
    dice = random.Random(number)  # noqa: S311 (only to spread the load)
    found: list[Answered] = []
    await asyncio.sleep(dice.random() * pause)
    while not is_over():
        kind, path = choose(dice)
        started = time.perf_counter()
        # A server closes a connection that idles for as long as a page is read.
        async with _connection(address) as (reader, writer):
            _ask(writer, address, path, "text/html\r\nAccept-Encoding: gzip", token)
            status, body = await _answer(reader)
        waited = (time.perf_counter() - started) * 1000
        found.append(Answered(kind, waited, status, len(body)))
        await asyncio.sleep(pause * (0.5 + dice.random()))
    return found


@asynccontextmanager
async def _connection(
    address: str,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        yield reader, writer
    finally:
        writer.close()


def _ask(writer: asyncio.StreamWriter, address: str, path: str, accepts: str, token: str) -> None:
    host = urlsplit(address).netloc
    known = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{known}Accept: {accepts}\r\n\r\n"
    writer.write(head.encode())


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = int(head.split(b" ", 2)[1])
    size = int(head.partition(b"content-length: ")[2].split(b"\r", 1)[0] or 0)
    return status, await reader.readexactly(size)
