"""What may have changed files between the calls that say so, and which state that leaves."""

from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from clew.replay.model import Cause, Certainty, Disturbance, FileState

_SURE = (Certainty.EXACT, Certainty.TOLD)


class Disturbances:
    """The disturbances of a session so far, by the files that they concern."""

    def __init__(self, known: Iterable[Disturbance] = ()) -> None:
        self.all: list[Disturbance] = []
        self._general: list[Disturbance] = []
        self._own: dict[str, list[Disturbance]] = {}
        self._told: list[Disturbance] = []
        for each in known:
            self.add(each)

    def add(self, disturbance: Disturbance) -> None:
        """Add one that comes after all others."""
        self.all.append(disturbance)
        if disturbance.is_told:
            self._told.append(disturbance)
        elif not disturbance.paths:
            self._general.append(disturbance)
        for path in () if disturbance.is_told else disturbance.paths:
            self._own.setdefault(path, []).append(disturbance)

    def state_of(
        self, path: str, state: FileState, order: int, until: int | None = None
    ) -> FileState:
        """Return the state of a file that had one at a step, after what happened since."""
        if state.state not in _SURE:
            return state
        own = self._own.get(path, [])
        found = [c for c in (_first(self._general, order), _first(own, order)) if c is not None]
        told = self._told[bisect_right(self._told, order, key=_order) :]
        outside = next((t for t in told if not is_below(path, t.paths)), None)
        found += [] if outside is None else [outside]
        first = min(found, key=_order, default=None)
        if first is not None and (until is None or first.order <= until):
            return msgspec.structs.replace(state, state=Certainty.STALE, since=first.cause)
        if told and (until is None or told[0].order <= until):
            return msgspec.structs.replace(state, state=Certainty.TOLD)
        return state


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of the folders or below one."""
    return any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def stale(state: FileState, cause: Cause) -> FileState:
    """Return a state that may have changed since something."""
    if state.state in _SURE:
        return msgspec.structs.replace(state, state=Certainty.STALE, since=cause)
    return state


def _first(disturbances: list[Disturbance], order: int) -> Disturbance | None:
    at = bisect_right(disturbances, order, key=_order)
    return disturbances[at] if at < len(disturbances) else None


def _order(disturbance: Disturbance) -> int:
    return disturbance.order
