"""How long things take: even, but never twice the same, and the same in every run."""

import zlib
from typing import Final

_SPEEDS: Final = {"opus": 58.0, "sonnet": 82.0, "haiku": 160.0}
_OTHER_SPEED: Final = 31.0
_TOOL_SECONDS: Final = {"Bash": 0.6, "Grep": 0.25, "WebFetch": 3.2, "WebSearch": 6.5}
_QUICK_SECONDS: Final = 0.07


class Pace:
    """A source of durations that depends on its seed alone."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0

    def between(self, least: float, most: float) -> float:
        """Give a number in a range."""
        self._count += 1
        share = zlib.crc32(f"{self._seed}/{self._count}".encode()) / 2**32
        return least + (most - least) * share

    def about(self, value: float) -> float:
        """Give a number near another one."""
        return self.between(0.75 * value, 1.35 * value)

    def tool(self, name: str) -> float:
        """Give the seconds that a tool takes when nothing else is said."""
        return self.about(_TOOL_SECONDS.get(name, _QUICK_SECONDS))

    def writing(self, model: str, tokens: int) -> float:
        """Give the seconds that a model takes to write tokens."""
        speed = next((s for name, s in _SPEEDS.items() if name in model), _OTHER_SPEED)
        return self.about(tokens / speed)
