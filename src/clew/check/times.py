"""The clock of a transcript, from entry to entry."""

from typing import Final

from clew.clock import milliseconds

# `2025-01-02T03:04:05.678Z`: times of this form compare as text.
_USUAL_LENGTH: Final = 24


class TimeOrder:
    """The time of the entry before."""

    def __init__(self) -> None:
        self._last = ""

    def step_back(self, time: str) -> int | None:
        """Add the next time; return by how many milliseconds it went back, 0 when it did not.

        None means a text that is no time: it is skipped.
        """
        last = self._last
        if time >= last and _is_usual(time) and _is_usual(last):
            self._last = time
            return 0
        moment = milliseconds(time)
        if moment is None:
            return None
        self._last = time
        before = milliseconds(last)
        return 0 if before is None else max(0, before - moment)


def _is_usual(time: str) -> bool:
    return len(time) == _USUAL_LENGTH and time.endswith("Z")
