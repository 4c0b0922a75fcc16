"""Files through one session or several: which state a file has at a step or a time."""

from bisect import bisect_right
from collections.abc import Iterable

from clew.replay.disturbances import Disturbances, stale
from clew.replay.model import (
    UNKNOWN,
    Cause,
    Certainty,
    FileHistory,
    FileState,
    SessionReplay,
    Version,
)


class ReplayIndex:
    """A session's replay, by path."""

    def __init__(self, replay: SessionReplay) -> None:
        self.replay = replay
        self.disturbances = Disturbances(replay.disturbances)
        self.versions: dict[str, list[Version]] = {}
        for version in replay.versions:
            self.versions.setdefault(version.path, []).append(version)

    def state_before(self, path: str, order: int) -> FileState:
        """Return the state of a file as a step finds it, by what the steps before it show."""
        versions = self.versions.get(path, [])
        at = bisect_right(versions, order - 1, key=_order)
        if at == 0:
            return UNKNOWN
        last = versions[at - 1]
        return self.disturbances.state_of(path, last.after, last.order, order - 1)

    def state_at_message(self, path: str, message_id: str) -> FileState | None:
        """Return the state of a file as a message found it; None where there is no such message.

        The first call of the message that shows the file shows what the message found, unless
        something may have changed the file in between.
        """
        order = self.replay.steps.get(message_id)
        if order is None:
            return None
        state = self.state_before(path, order)
        shown = self._first_of(path, order)
        if state.state is Certainty.EXACT or shown is None or not shown.is_shown:
            return state
        is_own = shown.message_id == message_id and shown.after.state is Certainty.EXACT
        found = self.disturbances.state_of(path, shown.before, order, shown.order - 1)
        return found if is_own and found.state is Certainty.EXACT else state

    def _first_of(self, path: str, order: int) -> Version | None:
        """Return the first version of a file from a step on."""
        versions = self.versions.get(path, [])
        at = bisect_right(versions, order - 1, key=_order)
        return versions[at] if at < len(versions) else None

    def last_state(self, path: str) -> FileState:
        """Return the state of a file at the end of the session."""
        versions = self.versions.get(path, [])
        if not versions:
            return UNKNOWN
        return self.disturbances.state_of(path, versions[-1].after, versions[-1].order)

    def state_at_time(self, path: str, at: str) -> FileState:
        """Return the state of a file at a time, as ISO 8601 in UTC; all steps until then count."""
        versions = self.versions.get(path, [])
        index = bisect_right(versions, at, key=_time)
        if index == 0:
            return UNKNOWN
        last = versions[index - 1]
        causes = self.disturbances.all
        until = max(
            (d.order for d in causes if d.order > last.order and d.cause.at <= at), default=0
        )
        return self.disturbances.state_of(path, last.after, last.order, until)


def join_histories(replays: Iterable[SessionReplay]) -> dict[str, FileHistory]:
    """Join the versions of several sessions by path, in order of time.

    A call that a fork or a resumed session copied counts once, in the session that made it.
    """
    found: dict[str, list[Version]] = {}
    seen: set[tuple[str, str]] = set()
    ordered = sorted(replays, key=lambda replay: (replay.started_at, replay.session_id))
    for version in (version for replay in ordered for version in replay.versions):
        if not version.is_inherited and (version.call_id, version.path) not in seen:
            seen.add((version.call_id, version.path))
            found.setdefault(version.path, []).append(version)
    return {
        path: FileHistory(path=path, versions=tuple(sorted(versions, key=_time)))
        for path, versions in found.items()
    }


def state_between(indexes: Iterable[ReplayIndex], path: str, at: str) -> FileState:
    """Return the state of a file at a time, from all sessions that touched it.

    Between sessions anyone may change a file, so that what a session left is stale after it. The
    same holds for a session that another one overlaps with.
    """
    before = [index for index in indexes if _has_version(index, path, at)]
    if not before:
        return UNKNOWN
    last = max(before, key=lambda index: _last_time(index, path, at))
    state = last.state_at_time(path, at)
    replay = last.replay
    others = [i for i in before if i is not last and i.replay.ended_at > _last_time(last, path, at)]
    if at > replay.ended_at:
        state = stale(state, _ended(replay, "the session ended"))
    elif others:
        state = stale(state, _ended(others[0].replay, "another session ran at the same time"))
    return state


def _ended(replay: SessionReplay, text: str) -> Cause:
    return Cause("session", text, None, None, replay.session_id, replay.ended_at)


def _has_version(index: ReplayIndex, path: str, at: str) -> bool:
    versions = index.versions.get(path, [])
    return bool(versions) and versions[0].at <= at


def _last_time(index: ReplayIndex, path: str, at: str) -> str:
    versions = index.versions[path]
    return versions[bisect_right(versions, at, key=_time) - 1].at


def _order(version: Version) -> int:
    return version.order


def _time(version: Version) -> str:
    return version.at
