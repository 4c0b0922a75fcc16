"""What the messages of a page contain: tool calls, thinking and agent runs, counted for filters."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from clew.conversation import AgentRun, Message
from clew.view.detail import Detail
from clew.view.layout import Layout
from clew.view.page import KindCount
from clew.view.runs import shown_runs
from clew.view.scope import Scope

_KINDS: Final = ("tool_call", "thinking", "agent_run")


def count_contents(layout: Layout) -> tuple[KindCount, ...]:
    """Count what the page shows at each detail, in runs and on branches too."""
    firsts: dict[str, Counter[Detail]] = {}
    for kind, level in _contents(layout) if layout.places else ():
        firsts.setdefault(kind, Counter())[level] += 1
    return tuple(
        KindCount(kind, tuple(accumulate(firsts[kind][detail] for detail in Detail)))
        for kind in _KINDS
        if kind in firsts
    )


def _contents(layout: Layout) -> Iterator[tuple[str, Detail]]:
    scope = layout.scope
    if layout.is_whole:
        yield from _after("", scope, Detail.TOOLS)
    yield from _inside((slot.message for slot in layout.slots), scope, Detail.TOOLS)


def _inside(
    messages: Iterable[Message], scope: Scope, level: Detail
) -> Iterator[tuple[str, Detail]]:
    """Give the kind of each thing in messages, and the lowest detail that shows it."""
    for message in messages:
        if scope.is_whole:
            thoughts = (block for block in message.blocks if block.kind == "thinking")
            yield from (("thinking", Detail.EVERYTHING) for one in thoughts if one.text.strip())
        if scope.detail >= Detail.TOOLS:
            for call in scope.calls_by_message.get(message.id, ()):
                yield "tool_call", level
                yield from _runs(scope.index.runs_by_call.get(call.id, ()), scope, level)
        yield from _after(message.id, scope, level)


def _after(place: str, scope: Scope, level: Detail) -> Iterator[tuple[str, Detail]]:
    yield from _runs(scope.index.loose_runs.get(place, ()), scope, level)
    if scope.options.turn is None and scope.options.with_branches:
        for branch in scope.index.branches.get(place, ()):
            yield from _inside(branch.messages, scope, level)


def _runs(runs: Iterable[AgentRun], scope: Scope, level: Detail) -> Iterator[tuple[str, Detail]]:
    inner = scope.deeper()
    for run in shown_runs(runs, scope):
        is_hidden = run.is_hidden and bool(scope.index.spine)
        own = Detail.EVERYTHING if is_hidden else level
        yield "agent_run", own
        if inner.depth <= scope.options.max_run_depth:
            yield from _inside(scope.index.messages_by_run.get(run.id, ()), inner, own)
