"""Items of a page → blocks of Markdown, in order."""

from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from clew.parts import Prose
from clew.render.formatting import describe_compaction, plural, tokens_in_out
from clew.render.markdown.calls import call_line, call_summary, run_line, run_summary
from clew.render.markdown.header import turn_heading, when
from clew.render.markdown.inline import as_html, inline, quoted
from clew.render.markdown.options import MarkdownContext
from clew.render.markdown.parts import folded, note, write_part, write_parts
from clew.render.safe import printable
from clew.view.page import (
    BodyPart,
    BranchView,
    CallView,
    CompactionView,
    ForkView,
    GapView,
    Item,
    MessageView,
    Parallel,
    RunView,
    Thinking,
)

_QUOTED: Final = ("prompt", "steering", "memory", "unsent", "teammate", "command")
_ASIDE: Final = 4


def write_items(items: Iterable[Item], context: MarkdownContext) -> Iterator[str]:
    """Write the items of a page in order."""
    before: Item | None = None
    for item in items:
        yield from write_item(item, before, context)
        before = item


def write_item(item: Item, before: Item | None, context: MarkdownContext) -> Iterator[str]:
    """Write one item, knowing the one before it."""
    match item:
        case MessageView():
            turn = context.turns.get(item.id)
            yield from turn_heading(turn, context) if turn is not None else ()
            yield from _write_message(item, before, context)
        case CompactionView():
            yield from _write_compaction(item, context)
        case ForkView():
            yield from _write_fork(item, context)
        case GapView(text=text, source=source):
            where = f" ({source.file}:{source.line})" if source else ""
            yield f"*· · · {inline(text + where)}*"
        case RunView():
            yield from _write_run(item, context)
        case _:
            assert_never(item)


def _write_message(
    message: MessageView, before: Item | None, context: MarkdownContext
) -> Iterator[str]:
    body = list(_write_body(message, context))
    if _is_aside(message):
        words = _names(message)
        yield from folded(as_html(words), body, note(words), context)
        return
    if not (body or message.state or message.title):
        return
    if not _goes_on(message, before):
        yield f"{'#' * context.level} {' · '.join(_heading(message, context))}"
    if message.retries:
        tries = plural(len(message.retries), "failed attempt")
        yield note(f"{tries}: {'; '.join(dict.fromkeys(message.retries))}", is_loud=True)
    yield from body


def _write_body(message: MessageView, context: MarkdownContext) -> Iterator[str]:
    blocks = [block for piece in message.body for block in _write_piece(piece, context)]
    yield from [quoted(blocks)] if blocks and message.kind in _QUOTED else blocks
    for answer in message.outcome:
        yield from _write_body(answer, context)
        yield from ([note(answer.state, is_loud=True)] if answer.state else [])


def _is_aside(message: MessageView) -> bool:
    """Return whether a message was added by the client rather than written by someone."""
    return message.level >= _ASIDE and message.kind != "answer"


def _goes_on(message: MessageView, before: Item | None) -> bool:
    """Return whether an answer only makes calls, so that it needs no heading of its own."""
    if not isinstance(before, MessageView) or message.kind != "answer" or message.state:
        return False
    is_same = before.kind == message.kind and before.who == message.who
    return is_same and all(isinstance(piece, CallView | Parallel) for piece in message.body)


def _heading(message: MessageView, context: MarkdownContext) -> Iterator[str]:
    yield inline(_names(message))
    at = when(message.started_at, context)
    if at:
        yield at
    if message.spent is not None and context.is_whole:
        yield f"{tokens_in_out(message.spent)} tokens"
    if message.cache_miss:
        yield inline(message.cache_miss)
    if message.state:
        yield inline(message.state)


def _names(message: MessageView) -> str:
    kind = message.kind.replace("_", " ")
    return ": ".join(filter(None, (message.who or kind, message.title)))


def _write_piece(piece: BodyPart, context: MarkdownContext) -> Iterator[str]:
    match piece:
        case Thinking(text):
            yield from _write_thinking(text, context)
        case CallView():
            yield from _write_call(piece, context)
        case Parallel(calls):
            for call in calls:
                yield from _write_call(call, context)
        case _:
            yield from write_part(piece, context)


def _write_thinking(text: str, context: MarkdownContext) -> Iterator[str]:
    if text.strip() and context.details != "none":
        yield from folded("Thinking", _quoted_text(text, context), "*Thinking*", context)


def _quoted_text(text: str, context: MarkdownContext) -> Iterator[str]:
    yield quoted(write_part(Prose(text), context))


def _write_call(call: CallView, context: MarkdownContext) -> Iterator[str]:
    inner = (
        ()
        if context.details == "none"
        else (*write_parts(call.parts, context), *_write_runs(call.runs, context))
    )
    # Calls without a body are list items, which `set_apart` keeps together.
    item = "- " if context.details == "none" or not inner else ""
    yield from folded(call_summary(call), inner, f"{item}{call_line(call)}", context)
    if call.reply:
        yield quoted([inline(line) for line in printable(call.reply).split("\n") if line.strip()])


def _write_runs(runs: Iterable[RunView], context: MarkdownContext) -> Iterator[str]:
    for run in runs:
        yield from _write_run(run, context)


def _write_run(run: RunView, context: MarkdownContext) -> Iterator[str]:
    inner = write_items(run.items, context.nested())
    yield from folded(run_summary(run), inner, run_line(run), context)


def _write_compaction(item: CompactionView, context: MarkdownContext) -> Iterator[str]:
    words = describe_compaction(item)
    yield "---"
    yield note(words[:1].upper() + words[1:], is_loud=True)
    if item.summary and context.details != "none":
        blocks = write_parts(item.summary, context)
        yield from folded("Compaction summary", blocks, "*Compaction summary*", context)


def _write_fork(fork: ForkView, context: MarkdownContext) -> Iterator[str]:
    if fork.kind == "beginning":
        yield "**The conversation starts again here**"
        return
    others = [branch for branch in fork.branches if not branch.is_main]
    yield f"**Fork: {plural(len(fork.branches), 'branch', 'branches')} from here**"
    for branch in others:
        yield from _write_branch(branch, context)


def _write_branch(branch: BranchView, context: MarkdownContext) -> Iterator[str]:
    line = f"Branch: {branch.title}, {plural(branch.messages, 'message')}"
    yield from folded(
        as_html(line), write_items(branch.items, context.nested()), note(line), context
    )
