"""Tool calls, one line each: what was done to what, and at the right end what it took."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from clew.analytics import bill_all
from clew.clock import milliseconds
from clew.conversation import AgentRun, ToolCall
from clew.render.figures import dollars, duration, plural, scaled
from clew.render.safe import safe_line
from clew.render.terminal.bodies import draw_body
from clew.render.terminal.lines import Line, Span, columns, cut, cut_front, indent, spread
from clew.render.terminal.page import Page
from clew.render.terminal.prose import folded
from clew.tools import ToolError, decode_input, decode_result, label, reply, verb
from clew.view import calls_of

_VERB: Final = 6
_SIZE: Final = 8
_TIME: Final = 11
_NARROW: Final = 76
_SHORTEST_MS: Final = 100
_SMALLEST_SIZE: Final = 1000
_REPLY: Final = 12
_CHANGE: Final = re.compile(r"(.*) (\+\d+) (-\d+)$")
_STATES: Final[dict[str, Span]] = {
    "failed": ("✗ failed", "bad"),
    "denied": ("✗ denied", "warn"),
    "interrupted": ("■ interrupted", "warn"),
    "pending": ("… pending", "warn"),
}


def draw_call(call: ToolCall, runs: Iterable[AgentRun], page: Page) -> Iterator[Line]:
    """Draw a call's line, and what a person said to it."""
    arguments, result = _decoded(call)
    name = safe_line(verb(call.tool))
    told = safe_line(label(call.tool, arguments, result, page.index.conversation.session.cwd))
    right = [*_state(call, result), *(_taken_by_runs(list(runs), page) or _taken(call, page))]
    room = page.narrow - columns(right) - max(len(name), _VERB) - 6
    left: Line = [("  ", ""), (f"{name:<{_VERB}}  ", "tool"), *_painted(told, room)]
    yield spread(left, right, page.narrow)
    yield from indent(folded(reply(result), page.narrow - 4, _REPLY), ("  ▌ ", "bar"))


def draw_call_body(call: ToolCall, page: Page) -> Iterator[Line]:
    """Draw what was asked and what came of it."""
    arguments, result = _decoded(call)
    yield from indent(draw_body(call, arguments, result, page.width - 4), ("    ", ""))


def draw_run_title(run: AgentRun, page: Page) -> Line:
    """Draw the line above a run that no line of a call stands for."""
    told = run.label or run.description or run.prompt.strip().partition("\n")[0]
    agent = ": ".join(filter(None, (run.name or run.agent or run.kind, told)))
    where = f" ({run.phase})" if run.phase else ""
    words: Line = [("  ", ""), (f"{'run':<{_VERB}}  ", "run"), (safe_line(agent + where), "")]
    state = _STATES.get(run.status)
    return spread(words, [*([state] if state else []), *_taken_by_runs([run], page)], page.narrow)


def _decoded(call: ToolCall) -> tuple[object, object]:
    arguments = decode_input(call.tool, bytes(call.input))
    if call.status == "pending":
        return arguments, None
    is_error = call.is_error or None
    raw, text = bytes(call.result), call.result_text
    return arguments, decode_result(call.tool, raw, text, arguments, is_error=is_error)


def _painted(text: str, room: int) -> Line:
    """Paint the counts of an edit, and cut what stands before them: a path at its front."""
    found = _CHANGE.fullmatch(text)
    told = found[1] if found else text
    counts: Line = [("  ", ""), (found[2], "good"), (" ", ""), (found[3], "bad")] if found else []
    room = max(room - columns(counts), 1)
    return [(cut(told, room) if " " in told else cut_front(told, room), ""), *counts]


def _state(call: ToolCall, result: object) -> Line:
    if call.status == "done":
        return [("background", "quiet")] if call.background_id else []
    words, style = _STATES.get(call.status, (safe_line(call.status), "warn"))
    if isinstance(result, ToolError) and result.exit_code is not None:
        words = f"{words}, exit {result.exit_code}"
    return [(words, style)]


def _taken(call: ToolCall, page: Page) -> Line:
    """Give size and time in columns of their own, as far as they are worth a look."""
    size = len(call.result_text)
    time = call.duration_ms or 0
    told_size = scaled(size, "B") if size >= _SMALLEST_SIZE else ""
    told_time = duration(time) if time >= _SHORTEST_MS else ""
    if page.narrow < _NARROW:
        return [(f"  {told_time}", "quiet")] if told_time else []
    told = f"{told_size:>{_SIZE + 2}}{told_time:>{_TIME + 2}}"
    return [(told, "quiet")] if told.strip() else []


def _taken_by_runs(runs: list[AgentRun], page: Page) -> Line:
    """Sum what agent runs took, in the columns of a call's size and time."""
    if not runs:
        return []
    messages = [m for run in runs for m in page.index.messages_by_run.get(run.id, ())]
    calls = sum(len(calls_of(message, page.index)) for message in messages)
    cost = dollars(bill_all(messages, page.index.bills).nano_dollars)
    starts = [at for run in runs if (at := milliseconds(run.started_at)) is not None]
    ends = [at for run in runs if (at := milliseconds(run.ended_at)) is not None]
    time = duration(max(ends) - min(starts)) if starts and ends else ""
    if page.narrow < _NARROW:
        return [(f"  {time}", "quiet")]
    return [(f"  {plural(calls, 'call')}{cost:>{_SIZE + 2}}{time:>{_TIME + 2}}", "quiet")]
