"""The facts of a session, the rule of each turn, forks and problems."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from clew.analytics import find_checkout
from clew.problems import Severity
from clew.render.formatting import (
    UNTITLED,
    clock_time,
    cost,
    cost_estimate,
    day,
    duration,
    is_worth_showing,
    local_time,
    plural,
    scaled,
    waiting_time,
)
from clew.render.safe import safe_line
from clew.render.terminal.context import TerminalContext
from clew.render.terminal.digest import draw_digest
from clew.render.terminal.lines import BLANK, Line, Span, columns, cut, spread, wrap
from clew.render.terminal.note import draw_note
from clew.view import BranchView, ForkView, FrameView, Header, MessageView, ProblemNote, TurnView

_BETWEEN: Final = " · "
_SHORT_ID: Final = 8
_ROOM_FOR_TIME: Final = 50
_ROOM_FOR_CALLS: Final = 70


def draw_header(frame: FrameView, context: TerminalContext) -> Iterator[Line]:
    """Draw the title and the facts of the session."""
    header = frame.header
    title = safe_line(header.title) or UNTITLED
    yield from ([(piece, "title")] for piece in wrap(title, context.narrow))
    yield from ([(piece, "warn")] for piece in wrap(header.notice, context.narrow) if piece)
    yield from _flow([*_facts(header, context), *_counts(header)], context.narrow, "")
    lineage = (f"{words} {other[:_SHORT_ID]}" for words, other in header.lineage)
    names = [header.id, header.cwd, *_versions(header.versions), *lineage]
    yield from _flow(names, context.narrow, "quiet")
    if header.note is not None and context.options.turn is None:
        yield from draw_note(header.note, context)
    if header.digest is not None and context.options.turn is None:
        yield from draw_digest(header.digest, context)
    yield BLANK


def draw_rule(turn: TurnView, context: TerminalContext) -> Iterator[Line]:
    """Draw the rule above a turn: its number, when it was, what it took."""
    at = local_time(turn.started_at, context.options.zone)
    when = " ".join(filter(None, (day(at) if turn.id in context.dated else "", clock_time(at))))
    facts = [when, *_turn_facts(turn)]
    text = _BETWEEN.join(fact for fact in facts if fact)
    head = f"── {turn.index} "
    rest = context.narrow - len(head) - len(text) - 4
    number = (f"{turn.index} ", "number")
    yield BLANK
    if rest > 0:
        yield [("── ", "rule"), number, (f"{'─' * rest} {text} ──", "rule")]
    else:
        yield [("── ", "rule"), number, (f" {cut(text, context.narrow - 8)}", "rule")]


def draw_outline(turn: TurnView, context: TerminalContext) -> Line:
    """Draw a turn as one line: its number, when it was, how its prompt begins, what it took."""
    time = clock_time(local_time(turn.started_at, context.options.zone))
    words = safe_line(turn.title) or "(no text)"
    fork: Span = ("⑂", "warn") if turn.branch_id else (" ", "")
    left: Line = [fork, (f"{turn.index:>3}  ", "number"), (f"{time:>5}  ", "quiet"), (words, "")]
    return spread(left, _outline_facts(turn, context), context.narrow)


def draw_fork(fork: ForkView, context: TerminalContext) -> Iterator[Line]:
    """Draw a fork: the first line of each other branch."""
    branches = [branch for branch in fork.branches if not branch.is_main]
    others, them = ("the other one", "it") if len(branches) == 1 else ("the others", "them")
    yield BLANK
    yield [(cut(f"⑂ fork: {len(fork.branches)} branches here, {others}:", context.narrow), "warn")]
    yield from (_branch_line(branch, context) for branch in branches)
    if not context.options.branches:
        yield [(f"    --branches shows {them}", "quiet")]
    yield BLANK


def draw_beginning() -> Iterator[Line]:
    """Draw a line where the conversation starts again."""
    yield BLANK
    yield [("⑂ the conversation starts again here", "warn")]


def draw_footer(problems: Iterable[ProblemNote], context: TerminalContext) -> Iterator[Line]:
    """Draw the number of problems in the data."""
    kinds = [problem.severity for problem in problems]
    counts = [(kinds.count(severity.value), severity.value) for severity in Severity]
    text = ", ".join(plural(number, word) for number, word in counts if number)
    grave = any(kind != Severity.NOTE.value for kind in kinds)
    if grave or (text and context.is_whole):
        yield BLANK
        words = f"Problems in the transcript: {text}. Run `clew check` for details."
        yield from (
            [(piece, "warn" if grave else "quiet")] for piece in wrap(words, context.narrow)
        )


def _outline_facts(turn: TurnView, context: TerminalContext) -> Line:
    """Return what a turn took, as far as words are left beside it."""
    if context.narrow < _ROOM_FOR_TIME:
        return []
    time_taken = duration(turn.duration_ms) if turn.duration_ms else ""
    if context.narrow < _ROOM_FOR_CALLS:
        return [(f"{time_taken:>11}", "quiet")]
    calls = plural(turn.calls, "call") if turn.calls else ""
    return [(f"{calls:>10}{time_taken:>14}", "quiet")]


def _facts(header: Header, context: TerminalContext) -> Iterator[str]:
    yield find_checkout(header.project).label
    yield header.git_branch
    yield ", ".join(header.models)
    at = local_time(header.started_at, context.options.zone)
    yield f"{day(at)} {clock_time(at)}"
    if header.duration_ms:
        active = header.active_ms < header.duration_ms and header.active_ms
        yield f"{duration(header.duration_ms)}{f', {duration(active)} active' if active else ''}"
        yield waiting_time(header.waiting_ms, header.waiting_quality)


def _counts(header: Header) -> Iterator[str]:
    yield plural(header.calls, "call") if header.calls else ""
    yield plural(header.errors, "error") if header.errors else ""
    yield plural(header.agent_runs, "agent run") if header.agent_runs else ""
    tokens = header.spent.given_tokens + header.spent.written_tokens
    if tokens:
        yield f"{scaled(tokens)} tokens"
    if tokens or is_worth_showing(header.spent):
        yield cost_estimate(header.spent, header.unpriced_models)


def _turn_facts(turn: TurnView) -> Iterator[str]:
    if turn.calls:
        yield plural(turn.calls, "call")
    if turn.duration_ms:
        yield duration(turn.duration_ms)
    if turn.spent.given_tokens or turn.spent.written_tokens or is_worth_showing(turn.spent):
        yield cost(turn.spent)


def _branch_line(branch: BranchView, context: TerminalContext) -> Line:
    at = clock_time(local_time(branch.started_at, context.options.zone))
    words = safe_line(branch.title) or "(no text)"
    turns = (item.turn for item in branch.items if isinstance(item, MessageView) and item.turn)
    turn = "".join(f"turn {number}" for number in islice(turns, 1))
    text = _BETWEEN.join(filter(None, (turn, at, plural(branch.messages, "message"))))
    return spread([(f"    {words}", "")], [(text, "quiet")], context.narrow)


def _versions(versions: Iterable[str]) -> Iterator[str]:
    known = list(versions)
    if known:
        yield "Claude Code " + " to ".join(dict.fromkeys((known[0], known[-1])))


def _flow(facts: Iterable[str], width: int, style: str) -> Iterator[Line]:
    """Put facts side by side, as many on a line as there is room for."""
    line = ""
    for fact in filter(None, (safe_line(fact) for fact in facts)):
        joined = f"{line}{_BETWEEN}{fact}" if line else fact
        if line and columns([(joined, "")]) > width:
            yield from ([(piece, style)] for piece in wrap(line, width))
            joined = fact
        line = joined
    if line:
        yield from ([(piece, style)] for piece in wrap(line, width))
