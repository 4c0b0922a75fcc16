"""Messages, runs, forks and all else on a page → blocks of Markdown, in order."""

from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from clew.parts import Prose
from clew.render.figures import compaction_words, plural, scaled
from clew.render.markdown.calls import call_line, call_summary, run_line, run_summary
from clew.render.markdown.head import turn_heading, when
from clew.render.markdown.inline import as_html, inline, quoted
from clew.render.markdown.options import Place
from clew.render.markdown.parts import folded, note, write_part, write_parts
from clew.render.safe import printable
from clew.view.page import (
    BranchView,
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

_SAID: Final = ("prompt", "steering", "memory", "unsent", "teammate", "command")
_ASIDE: Final = 4


def write_items(items: Iterable[Item], place: Place) -> Iterator[str]:
    """Write what stands on a page, in its order."""
    before: Item | None = None
    for item in items:
        yield from write_item(item, before, place)
        before = item


def write_item(item: Item, before: Item | None, place: Place) -> Iterator[str]:
    """Write one item, knowing the one before it."""
    match item:
        case MessageView():
            turn = place.turns.get(item.id)
            yield from turn_heading(turn, place) if turn is not None else ()
            yield from _write_message(item, before, place)
        case CompactionView():
            yield from _write_compaction(item, place)
        case ForkView():
            yield from _write_fork(item, place)
        case GapView(text=text, source=source):
            where = f" ({source.file}:{source.line})" if source else ""
            yield f"*· · · {inline(text + where)}*"
        case RunView():
            yield from _write_run(item, place)
        case _:
            assert_never(item)


def _write_message(message: MessageView, before: Item | None, place: Place) -> Iterator[str]:
    body = list(_write_body(message, place))
    if _is_aside(message):
        words = _names(message)
        yield from folded(as_html(words), body, note(words), place)
        return
    if not (body or message.state or message.title):
        return
    if not _goes_on(message, before):
        yield f"{'#' * place.level} {' · '.join(_heading(message, place))}"
    if message.retries:
        tries = plural(len(message.retries), "failed try", "failed tries")
        yield note(f"{tries}: {'; '.join(dict.fromkeys(message.retries))}", is_loud=True)
    yield from body


def _write_body(message: MessageView, place: Place) -> Iterator[str]:
    blocks = [block for piece in message.body for block in _write_piece(piece, place)]
    yield from [quoted(blocks)] if blocks and message.kind in _SAID else blocks
    for answer in message.outcome:
        yield from _write_body(answer, place)
        yield from ([note(answer.state, is_loud=True)] if answer.state else [])


def _is_aside(message: MessageView) -> bool:
    """Tell what the client put in from what somebody said."""
    return message.level >= _ASIDE and message.kind != "answer"


def _goes_on(message: MessageView, before: Item | None) -> bool:
    """Tell whether an answer only makes calls, and so goes on below the heading before it."""
    if not isinstance(before, MessageView) or message.kind != "answer" or message.state:
        return False
    is_same = before.kind == message.kind and before.who == message.who
    return is_same and all(isinstance(piece, CallView | Parallel) for piece in message.body)


def _heading(message: MessageView, place: Place) -> Iterator[str]:
    yield inline(_names(message))
    at = when(message.started_at, place)
    if at:
        yield at
    if message.spent is not None and place.is_whole:
        yield _tokens(message.spent)
    if message.cache_miss:
        yield inline(message.cache_miss)
    if message.state:
        yield inline(message.state)


def _names(message: MessageView) -> str:
    kind = message.kind.replace("_", " ")
    return ": ".join(filter(None, (message.who or kind, message.title)))


def _tokens(spent: Spent) -> str:
    least = "+" if spent.is_lower_bound else ""
    return f"{scaled(spent.given_tokens)} → {scaled(spent.written_tokens)}{least} tokens"


def _write_piece(piece: Piece, place: Place) -> Iterator[str]:
    match piece:
        case Thinking(text):
            yield from _write_thinking(text, place)
        case CallView():
            yield from _write_call(piece, place)
        case Parallel(calls):
            for call in calls:
                yield from _write_call(call, place)
        case _:
            yield from write_part(piece, place)


def _write_thinking(text: str, place: Place) -> Iterator[str]:
    if text.strip() and place.details != "none":
        yield from folded("Thinking", _quoted_text(text, place), "*Thinking*", place)


def _quoted_text(text: str, place: Place) -> Iterator[str]:
    yield quoted(write_part(Prose(text), place))


def _write_call(call: CallView, place: Place) -> Iterator[str]:
    inner = (
        ()
        if place.details == "none"
        else (*write_parts(call.parts, place), *_write_runs(call.runs, place))
    )
    # Lines that stand for themselves are a list, which `set_apart` keeps together.
    item = "- " if place.details == "none" or not inner else ""
    yield from folded(call_summary(call), inner, f"{item}{call_line(call)}", place)
    if call.reply:
        yield quoted([inline(line) for line in printable(call.reply).split("\n") if line.strip()])


def _write_runs(runs: Iterable[RunView], place: Place) -> Iterator[str]:
    for run in runs:
        yield from _write_run(run, place)


def _write_run(run: RunView, place: Place) -> Iterator[str]:
    inner = write_items(run.items, place.below())
    yield from folded(run_summary(run), inner, run_line(run), place)


def _write_compaction(item: CompactionView, place: Place) -> Iterator[str]:
    words = compaction_words(item)
    yield "---"
    yield note(words[:1].upper() + words[1:], is_loud=True)
    if item.summary and place.details != "none":
        blocks = write_parts(item.summary, place)
        yield from folded("Compaction summary", blocks, "*Compaction summary*", place)


def _write_fork(fork: ForkView, place: Place) -> Iterator[str]:
    if fork.kind == "beginning":
        yield "**Another beginning**"
        return
    others = [branch for branch in fork.branches if not branch.is_main]
    yield f"**Fork: {plural(len(fork.branches), 'branch', 'branches')} from here**"
    for branch in others:
        yield from _write_branch(branch, place)


def _write_branch(branch: BranchView, place: Place) -> Iterator[str]:
    told = f"Branch: {branch.title}, {plural(branch.messages, 'message')}"
    yield from folded(as_html(told), write_items(branch.items, place.below()), note(told), place)
