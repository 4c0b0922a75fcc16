"""The clock of a transcript, from entry to entry."""

from clew.clock import is_normal_time, milliseconds


class TimeOrder:
    """The time of the entry before."""

    def __init__(self) -> None:
        self._last = ""

    def step_back(self, time: str) -> int | None:
        """Add the next time; return by how many milliseconds it went back, 0 when it did not.

        None means a text that is no time: it is skipped.
        """
        last = self._last
        if time >= last and is_normal_time(time) and is_normal_time(last):
            self._last = time
            return 0
        moment = milliseconds(time)
        if moment is None:
            return None
        self._last = time
        before = milliseconds(last)
        return 0 if before is None else max(0, before - moment)
