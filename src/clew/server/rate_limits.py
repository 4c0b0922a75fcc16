"""Rate limits: how often something may happen, by whom or from where."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

_MOST_KEYS: Final = 20_000


class RateLimit:
    """Lets something happen `burst` times at once, and then again every `seconds / burst`.

    It remembers those who used it last, in this process.
    """

    def __init__(
        self, burst: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._pause = seconds / burst
        self._clock = clock
        # When each key has all of its burst again.
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, key: Hashable) -> float:
        """Count something if it may happen now; return after how many seconds it may, else 0."""
        with self._lock:
            wait = self._wait(key)
            if wait <= 0:
                now = self._clock()
                self._full_at[key] = max(now, self._full_at.get(key, now)) + self._pause
                self._full_at.move_to_end(key)
                while len(self._full_at) > _MOST_KEYS:
                    self._full_at.popitem(last=False)
            return wait

    def refund(self, key: Hashable) -> None:
        """Take back what was counted last."""
        with self._lock:
            if key in self._full_at:
                self._full_at[key] -= self._pause

    def forget(self, key: Hashable) -> None:
        """Let a key start anew."""
        with self._lock:
            self._full_at.pop(key, None)

    def _wait(self, key: Hashable) -> float:
        now = self._clock()
        left = self._full_at.get(key, now) - now
        return max(0.0, left - self._pause * (self._burst - 1))
