"""What stands around the talk: the session's facts, a rule for each turn, forks, problems."""

from collections.abc import Iterable, Iterator
from typing import Final

from clew.analytics import Bill, bill_all, display_name
from clew.conversation import Lineage, Message, Turn, total_tokens
from clew.problems import Severity, severity_of
from clew.render.figures import clock_time, day, dollars, duration, moment, plural, scaled
from clew.render.safe import safe_line
from clew.render.terminal.lines import BLANK, Line, columns, cut, spread, wrap
from clew.render.terminal.page import Page
from clew.view import Branch

_BETWEEN: Final = " · "
_LINEAGE: Final = {
    "resumed_from": "resumed from",
    "forked_from": "forked from",
    "continued_in": "continued in",
    "teammate_of": "teammate of",
}
_SHORT_ID: Final = 8


def draw_header(page: Page) -> Iterator[Line]:
    """Draw the title and the facts of the session."""
    session = page.index.conversation.session
    title = safe_line(session.title) or "A session without a title"
    yield from ([(piece, "title")] for piece in wrap(title, page.narrow))
    yield from _flow([*_circumstances(page), *_counts(page)], page.narrow, "")
    names = [session.id, session.cwd, *_versions(session.versions), *_lineage(session.lineage)]
    yield from _flow(names, page.narrow, "quiet")
    yield BLANK


def draw_rule(turn: Turn, page: Page, *, dated: bool) -> Iterator[Line]:
    """Draw the rule above a turn: its number, when it was, what it took."""
    at = moment(turn.started_at, page.options.zone)
    when = " ".join(filter(None, (day(at) if dated else "", clock_time(at))))
    facts = [when, *_turn_facts(turn, page)]
    told = _BETWEEN.join(fact for fact in facts if fact)
    head = f"── {turn.index} "
    rest = page.narrow - len(head) - len(told) - 4
    yield BLANK
    if rest > 0:
        yield [("── ", "rule"), (f"{turn.index} ", "number"), (f"{'─' * rest} {told} ──", "rule")]
    else:
        yield [("── ", "rule"), (f"{turn.index}  ", "number"), (cut(told, page.narrow - 8), "rule")]


def draw_outline(turn: Turn, prompt: Message, page: Page) -> Line:
    """Draw a turn as one line: its number, when it was, how its prompt begins, what it took."""
    time = clock_time(moment(turn.started_at, page.options.zone))
    words = safe_line(prompt.text[:1000]) or "(no words)"
    left: Line = [(f"{turn.index:>4}  ", "number"), (f"{time:>5}  ", "quiet"), (words, "")]
    calls = plural(turn.tool_call_count, "call") if turn.tool_call_count else ""
    time_taken = duration(turn.duration_ms) if turn.duration_ms else ""
    return spread(left, [(f"{calls:>10}{time_taken:>14}", "quiet")], page.narrow)


def draw_fork(branches: list[Branch], page: Page) -> Iterator[Line]:
    """Say that the conversation went other ways from here, and how each begins."""
    others, them = ("the other one", "it") if len(branches) == 1 else ("the others", "them")
    yield BLANK
    yield [(f"⑂ fork: {len(branches) + 1} branches here, {others}:", "warn")]
    yield from (_branch_line(branch, page) for branch in branches)
    if not page.options.branches:
        yield [(f"    --branches shows {them}", "quiet")]
    yield BLANK


def draw_new_thread() -> Iterator[Line]:
    """Say that what follows does not go on from what stands above."""
    yield BLANK
    yield [("⑂ another beginning", "warn")]


def draw_footer(page: Page) -> Iterator[Line]:
    """Count the problems in the data, and say where they are listed."""
    kinds = [severity_of(problem.kind) for problem in page.index.conversation.problems]
    counts = [(kinds.count(severity), severity.value) for severity in Severity]
    told = ", ".join(plural(number, word) for number, word in counts if number)
    grave = any(kind is not Severity.NOTE for kind in kinds)
    if grave or (told and page.is_whole):
        yield BLANK
        words = f"In the transcript: {told}. `clew check` tells more."
        yield from ([(piece, "warn" if grave else "quiet")] for piece in wrap(words, page.narrow))


def _circumstances(page: Page) -> Iterator[str]:
    session = page.index.conversation.session
    yield session.project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    # Where no branch is checked out, the client writes HEAD for its name.
    yield "" if session.git_branch in (None, "HEAD") else session.git_branch
    yield ", ".join(dict.fromkeys(map(display_name, session.models)))
    at = moment(session.started_at, page.options.zone)
    yield f"{day(at)} {clock_time(at)}"
    if session.duration_ms:
        active = session.active_ms < session.duration_ms and session.active_ms
        told = f", {duration(active)} active" if active else ""
        yield f"{duration(session.duration_ms)}{told}"


def _counts(page: Page) -> Iterator[str]:
    totals = page.index.conversation.totals
    yield plural(totals.tool_calls, "call") if totals.tool_calls else ""
    yield plural(totals.errors, "error") if totals.errors else ""
    yield plural(totals.agent_runs, "agent run") if totals.agent_runs else ""
    tokens = total_tokens(totals.usage)
    if tokens:
        yield f"{scaled(tokens)} tokens"
        bill = bill_all(page.index.conversation.messages, page.index.bills)
        yield _cost(bill, is_least=totals.usage.quality == "lower_bound")


def _cost(bill: Bill, *, is_least: bool) -> str:
    unpriced = ", ".join(bill.unpriced_models)
    if bill.nano_dollars is None:
        return f"no price for {unpriced}"
    about = "at least " if is_least else "≈ "
    but = f", {unpriced} not counted" if unpriced else ""
    return f"{about}{dollars(bill.nano_dollars)} at API prices{but}".replace("≈ <", "< ")


def _turn_facts(turn: Turn, page: Page) -> Iterator[str]:
    if turn.tool_call_count:
        yield plural(turn.tool_call_count, "call")
    if turn.duration_ms:
        yield duration(turn.duration_ms)
    bill = page.index.turn_bills.get(turn.index)
    if bill is not None and total_tokens(turn.usage):
        yield dollars(bill.nano_dollars)


def _branch_line(branch: Branch, page: Page) -> Line:
    first = branch.messages[0]
    prompt = next((m for m in branch.messages if m.kind == "prompt"), first)
    at = clock_time(moment(first.started_at, page.options.zone))
    words = safe_line(prompt.text[:1000]) or prompt.kind.replace("_", " ")
    turn = f"turn {prompt.turn}" if prompt.turn else ""
    told = _BETWEEN.join(filter(None, (turn, at, plural(len(branch.messages), "message"))))
    return spread([(f"    {words}", "")], [(told, "quiet")], page.narrow)


def _versions(versions: Iterable[str]) -> Iterator[str]:
    known = list(versions)
    if known:
        yield "Claude Code " + " to ".join(dict.fromkeys((known[0], known[-1])))


def _lineage(lineage: Lineage) -> Iterator[str]:
    for name, words in _LINEAGE.items():
        other = getattr(lineage, name)
        if other:
            yield f"{words} {other[:_SHORT_ID]}"


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
