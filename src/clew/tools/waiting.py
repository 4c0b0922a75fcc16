"""How long calls waited for a person: for a permission, an answer, or the approval of a plan.

No row has this time. It is part of the time from a call to its result, which also contains the time
that the tool took, unless that is known or next to nothing. Older clients do not record who let a
call run; then it is inferred where an edit took too long to be work, where a command says that
it started late, or where a command took longer than the client lets commands run.
"""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from clew.clock import milliseconds
from clew.conversation import CallTimes, Conversation, ToolCall
from clew.tools.builtin import BashInput, BashResult
from clew.tools.decisions import Decision, read_decision
from clew.tools.decode import decode_input
from clew.tools.file_changes import is_edit
from clew.tools.registry import find_tool

WaitQuality: TypeAlias = Literal["measured", "at_most", "inferred"]

_NO_TIMES: Final = CallTimes()
_SHORTEST_ANSWER: Final = 1_000
_SHORTEST_INFERRED: Final = 3_000
# What a command may ask for at most: after that, the client ends it or lets it go on behind.
_LONGEST_COMMAND: Final = 600_000
UNASKED_MODES: Final = frozenset({"acceptEdits", "auto", "bypassPermissions", "dontAsk"})
"""Permission modes in which nobody is asked about an edit or a command."""


class Wait(msgspec.Struct, frozen=True, gc=False):
    """The time that a call waited for a person, to within a second.

    It is `at_most` so long where the call itself took some of it or others were asked about at the
    same time, and `inferred` where the transcript does not say that a person was asked.
    """

    start_ms: int
    ms: int
    quality: WaitQuality

    @property
    def end_ms(self) -> int:
        """When the person had answered, at the latest."""
        return self.start_ms + self.ms


class WaitTotal(msgspec.Struct, frozen=True, gc=False):
    """The time in which anything waited for a person; waits at the same time count once."""

    ms: int = 0
    quality: WaitQuality = "measured"


class _CallSpan(msgspec.Struct, frozen=True, gc=False):
    """When a call could first be asked about, when it ran as far as known, and its result."""

    began: int
    end: int
    ran_from: int | None = None
    ran_until: int | None = None
    is_alone: bool = True

    def until(self, end: int, *, is_sure: bool = True) -> Wait:
        """Return a wait from the beginning to a time."""
        quality: WaitQuality = "measured" if is_sure and self.is_alone else "at_most"
        return Wait(self.began, max(0, min(end, self.end) - self.began), quality)


def find_waits(conversation: Conversation) -> dict[str, Wait]:
    """Return how long the calls of a conversation waited, by their ids."""
    siblings: dict[str, list[ToolCall]] = {}
    for call in conversation.tool_calls:
        siblings.setdefault(call.message_id, []).append(call)
    modes = _modes(conversation)
    found = {}
    for call in conversation.tool_calls:
        decision = read_decision(call)
        if not _may_wait(call, decision):
            continue
        beside = siblings[call.message_id]
        span = _span(call, is_alone=len(beside) == 1)
        wait = span and _wait(call, span, decision, is_asked=modes.get(call.message_id, True))
        if wait and wait.quality == "inferred":
            wait = _after(beside, call, wait)
        if wait:
            found[call.id] = wait
    return found


def total_wait(waits: Iterable[Wait]) -> WaitTotal:
    """Add up waits; the least certain of them says how certain the sum is."""
    total, reached = 0, 0
    qualities: set[WaitQuality] = set()
    for wait in sorted(waits, key=lambda each: each.start_ms):
        total += max(0, wait.end_ms - max(wait.start_ms, reached))
        reached = max(reached, wait.end_ms)
        qualities.add(wait.quality)
    if "inferred" in qualities:
        return WaitTotal(total, "inferred")
    return WaitTotal(total, "at_most" if "at_most" in qualities else "measured")


def _may_wait(call: ToolCall, decision: Decision | None) -> bool:
    if decision is not None:
        return decision.by_person
    return (
        bool(_proved_start(call))
        or _is_too_long(call)
        or is_edit(call.tool)
        or find_tool(call.tool).asks_person
    )


