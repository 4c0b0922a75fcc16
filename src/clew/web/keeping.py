"""Keeping: things by key, each as of a version, as long as there is room for them."""

import sys
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import msgspec


class Kept:
    """Things that together take up no more than so many bytes.

    Those asked for longest ago go first. One that is larger than `largest_bytes` is not kept; where
    that is not told, the last one stays, however large it is.
    """

    def __init__(self, most_bytes: int, largest_bytes: int | None = None) -> None:
        self.most_bytes = most_bytes
        self.largest_bytes = largest_bytes
        self.size_bytes = 0
        self._things: OrderedDict[Hashable, tuple[str, Any, int]] = OrderedDict()

    def __len__(self) -> int:
        """Tell how many things are kept."""
        return len(self._things)

    def get(self, key: Hashable, version: str) -> Any | None:
        """Give a thing as of a version."""
        found = self._things.get(key)
        if found is None or found[0] != version:
            return None
        self._things.move_to_end(key)
        return found[1]

    def get_old(self, key: Hashable) -> Any | None:
        """Give a thing as of whatever version."""
        found = self._things.get(key)
        return None if found is None else found[1]

    def put(self, key: Hashable, version: str, thing: object, size_bytes: int) -> None:
        """Keep a thing, and let go of others that there is no room for any more."""
        self._drop(key)
        if self.largest_bytes is not None and size_bytes > self.largest_bytes:
            return
        self._things[key] = (version, thing, size_bytes)
        self.size_bytes += size_bytes
        while self.size_bytes > self.most_bytes and len(self._things) > 1:
            self._drop(next(iter(self._things)))

    def _drop(self, key: Hashable) -> None:
        _, _, size_bytes = self._things.pop(key, ("", None, 0))
        self.size_bytes -= size_bytes


def weigh(thing: object) -> int:
    """Tell about how many bytes a thing takes up, with all that is in it."""
    own = sys.getsizeof(thing)
    match thing:
        case tuple() | list() | set() | frozenset():
            return own + sum(map(weigh, thing))
        case dict():
            return own + sum(weigh(key) + weigh(value) for key, value in thing.items())
        case msgspec.Struct():
            return own + sum(map(weigh, msgspec.structs.astuple(thing)))
        case _:
            return own
