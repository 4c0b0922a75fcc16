"""A cache with a size limit in bytes, whose items carry a version."""

import sys
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import msgspec


class LruCache:
    """Drops the least recently used items when it is full.

    An item larger than `max_item_bytes` is not cached; without that limit, the newest item is
    always cached, whatever its size.
    """

    def __init__(self, max_bytes: int, max_item_bytes: int | None = None) -> None:
        self.max_bytes = max_bytes
        self.max_item_bytes = max_item_bytes
        self.size_bytes = 0
        self._items: OrderedDict[Hashable, tuple[str, Any, int]] = OrderedDict()
        self._used_at: dict[Hashable, float] = {}

    def __len__(self) -> int:
        """Count the items."""
        return len(self._items)

    def get(self, key: Hashable, version: str) -> Any | None:
        """Return an item if it has this version."""
        found = self._items.get(key)
        if found is None or found[0] != version:
            return None
        self._items.move_to_end(key)
        self._used_at[key] = time.monotonic()
        return found[1]

    def get_stale(self, key: Hashable) -> Any | None:
        """Return an item of any version."""
        found = self._items.get(key)
        return None if found is None else found[1]

    def put(self, key: Hashable, version: str, item: object, size_bytes: int) -> None:
        """Add an item, and drop others until all fit."""
        self.drop(key)
        if self.max_item_bytes is not None and size_bytes > self.max_item_bytes:
            return
        self.make_room(size_bytes)
        self._items[key] = (version, item, size_bytes)
        self._used_at[key] = time.monotonic()
        self.size_bytes += size_bytes

    def make_room(self, size_bytes: int) -> None:
        """Drop items until another one of this size fits."""
        while self._items and self.size_bytes + size_bytes > self.max_bytes:
            self.drop(next(iter(self._items)))

    def drop_idle(self, seconds: float) -> int:
        """Drop the items that nobody has asked for in this time; return how many bytes they had."""
        before, limit = self.size_bytes, time.monotonic() - seconds
        for key in [key for key, used_at in self._used_at.items() if used_at <= limit]:
            self.drop(key)
        return before - self.size_bytes

    def drop(self, key: Hashable) -> None:
        """Drop an item, if it is there."""
        _, _, size_bytes = self._items.pop(key, ("", None, 0))
        self._used_at.pop(key, None)
        self.size_bytes -= size_bytes


def estimate_size(item: object) -> int:
    """Estimate how many bytes of memory an item takes, including everything in it."""
    own = sys.getsizeof(item)
    match item:
        case tuple() | list() | set() | frozenset():
            return own + sum(map(estimate_size, item))
        case dict():
            return own + sum(
                estimate_size(key) + estimate_size(value) for key, value in item.items()
            )
        case msgspec.Struct():
            return own + sum(map(estimate_size, msgspec.structs.astuple(item)))
        case _:
            return own
