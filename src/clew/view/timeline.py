"""Timeline: a session over time, in swim lanes: the main thread, and a lane for each agent run.

Times are milliseconds since 1970. Model calls and tool calls are bars; where nothing happens for
long, the timeline is cut, so that a day with three hours of work reads as three hours.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from clew.analytics import display_name
from clew.clock import milliseconds
from clew.conversation import AgentRun, Conversation, Message, ToolCall
from clew.parts import Tone
from clew.tools import call_label, decode_input, tool_title

BarKind: TypeAlias = Literal["model", "tool", "agent"]
TickKind: TypeAlias = Literal["prompt", "error", "compaction", "interrupt"]

MAIN_LANE: Final = "main"
_LONGEST_CALL: Final = 15 * 60_000
_IDLE: Final = 5 * 60_000
_AGENTS: Final = ("Agent", "Task")


class Bar(msgspec.Struct, frozen=True, gc=False):
    """A model call or a tool call; `id` is the message's or the call's, to which it leads."""

    id: str
    kind: BarKind
    label: str
    start_ms: int
    end_ms: int
    tone: Tone = ""


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
    calls: dict[str, list[ToolCall]] = {}
    run_ends = _run_ends(conversation.agent_runs)
    for call in conversation.tool_calls:
        # A call that starts a run in the background ends at once; its bar ends with the run.
        end = max(call.ended_at or "", run_ends.get(call.id, ""))
        own = msgspec.structs.replace(call, ended_at=end) if call.id in run_ends else call
        calls.setdefault(call.message_id, []).append(own)
    by_run: dict[str | None, list[Message]] = {}
    for message in conversation.messages:
        by_run.setdefault(message.agent_run_id, []).append(message)
    runs = sorted(conversation.agent_runs, key=lambda run: (run.started_at, run.id))
    titled = [(MAIN_LANE, "Main thread", 0, by_run.get(None, []))]
    titled += [(run.id, _run_title(run), run.depth, by_run.get(run.id, [])) for run in runs]
    found = (_lane(name, title, depth, own, calls) for name, title, depth, own in titled)
    lanes = tuple(lane for lane in found if lane is not None)
    cuts = tuple(_cuts(conversation))
    spans = [(bar.start_ms, bar.end_ms) for lane in lanes for bar in lane.bars]
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
    calls: dict[str, list[ToolCall]],
) -> Lane | None:
    bars: list[Bar] = []
    ticks: list[Tick] = []
    before: int | None = None
    for message in messages:
        start, end = milliseconds(message.started_at), milliseconds(message.ended_at)
        if start is None:
            continue
        end = max(start, end or start)
        own = [bar for call in calls.get(message.id, ()) if (bar := _call_bar(call))]
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


def _call_bar(call: ToolCall) -> Bar | None:
    start = milliseconds(call.started_at)
    if start is None:
        return None
    end = max(start, milliseconds(call.ended_at or "") or start)
    subject = call_label(call.tool, decode_input(call.tool, bytes(call.input)))
    tone: Tone = "bad" if call.is_error else ""
    if call.status in ("denied", "interrupted", "pending"):
        tone = "warn"
    kind: BarKind = "agent" if call.tool in _AGENTS else "tool"
    return Bar(call.id, kind, f"{tool_title(call.tool)} {subject}".strip(), start, end, tone)


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


def _run_title(run: AgentRun) -> str:
    subject = run.description or run.label or run.prompt.strip().partition("\n")[0]
    return ": ".join(filter(None, (run.name or run.agent or run.kind, subject)))[:160]


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
