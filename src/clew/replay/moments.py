"""A file at a message or at a time: the text that it had, and how sure that is."""

from collections.abc import Iterable, Sequence

import msgspec

from clew.replay.history import ReplayIndex, state_between
from clew.replay.model import UNKNOWN, Cause, Certainty, FileState, SessionReplay, Version


class FileMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A file at one moment.

    `text` is its last known text; None where none is known or the file does not exist. Where
    `state` is stale, `stale_since` says what may have changed it since. `call_id` is the last call
    before the moment that read or changed it, in the session `session_id`.
    """

    path: str
    state: Certainty
    exists: bool | None = None
    text: str | None = None
    stale_since: Cause | None = None
    session_id: str | None = None
    message_id: str | None = None
    call_id: str | None = None
    at: str | None = None


def at_message(replay: SessionReplay, path: str, message_id: str) -> FileMoment | None:
    """Return a file as a message found it, before any call of its own; None without such a one."""
    index = ReplayIndex(replay)
    state = index.state_at_message(path, message_id)
    if state is None:
        return None
    order = replay.steps[message_id]
    before = [each for each in index.versions.get(path, ()) if each.order < order]
    moment = _moment(path, state, before[-1] if before else None)
    return msgspec.structs.replace(moment, session_id=replay.session_id, message_id=message_id)


def at_time(replays: Sequence[SessionReplay], path: str, at: str) -> FileMoment:
    """Return a file at a time, from all sessions that touched it."""
    indexes = [ReplayIndex(replay) for replay in replays]
    versions = [v for index in indexes for v in index.versions.get(path, ()) if v.at <= at]
    last = max(versions, key=lambda version: version.at, default=None)
    state = state_between(indexes, path, at)
    return msgspec.structs.replace(_moment(path, state, last), at=at)


def last_known(replays: Iterable[SessionReplay], path: str) -> FileState:
    """Return the last state of a file that any session shows."""
    versions = [
        version
        for replay in replays
        for version in replay.versions
        if version.path == path and version.after.is_known
    ]
    return max(versions, key=lambda version: version.at).after if versions else UNKNOWN


def shown_versions(versions: Sequence[Version]) -> list[Version]:
    """Leave out reads that found what the version before them left, as surely as before."""
    shown: list[Version] = []
    for version in versions:
        last = shown[-1].after if shown else None
        is_news = last is None or version.after.text != last.text or not last.is_known
        if version.is_change or is_news:
            shown.append(version)
    return shown


def _moment(path: str, state: FileState, last: Version | None) -> FileMoment:
    return FileMoment(
        path=path,
        state=state.state,
        exists=state.exists,
        text=state.text,
        stale_since=state.since if state.state is not Certainty.UNKNOWN else None,
        session_id=None if last is None else last.session_id,
        call_id=None if last is None else last.call_id,
        at=None if last is None else last.at,
    )
