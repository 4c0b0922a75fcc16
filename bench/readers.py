"""Readers: connections that stay open, each asking for one page after another."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

Question = tuple[str, str]
_HEADERS: Final = "Accept-Encoding: gzip\r\nAccept: text/html\r\nConnection: keep-alive\r\n"
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
    seconds: float,
    pause: float,
    choose: Callable[[random.Random], Question],
) -> list[Answered]:
    """Let so many readers ask for so long; each reads for about `pause` seconds in between."""
    end = time.perf_counter() + seconds
    each = [_read(address, number, end, pause, choose) for number in range(readers)]
    return [answer for own in await asyncio.gather(*each) for answer in own]


async def _read(
    address: str,
    number: int,
    end: float,
    pause: float,
    choose: Callable[[random.Random], Question],
) -> Sequence[Answered]:
    dice = random.Random(number)  # noqa: S311 (only to spread the load)
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    found: list[Answered] = []
    await asyncio.sleep(dice.random() * pause)
    while time.perf_counter() < end:
        kind, path = choose(dice)
        started = time.perf_counter()
        head = f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\n{_HEADERS}\r\n"
        writer.write(head.encode())
        status, size = await _answer(reader)
        found.append(Answered(kind, (time.perf_counter() - started) * 1000, status, size))
        await asyncio.sleep(pause * (0.5 + dice.random()))
    writer.close()
    return found


async def _answer(reader: asyncio.StreamReader) -> tuple[int, int]:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = int(head.split(b" ", 2)[1])
    size = int(head.partition(b"content-length: ")[2].split(b"\r", 1)[0] or 0)
    await reader.readexactly(size)
    return status, size
