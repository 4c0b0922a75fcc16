"""The outline: one line for each turn, with what came of it."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import msgspec

from clew.conversation import Message, Turn, plan_heading
from clew.figures import plural
from clew.tools import is_edit
from clew.view.forks import branch_name
from clew.view.index import Branch, PageIndex
from clew.view.labels import summary_line
from clew.view.layout import Layout
from clew.view.page import TurnView
from clew.view.usage import total_usage, usage_view

Branches: TypeAlias = dict[str, list[Branch]]


class _Counts(msgspec.Struct):
    """What came of one turn."""

    calls: int = 0
    edits: int = 0
    errors: int = 0
    runs: int = 0
    compactions: int = 0


def make_turns(layout: Layout) -> tuple[TurnView, ...]:
    """Make a line for each turn of a page, in its order; those of branches where they fork."""
    counts = _count(layout)
    lines = [_line(turn, prompt, branch, counts, layout) for turn, prompt, branch in _begun(layout)]
    if layout.places and layout.places[0].turn == 0:
        lines.insert(0, _first_line(layout, counts.get(0, _Counts())))
    return tuple(lines)


def _begun(layout: Layout) -> Iterator[tuple[Turn, Message, str]]:
    """Yield the turns with their prompts and branches."""
    index, options = layout.context.index, layout.context.options
    with_branches = options.with_branches and options.turn is None
    branches = index.branches if with_branches else {}
    yield from _turns_on_branches(branches.get("", ()), branches, index)
    yield from _turns_among((slot.message for slot in layout.slots), "", branches, index)


def _turns_among(
    messages: Iterable[Message], name: str, branches: Branches, index: PageIndex
) -> Iterator[tuple[Turn, Message, str]]:
    for message in messages:
        if message.id in index.turns:
            yield index.turns[message.id], message, name
        if message.id in branches:
            yield from _turns_on_branches(branches[message.id], branches, index)


def _turns_on_branches(
    own: Iterable[Branch], branches: Branches, index: PageIndex
) -> Iterator[tuple[Turn, Message, str]]:
    for branch in own:
        yield from _turns_among(branch.messages, branch_name(branch), branches, index)


def _line(
    turn: Turn, prompt: Message, branch: str, counts: dict[int, _Counts], layout: Layout
) -> TurnView:
    own = counts.get(turn.index, _Counts())
    bill = layout.context.index.turn_bills.get(turn.index)
    return TurnView(
        index=turn.index,
        id=prompt.id,
        title=_title(prompt),
        kind=prompt.kind,
        section=layout.sections.get(prompt.id, 0),
        started_at=turn.started_at,
        duration_ms=turn.duration_ms,
        calls=turn.tool_call_count,
        edits=own.edits,
        errors=own.errors,
        runs=own.runs,
        compactions=own.compactions,
        spent=usage_view(turn.usage) if bill is None else usage_view(turn.usage, bill),
        branch_id=branch,
    )


def _first_line(layout: Layout, counts: _Counts) -> TurnView:
    """Make a line for what comes before all prompts."""
    index = layout.context.index
    first = next(iter(index.without_progress(slot.message for slot in layout.slots)), None)
    own = [message for message in index.conversation.messages if message.turn is None]
    return TurnView(
        index=0,
        id=first.id if first else "",
        title="",
        kind="beginning",
        started_at=first.started_at if first else "",
        calls=counts.calls,
        edits=counts.edits,
        errors=counts.errors,
        runs=counts.runs,
        compactions=counts.compactions,
        spent=total_usage(own, index.bills),
    )


def _title(prompt: Message) -> str:
    words = summary_line(plan_heading(prompt) or prompt.text)
    if words:
        return words
    images = sum(block.kind in ("image", "document") for block in prompt.blocks)
    return f"({plural(images, 'image')})" if images else "(no text)"


def _count(layout: Layout) -> dict[int, _Counts]:
    """Count what came of each turn, agent runs included."""
    index, calls_by_message = layout.context.index, layout.context.calls_by_message
    counts: dict[int, _Counts] = {}
    edits: dict[str, bool] = {}
    turns: dict[str, int] = {}
    for message in index.conversation.messages:
        turn = turns[message.agent_run_id or ""] = message.turn or 0
        own = counts.get(turn)
        if own is None:
            own = counts[turn] = _Counts()
        if message.id in index.epochs and not index.epochs[message.id].is_restored:
            own.compactions += 1
        if message.kind == "api_error":
            own.errors += 1
        for call in calls_by_message.get(message.id, ()):
            if call.tool not in edits:
                edits[call.tool] = is_edit(call.tool)
            own.calls += 1
            own.errors += call.is_error
            own.edits += edits[call.tool] and call.status == "done"
    for run in index.conversation.agent_runs:
        if not run.is_hidden and run.id in turns:
            counts[turns[run.id]].runs += 1
    return counts
