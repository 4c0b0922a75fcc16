"""Timeline: a session over time, in swim lanes: the main thread, and a lane for each agent run.

Times are milliseconds since 1970. Model calls and tool calls are bars; where nothing happens for
long, the timeline is cut, so that a day with three hours of work reads as three hours.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from clew.analytics import display_name
from clew.clock import milliseconds
from clew.conversation import AgentRun, Conversation, Message, ToolCall
from clew.figures import plural
from clew.parts import Tone
from clew.tools import (
    Wait,
    call_label,
    decode_input,
    find_waits,
    has_failed_tests,
    tool_title,
)
from clew.view.runs import run_label

BarKind: TypeAlias = Literal["model", "tool", "agent", "run"]
TickKind: TypeAlias = Literal["prompt", "error", "compaction", "interrupt"]

MAIN_LANE: Final = "main"
HIDDEN_LANE: Final = "hidden"
"""The lane of all runs that the client started by itself, to warm up or to suggest a prompt."""
_LONGEST_CALL: Final = 15 * 60_000
_IDLE: Final = 5 * 60_000
_SHORTEST_WAIT: Final = 1_000
_AGENTS: Final = ("Agent", "Task")
_HIDDEN_WORDS: Final = {"suggestion": "suggestion", "warmup": "warm-up"}


class Bar(msgspec.Struct, frozen=True, gc=False):
    """A model call or a tool call; `id` is the message's or the call's, to which it leads.

    In the lane of what the client started by itself, it is a whole run, and `id` that of the run.

    Up to `waited_until_ms` it waited, `waiting_ms` of it for a person, as certain as
    `waiting_quality` says.
    """

    id: str
    kind: BarKind
    label: str
    start_ms: int
    end_ms: int
    tone: Tone = ""
    waited_until_ms: int | None = None
    waiting_ms: int = 0
    waiting_quality: str = ""


class Tick(msgspec.Struct, frozen=True, gc=False):
    """A moment."""

    id: str
    kind: TickKind
    label: str
    at_ms: int


class Lane(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The main thread, or one agent run."""

    id: str
    title: str
    depth: int = 0
    start_ms: int
    end_ms: int
    bars: tuple[Bar, ...] = ()
    ticks: tuple[Tick, ...] = ()


class Interval(msgspec.Struct, frozen=True, gc=False):
    """A time in which something happened, or an idle one."""

    start_ms: int
    end_ms: int
    is_idle: bool = False


