"""Counts for the filters of a page: messages by kind, and tool calls, thinking and agent runs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from clew.conversation import AgentRun, Message
from clew.view.context import PageContext
from clew.view.detail import Detail, level_of
from clew.view.items import is_shown
from clew.view.layout import Layout
from clew.view.page import KindCount
from clew.view.runs import shown_runs

_CONTENTS: Final = ("tool_call", "thinking", "agent_run")
# No kind of content is called so.
_TOOL: Final = "tool:"


def count_kinds(layout: Layout) -> tuple[KindCount, ...]:
    """Count the messages of the page by kind and detail, most frequent kind first."""
    counted = _count(_kinds(layout)) if layout.places else []
    return tuple(sorted(counted, key=lambda kind: (-kind.shown[-1], kind.kind)))


def count_contents(layout: Layout) -> tuple[tuple[KindCount, ...], tuple[KindCount, ...]]:
    """Count what the page shows at each detail, in runs and on branches too, and calls by tool."""
    counted = _count(_contents(layout)) if layout.places else []
    contents = [kind for kind in counted if kind.kind in _CONTENTS]
    tools = [
        KindCount(kind.kind.removeprefix(_TOOL), kind.shown)
        for kind in counted
        if kind.kind.startswith(_TOOL)
    ]
    return (
        tuple(sorted(contents, key=lambda kind: _CONTENTS.index(kind.kind))),
        tuple(sorted(tools, key=lambda kind: (-kind.shown[-1], kind.kind))),
    )


def _count(shown: Iterable[tuple[str, Detail]]) -> list[KindCount]:
    """Count kinds at each detail, from the lowest detail that shows each thing."""
    firsts: dict[str, Counter[Detail]] = {}
    for kind, level in shown:
        firsts.setdefault(kind, Counter())[level] += 1
    return [
        KindCount(kind, tuple(accumulate(own[detail] for detail in Detail)))
        for kind, own in firsts.items()
    ]


def _kinds(layout: Layout) -> Iterator[tuple[str, Detail]]:
    """Yield the kind of each message, and the lowest detail that shows it."""
    for slot in layout.slots:
        if is_shown(slot, layout.context.detail):
            yield slot.message.kind if slot.kind == "message" else slot.kind, slot.level
            for message in slot.outcome:
                yield message.kind, max(slot.level, level_of(message))


def _contents(layout: Layout) -> Iterator[tuple[str, Detail]]:
    context = layout.context
    if layout.is_whole:
        yield from _after("", context, Detail.TOOLS)
    yield from _inside((slot.message for slot in layout.slots), context, Detail.TOOLS)


def _inside(
    messages: Iterable[Message], context: PageContext, level: Detail
) -> Iterator[tuple[str, Detail]]:
    """Return the kind of each thing in messages, and the lowest detail that shows it."""
    index = context.index
    for message in messages:
        if context.is_whole:
            for block in message.blocks:
                if block.kind == "thinking" and block.text.strip():
                    yield "thinking", Detail.EVERYTHING
        if context.detail >= Detail.TOOLS:
            for call in context.calls_by_message.get(message.id, ()):
                yield "tool_call", level
                yield f"{_TOOL}{call.tool}", level
                if call.id in index.runs_by_call:
                    yield from _runs(index.runs_by_call[call.id], context, level)
        if message.id in index.unattached_runs or message.id in index.branches:
            yield from _after(message.id, context, level)


def _after(place: str, context: PageContext, level: Detail) -> Iterator[tuple[str, Detail]]:
    yield from _runs(context.index.unattached_runs.get(place, ()), context, level)
    if context.options.turn is None and context.options.with_branches:
        for branch in context.index.branches.get(place, ()):
            yield from _inside(branch.messages, context, level)


def _runs(
    runs: Iterable[AgentRun], context: PageContext, level: Detail
) -> Iterator[tuple[str, Detail]]:
    inner = context.nested()
    for run in shown_runs(runs, context):
        is_hidden = run.is_hidden and bool(context.index.spine)
        own = Detail.EVERYTHING if is_hidden else level
        yield "agent_run", own
        if inner.depth <= context.options.max_run_depth:
            yield from _inside(context.index.messages_by_run.get(run.id, ()), inner, own)
