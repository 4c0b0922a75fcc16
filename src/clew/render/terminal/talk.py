"""What stands on a page, in order: answers with their calls and runs, and all else between."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, assert_never

from clew.parts import Prose
from clew.render.figures import clock_time, compaction_words, moment, scaled
from clew.render.safe import safe_line
from clew.render.terminal.calls import draw_call, draw_run_title
from clew.render.terminal.header import draw_beginning, draw_fork, draw_rule
from clew.render.terminal.lines import BLANK, Line, Span, cut, indent, spaced, spread, wrap
from clew.render.terminal.parts import draw_part, draw_parts
from clew.render.terminal.prose import folded, prose
from clew.render.terminal.sayings import draw_retries, draw_saying, draw_silent, is_silent
from clew.render.terminal.sheet import MOST_LINES, Sheet
from clew.view import (
    CallView,
    CompactionView,
    ForkView,
    GapView,
    Item,
    MessageView,
    Parallel,
    Piece,
    RunView,
    Spent,
    Thinking,
)

_RUN: Final[Span] = ("  │ ", "run")
_BRANCH: Final[Span] = ("┊ ", "warn")
_BODY: Final[Span] = ("    ", "")
_THINKING: Final = 40
_MOST_CALLS: Final = 40
_SYNTHETIC: Final = "synthetic"
_NO_THINKING: Final = "∴ thinking that the transcript does not hold"


def draw_items(items: Iterable[Item], sheet: Sheet) -> Iterator[Line]:
    """Draw items in order; messages that say nothing share a line."""
    silent: list[MessageView] = []
    for item in items:
        if isinstance(item, MessageView) and is_silent(item):
            silent.append(item)
            continue
        yield from draw_silent(silent, sheet)
        silent.clear()
        yield from _draw_item(item, sheet)
    yield from draw_silent(silent, sheet)


def _draw_item(item: Item, sheet: Sheet) -> Iterator[Line]:
    match item:
        case MessageView():
            turn = sheet.turns.get(item.id)
            yield from draw_rule(turn, sheet) if turn is not None else ()
            yield from _draw_message(item, sheet)
        case CompactionView():
            yield from _draw_compaction(item, sheet)
        case ForkView(kind="beginning"):
            yield from draw_beginning()
        case ForkView():
            yield from _draw_branches(item, sheet)
        case GapView():
            yield from _draw_gap(item, sheet)
        case RunView():
            yield from _draw_run(item, sheet, titled=True)
        case _:
            assert_never(item)


def _draw_message(message: MessageView, sheet: Sheet) -> Iterator[Line]:
    if message.kind == "answer":
        yield from _draw_answer(message, sheet)
    else:
        yield from draw_saying(message, sheet)


def _draw_compaction(item: CompactionView, sheet: Sheet) -> Iterator[Line]:
    words = safe_line(compaction_words(item))
    rest = max(sheet.narrow - len(words) - 6, 0)
    yield BLANK
    yield [(cut(f"──── {words} {'─' * rest}", sheet.narrow), "warn")]
    yield BLANK
    if sheet.is_whole and item.summary:
        yield [("  · compaction summary", "quiet")]
        inner = sheet.inside(4).folded(MOST_LINES)
        yield from indent(draw_parts(item.summary, inner), _BODY)
        yield BLANK


def _draw_gap(gap: GapView, sheet: Sheet) -> Iterator[Line]:
    where = f" ({gap.source.file}:{gap.source.line})" if gap.source else ""
    told = safe_line(f"· · · {gap.text}{where}")
    style: str = gap.tone or "quiet"
    yield from ([(piece, style)] for piece in wrap(told, sheet.narrow, 6))


def _draw_branches(fork: ForkView, sheet: Sheet) -> Iterator[Line]:
    yield from draw_fork(fork, sheet)
    drawn = [branch for branch in fork.branches if branch.items and sheet.options.branches]
    for branch in drawn:
        yield from indent(spaced(draw_items(branch.items, sheet.inside(2))), _BRANCH)
    if drawn:
        yield BLANK
        yield [("⑂ back to the main thread", "warn")]


def _draw_answer(message: MessageView, sheet: Sheet) -> Iterator[Line]:
    yield from draw_retries(message.retries, sheet)
    is_titled = False
    for piece in message.body:
        if not is_titled and not isinstance(piece, CallView | Parallel):
            is_titled = True
            yield BLANK
            yield _title(message, sheet)
        yield from _draw_piece(piece, message, sheet)
    if message.state:
        yield [(cut(f"  ■ {safe_line(message.state)}", sheet.narrow), "warn")]


def _draw_piece(piece: Piece, message: MessageView, sheet: Sheet) -> Iterator[Line]:
    match piece:
        case Thinking(text):
            yield from _draw_thinking(text, sheet)
            yield BLANK
        case CallView():
            yield from _draw_call(piece, sheet)
        case Parallel(calls):
            lines = chain.from_iterable(_draw_call(call, sheet) for call in calls)
            yield from lines if sheet.is_whole else _bracketed(list(lines))
        case Prose(text):
            yield from prose(text, sheet.width, "quiet" if message.subtype == _SYNTHETIC else "")
            yield BLANK
        case _:
            yield from draw_part(piece, sheet.folded(MOST_LINES))
            yield BLANK


def _draw_thinking(text: str, sheet: Sheet) -> Iterator[Line]:
    if text.strip():
        lines = folded(text, sheet.narrow - 2, _THINKING, "think")
        yield from indent(lines, ("∴ ", "think"))
    else:
        yield [(cut(_NO_THINKING, sheet.narrow), "think")]


def _title(message: MessageView, sheet: Sheet) -> Line:
    time = clock_time(moment(message.started_at, sheet.options.zone))
    left: Line = [(safe_line(message.who), "model"), (f"  {time}", "quiet")]
    if message.cache_miss:
        left.append((f"  {safe_line(message.cache_miss)}", "quiet"))
    return spread(left, _tokens(message.spent), sheet.narrow)


def _tokens(spent: Spent | None) -> Line:
    """Give what the model was given and what it wrote."""
    if spent is None:
        return []
    least = "+" if spent.is_lower_bound else ""
    told = f"{scaled(spent.given_tokens)} → {scaled(spent.written_tokens)}{least} tokens"
    return [(told, "quiet")]


def _draw_call(call: CallView, sheet: Sheet) -> Iterator[Line]:
    yield from draw_call(call, sheet)
    for run in call.runs:
        yield from _draw_run(run, sheet, titled=len(call.runs) > 1 or run.kind == "workflow")
    if sheet.is_whole:
        yield from indent(draw_parts(call.parts, sheet.inside(4).folded(MOST_LINES)), _BODY)


def _bracketed(lines: list[Line]) -> Iterator[Line]:
    """Put a bracket into the indent of lines that belong together."""
    for number, line in enumerate(lines):
        mark = "┌" if number == 0 else "└" if number == len(lines) - 1 else "│"
        (text, style), *others = line
        yield [(mark, "quiet"), (text[1:], style), *others]


def _draw_run(run: RunView, sheet: Sheet, *, titled: bool) -> Iterator[Line]:
    """Draw a run, indented once."""
    if titled:
        yield draw_run_title(run, sheet)
    inner = sheet.inside(4)
    opened = sheet.is_whole or sheet.is_of_runs
    lines = draw_items(run.items if opened else _gaps(run), inner)
    lines = lines if opened else chain(lines, _draw_calls(run, inner))
    yield from indent(spaced(lines), _RUN)


def _draw_calls(run: RunView, sheet: Sheet) -> Iterator[Line]:
    """Draw the calls of a run alone; of very many, the first and the last."""
    calls = list(_calls_in(run.items))
    if len(calls) <= _MOST_CALLS:
        first, last = calls, []
    else:
        first, last = calls[: _MOST_CALLS // 2], calls[len(calls) - _MOST_CALLS // 2 :]
    for call in first:
        yield from _draw_call(call, sheet)
    if last:
        yield [(cut(f"  … {len(calls) - _MOST_CALLS:,} calls …", sheet.narrow), "quiet")]
    for call in last:
        yield from _draw_call(call, sheet)


def _gaps(run: RunView) -> Iterator[GapView]:
    return (item for item in run.items if isinstance(item, GapView))


def _calls_in(items: Iterable[Item]) -> Iterator[CallView]:
    for item in items:
        for piece in item.body if isinstance(item, MessageView) else ():
            if isinstance(piece, CallView):
                yield piece
            elif isinstance(piece, Parallel):
                yield from piece.calls
