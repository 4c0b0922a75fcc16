"""Frames that were fetched last, still compressed: the next reader of a session needs no request.

A key never has two contents, so nothing in here is ever out of date.
"""

import threading


class FrameCache:
    """Objects by their keys, up to so many bytes; any thread may use it."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._objects: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """Return an object, if it is here."""
        with self._lock:
            found = self._objects.pop(key, None)
            if found is not None:
                self._objects[key] = found
            return found

    def put(self, key: str, data: bytes) -> None:
        """Add an object, in place of those that nobody has asked for the longest."""
        with self._lock:
            self._bytes += len(data) - len(self._objects.pop(key, b""))
            self._objects[key] = data
            while self._bytes > self._most_bytes:
                self._bytes -= len(self._objects.pop(next(iter(self._objects))))

    def drop(self, key: str) -> None:
        """Forget an object."""
        with self._lock:
            self._bytes -= len(self._objects.pop(key, b""))

    def clear(self) -> None:
        """Free the memory."""
        with self._lock:
            self._objects.clear()
            self._bytes = 0
