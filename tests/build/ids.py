"""Ids that look like the client's and are the same in every run."""

import hashlib
import string
import uuid
from typing import Final

_ALPHABET: Final = string.digits + string.ascii_letters


class Ids:
    """A source of ids that depends on its seed alone."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._counts: dict[str, int] = {}

    def uuid(self, kind: str = "row") -> str:
        """Give a version 4 UUID."""
        return str(uuid.UUID(bytes=self._digest(kind)[:16], version=4))

    def message(self) -> str:
        """Give the id of an answer."""
        return "msg_01" + self._word("message", 22)

    def call(self) -> str:
        """Give the id of a tool use."""
        return "toolu_01" + self._word("call", 22)

    def request(self) -> str:
        """Give the id of a request to the model."""
        return "req_011C" + self._word("request", 20)

    def agent(self, digits: int) -> str:
        """Give the id of an agent run."""
        return "a" + self._digest("agent").hex()[:digits]

    def task(self) -> str:
        """Give the id of a shell task, which also names files of long output."""
        return "b" + self._word("task", 8).lower()

    def signature(self) -> str:
        """Give what stands in for a thinking block's signature."""
        return self._word("signature", 88)

    def _word(self, kind: str, length: int) -> str:
        digest = self._digest(kind)
        return "".join(_ALPHABET[digest[at % len(digest)] % 62] for at in range(length))

    def _digest(self, kind: str) -> bytes:
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        return hashlib.sha512(f"{self._seed}/{kind}/{count}".encode()).digest()
