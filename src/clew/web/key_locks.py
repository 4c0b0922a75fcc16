"""A lock for each key, so that one thread makes an item while others wait for it."""

import threading
from collections.abc import Hashable
from typing import Final

_MAX_LOCKS: Final = 1_024


class KeyLocks:
    """Locks by key; those that nobody holds are dropped when there are many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[Hashable, threading.Lock] = {}

    def of(self, key: Hashable) -> threading.Lock:
        """Return the lock of a key."""
        with self._lock:
            if len(self._locks) > _MAX_LOCKS:
                self._locks = {k: lock for k, lock in self._locks.items() if lock.locked()}
            return self._locks.setdefault(key, threading.Lock())
