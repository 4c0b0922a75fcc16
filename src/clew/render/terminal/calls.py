"""Tool calls and agent runs, one line each: what was done to what, and what it took."""

from collections.abc import Iterator
from typing import Final

from clew.render.figures import cost_of_all, duration, plural, scaled
from clew.render.safe import safe_line
from clew.render.terminal.lines import Line, Span, columns, cut, cut_front, indent, spread
from clew.render.terminal.prose import folded
from clew.render.terminal.sheet import FEW_LINES, Sheet
from clew.view import CallView, RunView

_VERB: Final = 6
_SIZE: Final = 8
_TIME: Final = 11
_NARROW: Final = 76
_SHORTEST_MS: Final = 100
_SMALLEST_SIZE: Final = 1000
_SMALLEST_LABEL: Final = 12
_MARKS: Final = {"failed": "✗", "denied": "✗", "interrupted": "■", "pending": "…"}
_REPLY: Final[Span] = ("  ▌ ", "bar")


def draw_call(call: CallView, sheet: Sheet) -> Iterator[Line]:
    """Draw a call's line, and what a person said to it."""
    name = safe_line(call.verb)
    right = [*_state(call, sheet), *(_taken_by_runs(call.runs, sheet) or _taken(call, sheet))]
    room = sheet.narrow - columns(right) - max(len(name), _VERB) - 6
    label = _label(call, max(room, _SMALLEST_LABEL))
    yield spread([("  ", ""), (f"{name:<{_VERB}}  ", "tool"), *label], right, sheet.narrow)
    yield from indent(folded(call.reply, sheet.narrow - 4, FEW_LINES), _REPLY)


def draw_run_title(run: RunView, sheet: Sheet) -> Line:
    """Draw the line above a run that no line of a call stands for."""
    agent = ": ".join(filter(None, (run.agent, run.title)))
    known = (run.phase, "not shown here" if run.is_linked else "")
    where = "".join(f" ({words})" for words in known if words)
    words: Line = [("  ", ""), (f"{'run':<{_VERB}}  ", "run"), (safe_line(agent + where), "")]
    state = [_marked(run.status, run.status, "")] if run.status in _MARKS else []
    return spread(words, [*state, *_taken_by_runs((run,), sheet)], sheet.narrow)


def _label(call: CallView, room: int) -> Line:
    """Tell what was acted on and the counts of an edit; a path is cut at its front."""
    counts: Line = []
    if call.added is not None or call.removed is not None:
        added, removed = f"+{call.added or 0}", f"-{call.removed or 0}"
        least = "≥ " if call.is_lower_bound else ""
        counts = [("  ", ""), (least, "quiet"), (added, "good"), (" ", ""), (removed, "bad")]
    told = safe_line(call.label)
    room = max(room - columns(counts), 1)
    return [(cut(told, room) if " " in told else cut_front(told, room), ""), *counts]


def _state(call: CallView, sheet: Sheet) -> Line:
    if not call.state:
        return []
    return [_marked(call.status, cut(safe_line(call.state), sheet.narrow // 2), call.tone)]


def _marked(status: str, words: str, tone: str) -> Span:
    """Put a mark before how something went, since colour alone is not enough."""
    mark = _MARKS.get(status, "")
    style = "bad" if status == "failed" else "warn" if mark else tone or "quiet"
    return (f"{mark} {words}".lstrip(), style)


def _taken(call: CallView, sheet: Sheet) -> Line:
    """Give size and time in columns of their own, as far as they are worth a look."""
    time = call.duration_ms or 0
    told_size = scaled(call.size_bytes, "B") if call.size_bytes >= _SMALLEST_SIZE else ""
    told_time = duration(time) if time >= _SHORTEST_MS else ""
    if sheet.narrow < _NARROW:
        return [(f"  {told_time}", "quiet")] if told_time else []
    told = f"{told_size:>{_SIZE + 2}}{told_time:>{_TIME + 2}}"
    return [(told, "quiet")] if told.strip() else []


def _taken_by_runs(runs: tuple[RunView, ...], sheet: Sheet) -> Line:
    """Sum what agent runs took, in the columns of a call's size and time."""
    if not runs:
        return []
    cost = cost_of_all(run.spent for run in runs)
    longest = max(run.duration_ms or 0 for run in runs)
    time = duration(longest) if longest else ""
    if sheet.narrow < _NARROW:
        return [(f"  {time}", "quiet")] if time else []
    calls = plural(sum(run.calls for run in runs), "call")
    return [(f"  {calls}{cost:>{_SIZE + 2}}{time:>{_TIME + 2}}", "quiet")]
