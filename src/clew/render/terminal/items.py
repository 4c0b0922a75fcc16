"""The items of a page in order: answers with their calls and runs, and all others."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, assert_never

from clew.parts import Prose
from clew.render.formatting import clock_time, describe_compaction, local_time, tokens_in_out
from clew.render.safe import safe_line
from clew.render.terminal.calls import draw_call, draw_run_title
from clew.render.terminal.context import MOST_LINES, TerminalContext
from clew.render.terminal.header import draw_beginning, draw_fork, draw_rule
from clew.render.terminal.lines import BLANK, Line, Span, cut, indent, spaced, spread, wrap
from clew.render.terminal.messages import draw_message, draw_retries, draw_silent, is_silent
from clew.render.terminal.parts import draw_part, draw_parts
from clew.render.terminal.prose import folded, prose
from clew.view import (
    BodyPart,
    CallView,
    CompactionView,
    ForkView,
    GapView,
    Item,
    MessageView,
    Parallel,
    RunView,
    Thinking,
    UsageView,
)

_RUN: Final[Span] = ("  │ ", "run")
_BRANCH: Final[Span] = ("┊ ", "warn")
_BODY: Final[Span] = ("    ", "")
_THINKING: Final = 40
_MOST_CALLS: Final = 40
_SYNTHETIC: Final = "synthetic"
_NO_THINKING: Final = "∴ thinking (not in the transcript)"


def draw_items(items: Iterable[Item], context: TerminalContext) -> Iterator[Line]:
    """Draw items in order; messages that say nothing share a line."""
    silent: list[MessageView] = []
    for item in items:
        if isinstance(item, MessageView) and is_silent(item):
            silent.append(item)
            continue
        yield from draw_silent(silent, context)
        silent.clear()
        yield from _draw_item(item, context)
    yield from draw_silent(silent, context)


def _draw_item(item: Item, context: TerminalContext) -> Iterator[Line]:
    match item:
        case MessageView():
            turn = context.turns.get(item.id)
            yield from draw_rule(turn, context) if turn is not None else ()
            yield from _draw_message(item, context)
        case CompactionView():
            yield from _draw_compaction(item, context)
        case ForkView(kind="beginning"):
            yield from draw_beginning()
        case ForkView():
            yield from _draw_branches(item, context)
        case GapView():
            yield from _draw_gap(item, context)
        case RunView():
            yield from _draw_run(item, context, titled=True)
        case _:
            assert_never(item)


def _draw_message(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    if message.kind == "answer":
        yield from _draw_answer(message, context)
    else:
        yield from draw_message(message, context)


def _draw_compaction(item: CompactionView, context: TerminalContext) -> Iterator[Line]:
    words = safe_line(describe_compaction(item))
    rest = max(context.narrow - len(words) - 6, 0)
    yield BLANK
    yield [(cut(f"──── {words} {'─' * rest}", context.narrow), "warn")]
    yield BLANK
    if context.is_whole and item.summary:
        yield [("  · compaction summary", "quiet")]
        inner = context.indented(4).folded(MOST_LINES)
        yield from indent(draw_parts(item.summary, inner), _BODY)
        yield BLANK


def _draw_gap(gap: GapView, context: TerminalContext) -> Iterator[Line]:
    where = f" ({gap.source.file}:{gap.source.line})" if gap.source else ""
    text = safe_line(f"· · · {gap.text}{where}")
    style: str = gap.tone or "quiet"
    yield from ([(piece, style)] for piece in wrap(text, context.narrow, 6))


def _draw_branches(fork: ForkView, context: TerminalContext) -> Iterator[Line]:
    yield from draw_fork(fork, context)
    drawn = [branch for branch in fork.branches if branch.items and context.options.branches]
    for branch in drawn:
        yield from indent(spaced(draw_items(branch.items, context.indented(2))), _BRANCH)
    if drawn:
        yield BLANK
        yield [("⑂ back to the main thread", "warn")]


def _draw_answer(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    yield from draw_retries(message.retries, context)
    is_titled = False
    for piece in message.body:
        if not is_titled and not isinstance(piece, CallView | Parallel):
            is_titled = True
            yield BLANK
            yield _title(message, context)
        yield from _draw_piece(piece, message, context)
    if message.state:
        yield [(cut(f"  ■ {safe_line(message.state)}", context.narrow), "warn")]


def _draw_piece(piece: BodyPart, message: MessageView, context: TerminalContext) -> Iterator[Line]:
    match piece:
        case Thinking(text):
            yield from _draw_thinking(text, context)
            yield BLANK
        case CallView():
            yield from _draw_call(piece, context)
        case Parallel(calls):
            lines = chain.from_iterable(_draw_call(call, context) for call in calls)
            yield from lines if context.is_whole else _bracketed(list(lines))
        case Prose(text):
            yield from prose(text, context.width, "quiet" if message.subtype == _SYNTHETIC else "")
            yield BLANK
        case _:
            yield from draw_part(piece, context.folded(MOST_LINES))
            yield BLANK


def _draw_thinking(text: str, context: TerminalContext) -> Iterator[Line]:
    if text.strip():
        lines = folded(text, context.narrow - 2, _THINKING, "think")
        yield from indent(lines, ("∴ ", "think"))
    else:
        yield [(cut(_NO_THINKING, context.narrow), "think")]


def _title(message: MessageView, context: TerminalContext) -> Line:
    time = clock_time(local_time(message.started_at, context.options.zone))
    left: Line = [(safe_line(message.who), "model"), (f"  {time}", "quiet")]
    if message.cache_miss:
        left.append((f"  {safe_line(message.cache_miss)}", "quiet"))
    return spread(left, _tokens(message.spent), context.narrow)


def _tokens(spent: UsageView | None) -> Line:
    """Return what the model was given and what it wrote."""
    if spent is None:
        return []
    return [(f"{tokens_in_out(spent)} tokens", "quiet")]


def _draw_call(call: CallView, context: TerminalContext) -> Iterator[Line]:
    yield from draw_call(call, context)
    for run in call.runs:
        yield from _draw_run(run, context, titled=len(call.runs) > 1 or run.kind == "workflow")
    if context.is_whole:
        yield from indent(draw_parts(call.parts, context.indented(4).folded(MOST_LINES)), _BODY)


def _bracketed(lines: list[Line]) -> Iterator[Line]:
    """Put a bracket into the indent of lines that belong together."""
    for number, line in enumerate(lines):
        mark = "┌" if number == 0 else "└" if number == len(lines) - 1 else "│"
        (text, style), *others = line
        yield [(mark, "quiet"), (text[1:], style), *others]


def _draw_run(run: RunView, context: TerminalContext, *, titled: bool) -> Iterator[Line]:
    """Draw a run, indented once."""
    if titled:
        yield draw_run_title(run, context)
    inner = context.indented(4)
    opened = context.is_whole or context.is_of_runs
    lines = draw_items(run.items if opened else _gaps(run), inner)
    lines = lines if opened else chain(lines, _draw_calls(run, inner))
    yield from indent(spaced(lines), _RUN)


def _draw_calls(run: RunView, context: TerminalContext) -> Iterator[Line]:
    """Draw the calls of a run alone; of very many, the first and the last."""
    calls = list(_calls_in(run.items))
    if len(calls) <= _MOST_CALLS:
        first, last = calls, []
    else:
        first, last = calls[: _MOST_CALLS // 2], calls[len(calls) - _MOST_CALLS // 2 :]
    for call in first:
        yield from _draw_call(call, context)
    if last:
        yield [(cut(f"  … {len(calls) - _MOST_CALLS:,} calls …", context.narrow), "quiet")]
    for call in last:
        yield from _draw_call(call, context)


def _gaps(run: RunView) -> Iterator[GapView]:
    return (item for item in run.items if isinstance(item, GapView))


def _calls_in(items: Iterable[Item]) -> Iterator[CallView]:
    for item in items:
        for piece in item.body if isinstance(item, MessageView) else ():
            if isinstance(piece, CallView):
                yield piece
            elif isinstance(piece, Parallel):
                yield from piece.calls