class Timeline(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A session over time; `cuts` are the compactions, which go through all lanes."""

    start_ms: int = 0
    end_ms: int = 0
    lanes: tuple[Lane, ...] = ()
    cuts: tuple[Tick, ...] = ()
    intervals: tuple[Interval, ...] = ()


def make_timeline(conversation: Conversation) -> Timeline:
    """Lay a conversation out over time; what has no time is left out."""
    calls: dict[str, list[Bar]] = {}
    waits = find_waits(conversation)
    run_ends = _run_ends(conversation.agent_runs)
    for call in conversation.tool_calls:
        # A call that starts a run in the background ends at once; its bar ends with the run.
        end = max(call.ended_at or "", run_ends.get(call.id, ""))
        own = msgspec.structs.replace(call, ended_at=end) if call.id in run_ends else call
        bar = _call_bar(own, waits.get(call.id))
        if bar is not None:
            calls.setdefault(call.message_id, []).append(bar)
    by_run: dict[str | None, list[Message]] = {}
    for message in conversation.messages:
        by_run.setdefault(message.agent_run_id, []).append(message)
    runs = sorted(conversation.agent_runs, key=lambda run: (run.started_at, run.id))
    shown = [run for run in runs if not run.is_hidden]
    titled = [(MAIN_LANE, "Main thread", 0, by_run.get(None, []))]
    titled += [(run.id, run_label(run)[:160], run.depth, by_run.get(run.id, [])) for run in shown]
    found = [_lane(name, title, depth, own, calls) for name, title, depth, own in titled]
    found.append(_hidden_lane([run for run in runs if run.is_hidden]))
    lanes = tuple(lane for lane in found if lane is not None)
    cuts = tuple(_cuts(conversation))
    # Of a call that started an agent, the lanes of its runs say when something happened.
    started = {run.tool_call_id for run, lane in zip(shown, found[1:], strict=False) if lane}
    spans = [
        span
        for lane in lanes
        for bar in lane.bars
        for span in (_ends(bar) if bar.id in started else _worked(bar))
    ]
    spans += [(tick.at_ms, tick.at_ms) for lane in lanes for tick in lane.ticks]
    spans += [(cut.at_ms, cut.at_ms) for cut in cuts]
    if not spans:
        return Timeline()
    return Timeline(
        start_ms=min(start for start, _ in spans),
        end_ms=max(end for _, end in spans),
        lanes=lanes,
        cuts=cuts,
        intervals=tuple(_stretches(spans)),
    )


def _lane(
    name: str,
    title: str,
    depth: int,
    messages: list[Message],
    calls: dict[str, list[Bar]],
) -> Lane | None:
    bars: list[Bar] = []
    ticks: list[Tick] = []
    before: int | None = None
    for message in messages:
        start, end = milliseconds(message.started_at), milliseconds(message.ended_at)
        if start is None:
            continue
        end = max(start, end or start)
        own = calls.get(message.id, [])
        if message.kind == "answer":
            bars.append(_model_bar(message, before, start, end))
        bars.extend(own)
        ticks.extend(_ticks(message, start, own))
        before = max([end, *(bar.end_ms for bar in own if bar.kind == "tool")])
    moments = [*(bar.start_ms for bar in bars), *(tick.at_ms for tick in ticks)]
    if not moments:
        return None
    ends = [*(bar.end_ms for bar in bars), *moments]
    return Lane(
        id=name,
        title=title,
        depth=depth,
        start_ms=min(moments),
        end_ms=max(ends),
        bars=tuple(bars),
        ticks=tuple(ticks),
    )


def _model_bar(message: Message, before: int | None, start: int, end: int) -> Bar:
    """Draw a model call from when it could begin: what it answers is the last that came before."""
    begun = start if before is None or not 0 <= start - before <= _LONGEST_CALL else before
    tone: Tone = "bad" if message.error else ""
    return Bar(message.id, "model", display_name(message.model or "") or "model", begun, end, tone)


def _call_bar(call: ToolCall, wait: Wait | None) -> Bar | None:
    start = milliseconds(call.started_at)
    if start is None:
        return None
    end = max(start, milliseconds(call.ended_at or "") or start)
    reached = None if call.times is None else milliseconds(call.times.reached_at or "")
    # Until then, it waited for the calls beside it.
    began = reached if wait is None else wait.start_ms
    start = min(max(start, began or start), end)
    arguments = decode_input(call.tool, bytes(call.input))
    subject = call_label(call.tool, arguments)
    tone: Tone = "bad" if call.is_error or has_failed_tests(call, arguments) else ""
    if call.status in ("denied", "interrupted", "pending"):
        tone = "warn"
    kind: BarKind = "agent" if call.tool in _AGENTS else "tool"
    bar = Bar(call.id, kind, f"{tool_title(call.tool)} {subject}".strip(), start, end, tone)
    if wait is None or wait.ms < _SHORTEST_WAIT:
        return bar
    return msgspec.structs.replace(
        bar,
        waited_until_ms=min(wait.end_ms, end),
        waiting_ms=wait.ms,
        waiting_quality=wait.quality,
    )


def _ticks(message: Message, start: int, bars: Iterable[Bar]) -> Iterator[Tick]:
    words = message.text.strip().partition("\n")[0][:120]
    match message.kind:
        case "prompt" | "steering" | "command" | "bash_input":
            yield Tick(message.id, "prompt", words, start)
        case "api_error":
            yield Tick(message.id, "error", words or "API error", start)
        case "interrupt":
            yield Tick(message.id, "interrupt", "interrupted", start)
        case _:
            pass
    for bar in bars:
        if bar.tone == "bad":
            yield Tick(bar.id, "error", bar.label, bar.end_ms)


def _cuts(conversation: Conversation) -> Iterator[Tick]:
    times = {message.id: message.started_at for message in conversation.messages}
    for epoch in conversation.epochs:
        at = milliseconds(times.get(epoch.boundary_id or "", ""))
        if epoch.boundary_id and at is not None:
            words = "restored" if epoch.is_restored else epoch.trigger or "compacted"
            yield Tick(epoch.boundary_id, "compaction", words, at)


def _run_ends(runs: Iterable[AgentRun]) -> dict[str, str]:
    """Find when the last run that a call started ended."""
    ends: dict[str, str] = {}
    for run in runs:
        if run.tool_call_id and run.ended_at:
            ends[run.tool_call_id] = max(run.ended_at, ends.get(run.tool_call_id, ""))
    return ends


def _hidden_lane(runs: Sequence[AgentRun]) -> Lane | None:
    """Draw the runs that the client started by itself in one lane, a bar for each."""
    bars = [bar for bar in map(_run_bar, runs) if bar is not None]
    if not bars:
        return None
    counts = Counter(_HIDDEN_WORDS.get(run.kind, "other run") for run in runs)
    title = ", ".join(plural(number, word) for word, number in sorted(counts.items()))
    start, end = min(bar.start_ms for bar in bars), max(bar.end_ms for bar in bars)
    return Lane(id=HIDDEN_LANE, title=title, start_ms=start, end_ms=end, bars=tuple(bars))


def _run_bar(run: AgentRun) -> Bar | None:
    start, end = milliseconds(run.started_at), milliseconds(run.ended_at)
    if start is None:
        return None
    word = _HIDDEN_WORDS.get(run.kind, run.kind).capitalize()
    return Bar(run.id, "run", word, start, max(start, end or start))


def _ends(bar: Bar) -> Iterator[tuple[int, int]]:
    yield bar.start_ms, bar.start_ms
    yield bar.end_ms, bar.end_ms


def _worked(bar: Bar) -> Iterator[tuple[int, int]]:
    """Return when a bar keeps the timeline open: a long wait for a person is folded as idle."""
    if bar.waiting_ms > _IDLE and bar.waited_until_ms is not None:
        yield bar.start_ms, bar.start_ms
        yield bar.waited_until_ms, bar.end_ms
    else:
        yield bar.start_ms, bar.end_ms


def _stretches(spans: Iterable[tuple[int, int]]) -> Iterator[Interval]:
    """Join times that touch or nearly touch; what lies between is idle."""
    ordered = sorted(spans)
    start, end = ordered[0]
    for begin, finish in ordered[1:]:
        if begin - end > _IDLE:
            yield Interval(start, end)
            yield Interval(end, begin, is_idle=True)
            start = begin
        end = max(end, finish)
    yield Interval(start, end)
