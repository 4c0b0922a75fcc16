"""Replays as the command line and the API answer with them."""

from collections.abc import Sequence

import msgspec

from clew.replay.changes import CallLink, ChangeHunk, NetChange, SessionChanges, describe_cause
from clew.replay.lines import written_lines
from clew.replay.model import Cause, Certainty, Version
from clew.replay.moments import FileMoment
from clew.tools import diff_of_files


class FileChangeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a session made of one file.

    `state` is that of its text after the last change, `base_state` that of its text before the
    first one. `later` is what may have changed the file after that.
    """

    path: str
    name: str
    action: str
    state: Certainty
    base_state: Certainty
    since: Cause | None = None
    later: Cause | None = None
    reason: str = ""
    added: int = 0
    removed: int = 0
    has_diff: bool = True
    hunks: tuple[ChangeHunk, ...] = ()
    calls: tuple[CallLink, ...] = ()


class ChangesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a session changed, or one turn of it, or one agent run."""

    schema: str = "clew.changes/1"
    session_id: str
    title: str
    project: str
    turn: int | None = None
    agent_run_id: str | None = None
    added: int = 0
    removed: int = 0
    files: tuple[FileChangeAnswer, ...] = ()


class FileAnswer(FileMoment, frozen=True, kw_only=True):
    """A file at a moment; `diff` leads from there to its last known text, where it is wanted."""

    schema: str = "clew.file/1"
    reason: str = ""
    diff: str | None = None


class FileVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a file; `written_lines` are the first and last lines that the call wrote."""

    session_id: str
    message_id: str
    call_id: str
    agent_run_id: str | None = None
    turn: int | None = None
    at: str = ""
    tool: str = ""
    action: str = ""
    state_before: Certainty
    state: Certainty
    stale_since: Cause | None = None
    reason: str = ""
    exists: bool | None = None
    added: int | None = None
    removed: int | None = None
    written_lines: tuple[tuple[int, int], ...] = ()


class FileVersionsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The versions of a file through sessions, in order of time."""

    schema: str = "clew.file_versions/1"
    path: str
    versions: tuple[FileVersion, ...] = ()


def answer_changes(changes: SessionChanges) -> ChangesAnswer:
    """Answer with changes; the texts of files are in their hunks alone."""
    return ChangesAnswer(
        session_id=changes.session_id,
        title=changes.title,
        project=changes.project,
        turn=changes.turn,
        agent_run_id=changes.agent_run_id,
        added=changes.added,
        removed=changes.removed,
        files=tuple(map(_changed_file, changes.files)),
    )


def answer_file(moment: FileMoment, diff: str | None = None) -> FileAnswer:
    """Answer with a file at a moment."""
    fields = {name: getattr(moment, name) for name in moment.__struct_fields__}
    since = moment.stale_since
    return FileAnswer(**fields, reason="" if since is None else describe_cause(since), diff=diff)


def answer_versions(path: str, versions: Sequence[Version]) -> FileVersionsAnswer:
    """Answer with the versions of a file, without their texts."""
    return FileVersionsAnswer(path=path, versions=tuple(map(_file_version, versions)))


def count_lines(version: Version) -> tuple[int, int] | None:
    """Count the lines that a version added and removed; None where a text is unknown."""
    if not version.before.is_known or not version.after.is_known:
        return None
    diff = diff_of_files(version.path, version.before.text or "", version.after.text or "")
    return diff.added, diff.removed


def _changed_file(file: NetChange) -> FileChangeAnswer:
    return FileChangeAnswer(
        path=file.path,
        name=file.name,
        action=file.action,
        state=file.state,
        base_state=file.base.state,
        since=file.since,
        later=file.later,
        reason=file.reason,
        added=file.added,
        removed=file.removed,
        has_diff=file.has_diff,
        hunks=file.hunks,
        calls=file.calls,
    )


def _file_version(version: Version) -> FileVersion:
    counts = count_lines(version)
    since = version.after.since
    return FileVersion(
        session_id=version.session_id,
        message_id=version.message_id,
        call_id=version.call_id,
        agent_run_id=version.agent_run_id,
        turn=version.turn,
        at=version.at,
        tool=version.tool,
        action=version.action,
        state_before=version.before.state,
        state=version.after.state,
        stale_since=since,
        reason="" if since is None else describe_cause(since),
        exists=version.after.exists,
        added=None if counts is None else counts[0],
        removed=None if counts is None else counts[1],
        written_lines=tuple((start + 1, end) for start, end in written_lines(version)),
    )
