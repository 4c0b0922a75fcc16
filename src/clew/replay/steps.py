"""A conversation → the steps of a session in order: what ran when, and what it may have written.

A call counts when it ends: that is when a file has the text that its result shows. Commands that
run beside other work, in the background or in another agent, also count when they begin.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Final

import msgspec

from clew.backups import Backup
from clew.conversation import Conversation, Message, ToolCall, is_inherited
from clew.entries import EditedTextFileAttachment
from clew.replay.causes import (
    HookRun,
    agent_effects,
    call_cause,
    find_hooks,
    shell_effects,
    tool_effects,
)
from clew.replay.model import Cause
from clew.replay.observations import is_file_tool
from clew.replay.shell import Effects, find_effects
from clew.tools import BashResult, find_tool

_BASH_INPUT: Final = "bash_input"
_ENDED: Final = ("completed", "failed", "killed")


class Phase(IntEnum):
    """What happens in a step."""

    MESSAGE = 0
    BEGIN = 1
    CALL = 2
    WRITE = 3
    END = 4
    BACKUP = 5


class ReplayStep(msgspec.Struct, gc=False, kw_only=True):
    """One moment of a session.

    MESSAGE is where a message begins, CALL where a call on files ends. BEGIN and END are those of
    something that may write while other things happen; WRITE is something that may have written.
    BACKUP is where the client copied a file.
    """

    at: str
    place: float
    phase: Phase
    id: str
    context: str = ""
    call: ToolCall | None = None
    message: Message | None = None
    effects: Effects | None = None
    cause: Cause | None = None
    path: str = ""
    backup: Backup | None = None


class SessionSteps:
    """Makes the steps of one conversation."""

    def __init__(self, conversation: Conversation, backups: Iterable[Backup] = ()) -> None:
        self.conversation = conversation
        self.backups = backups
        self.places = {m.id: float(i) for i, m in enumerate(conversation.messages)}
        self.messages = {m.id: m for m in conversation.messages}
        self.calls = {call.id: call for call in conversation.tool_calls}
        self.has_runs = bool(conversation.agent_runs)
        self.hooks = list(find_hooks(conversation))
        self.results = self._find_results()

    def in_order(self) -> list[ReplayStep]:
        """Return all steps, in order of time and, at the same time, of reading."""
        steps = [*self._messages(), *self._calls(), *self._hooks(), *self._gaps()]
        steps += [
            ReplayStep(at=each.at, place=-1.0, phase=Phase.BACKUP, id=each.name, backup=each)
            for each in self.backups
            if each.at
        ]
        _fill_times(steps)
        return sorted(steps, key=lambda step: (step.at, step.place, step.phase))

    def _messages(self) -> Iterator[ReplayStep]:
        branches = set(_later_branches(self.conversation))
        for message in self.conversation.messages:
            place = self.places[message.id]
            begun, begins = self.results.get(message.id, (message.started_at, place))
            yield ReplayStep(at=begun, place=begins, phase=Phase.MESSAGE, id=message.id)
            cause = self._message_cause(message, is_branch=message.id in branches)
            if cause is not None:
                effects, reason, path = cause
                yield ReplayStep(
                    at=message.started_at,
                    place=place - 0.25,
                    phase=Phase.WRITE,
                    id=message.id,
                    effects=effects,
                    cause=reason,
                    path=path,
                )

    def _find_results(self) -> dict[str, tuple[str, float]]:
        """Return when and where messages with results begin: after their calls and the hooks."""
        found: dict[str, tuple[str, float]] = {}
        messages = {
            call.id: call.result_message_id
            for call in self.conversation.tool_calls
            if call.result_message_id in self.places
        }
        ends = [(name, self.calls[name].ended_at, 0.0) for name in messages]
        ends += [(hook.call_id, hook.at, self._hook_place(hook)) for hook in self.hooks]
        for name, at, place in ends:
            message = self.messages.get(messages.get(name) or "")
            if message is not None:
                last = found.get(message.id, (message.started_at, self.places[message.id]))
                found[message.id] = (max(last[0], at or ""), max(last[1], place))
        return {name: (at, place + 0.2) for name, (at, place) in found.items()}

    def _hook_place(self, hook: HookRun) -> float:
        call, place = self.calls.get(hook.call_id), self.places.get(hook.message_id, 0.0)
        return place if call is None else max(place, self.end_place(call) + 0.1)

    def _message_cause(
        self, message: Message, *, is_branch: bool
    ) -> tuple[Effects, Cause, str] | None:
        session = self.conversation.session.id

        def cause(kind: str, text: str) -> Cause:
            return Cause(kind, text, None, message.id, session, message.started_at)

        if message.kind == _BASH_INPUT:
            effects = find_effects(message.text, message.cwd or "")
            return None if effects.is_none else (effects, cause("command", message.text), "")
        if isinstance(message.content, EditedTextFileAttachment):
            path = message.content.filename
            return Effects(), cause("user", "changed outside of the session"), path
        if is_branch:
            text = "the conversation was rewound, which may restore files"
            return Effects(is_any=True), cause("rewind", text), ""
        return None

    def _calls(self) -> Iterator[ReplayStep]:
        for call in self.conversation.tool_calls:
            if call.status == "denied":
                continue
            message = self.messages.get(call.message_id)
            if message is None or (message.is_deleted or message.is_aborted):
                continue
            if is_file_tool(call):
                yield self._file_call(call, message)
            elif find_tool(call.tool).result is BashResult:
                yield from self._shell_call(call, message)
            else:
                yield from self._other_call(call, message)

    def _gaps(self) -> Iterator[ReplayStep]:
        """Without the session's own transcript, nothing says what it did between its runs."""
        session = self.conversation.session
        for run in () if session.has_transcript else self.conversation.agent_runs:
            text = "the session's own transcript is missing"
            yield ReplayStep(
                at=run.started_at,
                place=self.places.get(next(iter(run.message_ids), ""), 0.0) - 0.25,
                phase=Phase.WRITE,
                id=run.id,
                effects=Effects(is_any=True),
                cause=Cause("session", text, None, None, session.id, run.started_at),
            )

    def _hooks(self) -> Iterator[ReplayStep]:
        session = self.conversation.session.id
        for hook in self.hooks:
            call = self.calls.get(hook.call_id)
            cause = Cause("hook", hook.command[:300], hook.call_id or None, None, session, hook.at)
            yield ReplayStep(
                at=hook.at if call is None else max(hook.at, call.ended_at or ""),
                place=self._hook_place(hook),
                phase=Phase.WRITE,
                id=hook.call_id,
                call=call,
                message=None if call is None else self.messages.get(call.message_id),
                effects=Effects(is_any=call is None),
                cause=cause,
            )

    def end_place(self, call: ToolCall) -> float:
        """Return where the result of a call is read."""
        after = self.places.get(call.message_id, 0.0) + 0.5
        return self.places.get(call.result_message_id or "", after)

    def _file_call(self, call: ToolCall, message: Message) -> ReplayStep:
        return ReplayStep(
            at=call.ended_at or call.started_at,
            place=self.end_place(call),
            phase=Phase.CALL,
            id=call.id,
            context=call.agent_run_id or "",
            call=call,
            message=message,
        )

    def _shell_call(self, call: ToolCall, message: Message) -> Iterator[ReplayStep]:
        command, effects = shell_effects(call, message.cwd or self.conversation.session.cwd)
        cause = call_cause(self.conversation, call, "command", command)
        yield from self._running(call, message, effects, cause)

    def _other_call(self, call: ToolCall, message: Message) -> Iterator[ReplayStep]:
        kind, effects = "tool", tool_effects(call)
        if call.started_run_id is not None or call.tool in ("Agent", "Task", "Workflow", "Batch"):
            kind, effects = "agent", agent_effects(call, self.conversation)
        if not effects.is_none:
            yield from self._running(
                call, message, effects, call_cause(self.conversation, call, kind, call.tool)
            )

    def _running(
        self, call: ToolCall, message: Message, effects: Effects, cause: Cause
    ) -> Iterator[ReplayStep]:
        """Make the steps of something that runs from its call to its result, or for longer."""
        goes_on = effects.is_detached or bool(call.background_id)
        if effects.is_none and b'"bashEditDiff"' not in bytes(call.result):
            return
        context = "\0background" if goes_on else call.agent_run_id or ""
        shared = ReplayStep(
            at=call.ended_at or call.started_at,
            place=self.end_place(call),
            phase=Phase.WRITE,
            id=call.id,
            context=context,
            call=call,
            message=message,
            effects=effects,
            cause=cause,
        )
        yield shared
        if goes_on or self.has_runs:
            yield msgspec.structs.replace(
                shared,
                at=call.started_at or message.started_at,
                place=self.places[call.message_id] + 0.1,
                phase=Phase.BEGIN,
            )
            at, place = self._background_end(call) if goes_on else (shared.at, shared.place)
            if at:
                yield msgspec.structs.replace(shared, at=at, place=place, phase=Phase.END)

    def _background_end(self, call: ToolCall) -> tuple[str, float]:
        """Return when a background command is known to have ended; an empty time if it is not."""
        message = self.messages.get(call.notification_id or "")
        ends = [
            (asked.ended_at, self.end_place(asked))
            for asked in map(self.calls.get, call.follow_up_ids)
            if asked is not None and asked.ended_at and _shows_end(asked)
        ]
        if message is not None and call.background_status in _ENDED:
            ends.append((message.started_at, self.places[message.id] - 0.5))
        return min(ends, default=("", 0.0))


def _shows_end(call: ToolCall) -> bool:
    """Whether a call ended a background command, or shows that it is over."""
    if call.tool in ("KillShell", "KillBash", "TaskStop"):
        return call.status == "done"
    return any(f"<status>{word}</status>" in call.result_text[:4000] for word in _ENDED)


def is_copied(message: Message | None) -> bool:
    """Whether a message was copied from an earlier session."""
    usage = None if message is None else message.usage
    return usage is not None and is_inherited(usage.quality)


def _later_branches(conversation: Conversation) -> Iterator[str]:
    """Return the first messages after forks, but not those of the branch that was there first."""
    for thread in conversation.threads:
        if thread.forked_at in thread.message_ids:
            at = thread.message_ids.index(thread.forked_at)
            yield from thread.message_ids[at + 1 : at + 2]


def _fill_times(steps: Iterable[ReplayStep]) -> None:
    """Give a step without a time that of the step before it."""
    last = ""
    for step in sorted(steps, key=lambda step: (step.place, step.phase)):
        if step.at:
            last = max(last, step.at) if not step.context else last
        else:
            step.at = last