def _wait(
    call: ToolCall, span: _CallSpan, decision: Decision | None, *, is_asked: bool
) -> Wait | None:
    if find_tool(call.tool).asks_person:
        return _answer(call, span, decision)
    if decision is not None:
        return _permission(call, span, decision)
    return _inferred(call, span) if is_asked and call.status in ("done", "failed") else None


def _answer(call: ToolCall, span: _CallSpan, decision: Decision | None) -> Wait | None:
    if call.status not in ("done", "denied"):
        return None
    wait = span.until(span.end)
    return wait if decision is not None or wait.ms >= _SHORTEST_ANSWER else None


def _permission(call: ToolCall, span: _CallSpan, decision: Decision) -> Wait:
    if not decision.is_accepted:
        return span.until(span.end)
    if span.ran_from is not None:
        return span.until(span.ran_from)
    if is_edit(call.tool):
        return span.until(span.end if span.ran_until is None else span.ran_until)
    return span.until(span.end, is_sure=False)


def _inferred(call: ToolCall, span: _CallSpan) -> Wait | None:
    if is_edit(call.tool):
        end = span.end if span.ran_until is None else span.ran_until
    elif _proved_start(call) and span.ran_from is not None:
        end = span.ran_from
    elif _is_too_long(call):
        end = span.end - _limit(call)
    else:
        return None
    wait = span.until(end)
    if wait.ms < _SHORTEST_INFERRED:
        return None
    return msgspec.structs.replace(wait, quality="inferred")


def _after(beside: list[ToolCall], call: ToolCall, wait: Wait) -> Wait | None:
    """Return an inferred wait without the time in which the calls of the same answer kept it.

    Until the answer had all of its calls and the calls before it had run, nobody was asked.
    """
    number = beside.index(call)
    times = [each.started_at for each in beside]
    times += [each.ended_at or "" for each in beside[:number]]
    known = (ms for time in times if (ms := milliseconds(time)) is not None)
    start = max((ms for ms in known if wait.start_ms < ms <= wait.end_ms), default=wait.start_ms)
    left = Wait(start, wait.end_ms - start, wait.quality)
    return left if left.ms >= _SHORTEST_INFERRED else None


def _is_too_long(call: ToolCall) -> bool:
    """Whether a command took longer than the client lets commands run."""
    if find_tool(call.tool).result is not BashResult or call.background_id:
        return False
    start, end = milliseconds(call.started_at), milliseconds(call.ended_at or "")
    if start is None or end is None or end - start < _LONGEST_COMMAND + _SHORTEST_INFERRED:
        return False
    return end - start > _limit(call)


def _limit(call: ToolCall) -> int:
    arguments = decode_input(call.tool, bytes(call.input))
    asked = arguments.timeout_ms if isinstance(arguments, BashInput) else None
    return max(_LONGEST_COMMAND, int(asked or 0))


def _span(call: ToolCall, *, is_alone: bool) -> _CallSpan | None:
    start, end = milliseconds(call.started_at), milliseconds(call.ended_at or "")
    if start is None or end is None or end < start:
        return None
    times = call.times or _NO_TIMES
    reached = milliseconds(times.reached_at or "")
    ran_until = milliseconds(times.ran_until or "")
    return _CallSpan(
        began=start if reached is None or not start <= reached <= end else reached,
        end=end,
        ran_from=_ran_from(call, end - start, end),
        ran_until=ran_until,
        is_alone=is_alone,
    )


def _ran_from(call: ToolCall, whole: int, end: int) -> int | None:
    """Return when a call began to run: as its progress says, or by the client's own measure."""
    if proved := _proved_start(call):
        return milliseconds(proved)
    own = call.duration_ms
    return end - own if own is not None and own < whole else None


def _proved_start(call: ToolCall) -> str:
    """Return when a command says that it began; commands of an agent report to its call."""
    is_command = find_tool(call.tool).input is BashInput
    return (call.times or _NO_TIMES).ran_from or "" if is_command else ""


def _modes(conversation: Conversation) -> dict[str, bool]:
    """Return of each message whether people were asked, by the mode of its turn."""
    by_turn: dict[int, bool] = {}
    for message in conversation.messages:
        if message.permission_mode and message.turn is not None:
            by_turn[message.turn] = message.permission_mode not in UNASKED_MODES
    return {
        message.id: by_turn[message.turn]
        for message in conversation.messages
        if message.turn in by_turn
    }
