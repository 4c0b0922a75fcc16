"""What a session changed: for each file the difference between its beginning and its end."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import Conversation, ToolCall
from clew.parts import Diff, DiffHunk
from clew.replay.history import ReplayIndex
from clew.replay.lines import LineTrace, trace_lines
from clew.replay.model import Cause, Certainty, FileState, SessionReplay, Version
from clew.tools import (
    BashResult,
    decode_call,
    diff_of_files,
    diff_of_hunks,
    file_diff,
    short_path,
)

_LONGEST: Final = 100


class CallLink(msgspec.Struct, frozen=True, gc=False):
    """A call that changed a file, and the prompt behind it."""

    call_id: str
    message_id: str
    tool: str
    action: str
    at: str = ""
    turn: int | None = None
    prompt_id: str | None = None
    agent_run_id: str | None = None
    agent: str = ""


class ChangeHunk(msgspec.Struct, frozen=True, gc=False):
    """Some lines that changed together; `lines` begin with a space, `+`, `-` or a backslash.

    `calls` are those that made the lines what they are; some of a hunk that `has_outside` were
    changed by something that no call shows. Without numbers, it is what one call changed in a text
    that is not known.
    """

    old_start: int | None
    old_lines: int
    new_start: int | None
    new_lines: int
    lines: tuple[str, ...]
    calls: tuple[CallLink, ...] = ()
    has_outside: bool = False


class NetChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a session made of one file.

    `state` is that of its text after the last change, and `since` what made it stale or unknown.
    `later` is what may have changed the file after that, as tests that ran at the end. `action` is
    create, edit, delete or none: a file may end as it began. Without a known text before or after,
    the hunks are those of single calls, and `reason` says why.
    """

    path: str
    name: str
    action: str
    state: Certainty
    since: Cause | None = None
    later: Cause | None = None
    reason: str = ""
    added: int = 0
    removed: int = 0
    hunks: tuple[ChangeHunk, ...] = ()
    calls: tuple[CallLink, ...] = ()
    base: FileState
    end: FileState

    @property
    def has_diff(self) -> bool:
        """Whether the text before and after is known."""
        return self.base.is_known and self.end.is_known

    @property
    def doubts(self) -> tuple[tuple[Certainty, str], ...]:
        """Why a patch of the file may not fit: what may have changed it before or after."""
        since = self.base.since
        before = "" if since is None else f"before the first change: {describe_cause(since)}"
        found = ((self.base.state, before), (self.state, self.reason))
        return tuple((state, reason) for state, reason in found if reason)


class SessionChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What a session changed, or one turn of it, or one agent run."""

    session_id: str
    title: str = ""
    project: str = ""
    turn: int | None = None
    agent_run_id: str | None = None
    files: tuple[NetChange, ...] = ()

    @property
    def added(self) -> int:
        """The number of lines that are new."""
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        """The number of lines that are gone."""
        return sum(file.removed for file in self.files)


def find_changes(
    conversation: Conversation,
    replay: SessionReplay,
    turn: int | None = None,
    run_id: str | None = None,
) -> SessionChanges:
    """Find what a session changed: all of it, one turn, or one agent run.

    Calls that were copied do not count. What others changed in a file between the first and the
    last change of a turn or a run is part of the difference; the calls of each hunk tell it.
    """
    index = ReplayIndex(replay)
    links = _Links(conversation)
    session = conversation.session
    files = [
        _find_change(index, links, path, own)
        for path, versions in index.versions.items()
        if (own := _own_versions(versions, turn, run_id))
    ]
    return SessionChanges(
        session_id=session.id,
        title=session.title,
        project=session.project or session.cwd,
        turn=turn,
        agent_run_id=run_id,
        files=tuple(sorted(files, key=lambda file: file.path)),
    )


def _own_versions(
    versions: Iterable[Version], turn: int | None, run_id: str | None
) -> list[Version]:
    """Return the versions from the first own change to the last, reads between them included."""
    every = list(versions)
    own = [at for at, version in enumerate(every) if _is_own(version, turn, run_id)]
    return every[own[0] : own[-1] + 1] if own else []


def _is_own(version: Version, turn: int | None, run_id: str | None) -> bool:
    is_meant = turn is None or version.turn == turn
    is_by = run_id is None or version.agent_run_id == run_id
    return version.is_change and not version.is_inherited and is_meant and is_by


class _Links:
    """The calls of a conversation with their prompts and agents."""

    def __init__(self, conversation: Conversation) -> None:
        self.prompts = {turn.index: turn.prompt_id for turn in conversation.turns}
        self.agents = {run.id: run.agent or run.kind for run in conversation.agent_runs}
        self.calls = {call.id: call for call in conversation.tool_calls}
        self.project = conversation.session.project or conversation.session.cwd

    def link(self, version: Version) -> CallLink:
        return CallLink(
            version.call_id,
            version.message_id,
            version.tool,
            version.action,
            version.at,
            version.turn,
            None if version.turn is None else self.prompts.get(version.turn),
            version.agent_run_id,
            self.agents.get(version.agent_run_id or "", ""),
        )


def _find_change(
    index: ReplayIndex, links: _Links, path: str, versions: Sequence[Version]
) -> NetChange:
    base, last = versions[0].before, versions[-1]
    end = last.after
    state, later = _end_state(index, path, last)
    reason = _reason(base, state, end)
    calls = tuple(links.link(version) for version in versions if version.is_change)
    change = NetChange(
        path=path,
        name=short_path(path, links.project),
        action=_action(base, end),
        state=state.state if base.is_known and end.is_known else Certainty.UNKNOWN,
        since=state.since,
        later=later,
        reason=reason,
        calls=calls,
        base=base,
        end=end,
    )
    if not change.has_diff:
        return msgspec.structs.replace(change, hunks=tuple(_single_hunks(versions, links)))
    diff = diff_of_files(path, base.text or "", end.text or "")
    trace = trace_lines(versions)
    hunks = tuple(_hunk(hunk, trace, links) for hunk in diff.hunks)
    return msgspec.structs.replace(change, added=diff.added, removed=diff.removed, hunks=hunks)


def _end_state(index: ReplayIndex, path: str, last: Version) -> tuple[FileState, Cause | None]:
    """Return the state that the last change left, and what may have changed the file later.

    A hook of that very change is part of it.
    """
    state = index.disturbances.state_of(path, last.after, last.order)
    cause = None if state.since == last.after.since else state.since
    if cause is None or (cause.kind == "hook" and cause.call_id == last.call_id):
        return state, None
    return last.after, cause


def _reason(base: FileState, state: FileState, end: FileState) -> str:
    if not base.is_known:
        return "the text before the first change is unknown"
    if not end.is_known:
        return "the text after the last change is unknown"
    return describe_cause(state.since) if state.since is not None else ""


def describe_cause(cause: Cause) -> str:
    """Say in one line what may have changed a file."""
    match cause.kind:
        case "command":
            line = " ".join(cause.text.split())
            line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
            return f"may have changed since the command: {line}"
        case "hook":
            return f"a hook ran after the edit and may have changed it: {cause.text}"
        case "agent":
            return "an agent whose calls are not recorded may have changed it"
        case "tool":
            return f"the tool {cause.text} may have changed it"
        case "call" if " " not in cause.text:
            return f"the result of {cause.text} does not say what became of the file"
        case "session":
            return f"may have changed since {cause.text}"
        case _:
            return cause.text


def _action(base: FileState, end: FileState) -> str:
    if base.exists is False:
        return "none" if end.exists is False else "create"
    if end.exists is False:
        return "delete"
    return "none" if base.is_known and base.text == end.text else "edit"


def _single_hunks(versions: Iterable[Version], links: _Links) -> Iterator[ChangeHunk]:
    """Return what each call changed by itself, as far as it is recorded."""
    for version in versions:
        call = links.calls.get(version.call_id)
        diff = None if call is None or not version.is_change else call_diff(call, version.path)
        for hunk in () if diff is None else diff.hunks:
            signs = [line[:1] for line in hunk.lines]
            old, new = signs.count(" ") + signs.count("-"), signs.count(" ") + signs.count("+")
            yield ChangeHunk(None, old, None, new, hunk.lines, (links.link(version),))


def call_diff(call: ToolCall, path: str) -> Diff | None:
    """Return what a call changed in a file, from its own input and result."""
    arguments, result = decode_call(call)
    if not isinstance(result, BashResult):
        return file_diff(arguments, result)
    told = () if result.bash_edit_diff is None else result.bash_edit_diff.files
    found = next((file for file in told if path.endswith(file.file_path)), None)
    return None if found is None else diff_of_hunks(path, found.hunks)


def _hunk(hunk: DiffHunk, trace: LineTrace, links: _Links) -> ChangeHunk:
    old, new = hunk.old_start or 1, hunk.new_start or 1
    old_at, new_at = old - 1, new - 1
    made: dict[str, CallLink] = {}
    has_outside = False
    for line in hunk.lines:
        version: Version | None = None
        if line.startswith("+"):
            version = trace.writers[new_at] if new_at < len(trace.writers) else None
        elif line.startswith("-"):
            version = trace.removers[old_at] if old_at < len(trace.removers) else None
        if line[:1] in ("+", "-"):
            has_outside |= version is None
            if version is not None:
                made.setdefault(version.call_id, links.link(version))
        old_at += line[:1] in (" ", "-")
        new_at += line[:1] in (" ", "+")
    calls = tuple(sorted(made.values(), key=lambda call: call.at))
    return ChangeHunk(
        old, old_at - old + 1, new, new_at - new + 1, hunk.lines, calls, has_outside=has_outside
    )
