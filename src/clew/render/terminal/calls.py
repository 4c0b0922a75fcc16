"""Tool calls and agent runs, one line each: what was done to what, and what it took."""

from collections.abc import Iterator
from typing import Final

from clew.render.formatting import call_size, call_time, cost_of_all, duration, plural
from clew.render.safe import safe_line
from clew.render.terminal.context import FEW_LINES, TerminalContext
from clew.render.terminal.lines import Line, Span, columns, cut, cut_front, indent, spread
from clew.render.terminal.prose import folded
from clew.view import CallView, RunView

_VERB: Final = 6
_SIZE: Final = 8
_TIME: Final = 11
_NARROW: Final = 76
_SMALLEST_LABEL: Final = 12
_MARKS: Final = {"failed": "✗", "denied": "✗", "interrupted": "■", "pending": "…"}
_REPLY: Final[Span] = ("  ▌ ", "bar")


def draw_call(call: CallView, context: TerminalContext) -> Iterator[Line]:
    """Draw a call's line, and what a person said to it."""
    name = safe_line(call.verb)
    right = [
        *_state(call, context),
        *(_run_totals(call.runs, context) or _size_and_time(call, context)),
    ]
    room = context.narrow - columns(right) - max(len(name), _VERB) - 6
    label = _label(call, max(room, _SMALLEST_LABEL))
    yield spread([("  ", ""), (f"{name:<{_VERB}}  ", "tool"), *label], right, context.narrow)
    yield from indent(folded(call.reply, context.narrow - 4, FEW_LINES), _REPLY)


def draw_run_title(run: RunView, context: TerminalContext) -> Line:
    """Draw the title of a run that is not shown below a single call."""
    agent = ": ".join(filter(None, (run.agent, run.title)))
    known = (run.phase, "not shown here" if run.is_linked else "")
    where = "".join(f" ({words})" for words in known if words)
    words: Line = [("  ", ""), (f"{'run':<{_VERB}}  ", "run"), (safe_line(agent + where), "")]
    state = [_marked(run.status, run.status, "")] if run.status in _MARKS else []
    return spread(words, [*state, *_run_totals((run,), context)], context.narrow)


def _label(call: CallView, room: int) -> Line:
    """Return the label with the line counts of an edit; a path is cut at its front."""
    counts: Line = []
    if call.added is not None or call.removed is not None:
        added, removed = f"+{call.added or 0:,}", f"-{call.removed or 0:,}"
        least = "≥ " if call.is_lower_bound else ""
        counts = [("  ", ""), (least, "quiet"), (added, "good"), (" ", ""), (removed, "bad")]
    text = safe_line(call.label)
    room = max(room - columns(counts), 1)
    return [(cut(text, room) if " " in text else cut_front(text, room), ""), *counts]


def _state(call: CallView, context: TerminalContext) -> Line:
    if not call.state:
        return []
    # Tests may fail in a call that is done.
    status = "failed" if call.tone == "bad" else call.status
    return [_marked(status, cut(safe_line(call.state), context.narrow // 2), call.tone)]


def _marked(status: str, words: str, tone: str) -> Span:
    """Put a mark before how something went, since colour alone is not enough."""
    mark = _MARKS.get(status, "")
    style = "bad" if status == "failed" else "warn" if mark else tone or "quiet"
    return (f"{mark} {words}".lstrip(), style)


def _size_and_time(call: CallView, context: TerminalContext) -> Line:
    """Return size and time in columns of their own, as far as they are worth a look."""
    size, time = call_size(call), call_time(call)
    if context.narrow < _NARROW:
        return [(f"  {time}", "quiet")] if time else []
    text = f"{size:>{_SIZE + 2}}{time:>{_TIME + 2}}"
    return [(text, "quiet")] if text.strip() else []


def _run_totals(runs: tuple[RunView, ...], context: TerminalContext) -> Line:
    """Sum what agent runs took, in the columns of a call's size and time."""
    if not runs:
        return []
    cost = cost_of_all(run.spent for run in runs)
    longest = max(run.duration_ms or 0 for run in runs)
    time = duration(longest) if longest else ""
    if context.narrow < _NARROW:
        return [(f"  {time}", "quiet")] if time else []
    calls = plural(sum(run.calls for run in runs), "call")
    return [(f"  {calls}{cost:>{_SIZE + 2}}{time:>{_TIME + 2}}", "quiet")]
