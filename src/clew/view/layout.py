"""Layout: a page's messages in order, cut into sections, before anything of it is made.

A layout is cheap beside a page, and all pieces of a page share it: whoever sends a page in
pieces keeps the layout.
"""

from collections.abc import Iterator, Sequence

import msgspec

from clew.conversation import AgentRun, Message
from clew.errors import NotFoundError
from clew.view.context import PageContext, make_context
from clew.view.detail import Detail
from clew.view.index import Branch, PageIndex
from clew.view.items import is_shown, make_nested_items
from clew.view.options import ViewOptions
from clew.view.page import SectionInfo
from clew.view.runs import shown_runs
from clew.view.slots import Slot, make_slots


class Layout(msgspec.Struct, frozen=True):
    """The slots of a page and its sections.

    `starts` are the slots with which sections begin. `sections` maps each of the page's own
    messages, those on branches included, to its section, and "" to that of what comes before all
    messages; `elsewhere` maps messages that are shown with another one to that one's section.
    `run_id` is the run whose page this is.
    """

    context: PageContext
    slots: list[Slot]
    places: tuple[SectionInfo, ...]
    starts: tuple[int, ...]
    sections: dict[str, int] = {}
    elsewhere: dict[str, int] = {}
    run_id: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether this is the page of a whole session, from its beginning."""
        return not self.run_id and self.context.options.turn is None

    def slots_of(self, number: int) -> Sequence[Slot]:
        """Return the slots of a section."""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.slots)
        return self.slots[self.starts[number] : end]


class _Draft(msgspec.Struct):
    """A section that is being filled; `load` counts messages in runs and branches too."""

    start: int = 0
    turn: int = 0
    is_first: bool = True
    messages: int = 0
    load: int = 0


def make_layout(index: PageIndex, options: ViewOptions) -> Layout:
    """Lay out a session, or some turns of it.

    Raises:
        NotFoundError: The session has no turn with that number.
    """
    context = make_context(index, options, make_nested_items)
    return _lay_out(_chosen(index, options), context)


def make_run_layout(index: PageIndex, run_id: str, options: ViewOptions) -> Layout:
    """Lay out the page of one agent run.

    Raises:
        NotFoundError: The session has no such run.
    """
    if all(run.id != run_id for run in index.conversation.agent_runs):
        raise NotFoundError(f"no agent run {run_id!r} in the session")
    whole = msgspec.structs.replace(options, turn=None)
    context = make_context(index, whole, make_nested_items)
    messages = index.messages_by_run.get(run_id, [])
    return _lay_out(messages, context, run_id)


def _chosen(index: PageIndex, options: ViewOptions) -> list[Message]:
    """Return the messages of the page: those of the spine, or of some turns on any branch."""
    if options.turn is None:
        return index.spine
    turns, last = len(index.conversation.turns), options.last_turn or options.turn
    for wanted in (options.turn, last):
        if not 1 <= wanted <= turns:
            there = {0: "has no turns", 1: "has one turn"}.get(turns, f"has turns 1 to {turns}")
            raise NotFoundError(f"no turn {wanted}; the session {there}")
    chosen = range(options.turn, last + 1)
    own = (message for message in index.conversation.messages if message.agent_run_id is None)
    return [message for message in own if message.turn in chosen]


def _lay_out(messages: Sequence[Message], context: PageContext, run_id: str = "") -> Layout:
    slots = make_slots(messages, context.index)
    drafts = [] if context.detail is Detail.OUTLINE else list(_cut(slots, context, run_id))
    places = tuple(
        SectionInfo(number, draft.turn, draft.is_first, draft.messages)
        for number, draft in enumerate(drafts)
    )
    starts = (0, *(draft.start for draft in drafts[1:])) if drafts else ()
    layout = Layout(context, slots, places, starts, run_id=run_id)
    layout.sections.update(_number(layout))
    layout.elsewhere.update(_number_elsewhere(layout))
    return layout


def _cut(slots: Sequence[Slot], context: PageContext, run_id: str) -> Iterator[_Draft]:
    """Cut at each turn, and where a section is full; what shows nothing joins what comes next."""
    index, detail, most = context.index, context.detail, max(context.options.section_messages, 1)
    is_whole = not run_id and context.options.turn is None
    draft = _Draft(load=_load_after("", context) if is_whole else 0)
    for number, slot in enumerate(slots):
        turn = None if run_id else index.turns.get(slot.message.id)
        shown = is_shown(slot, detail)
        load = _load(slot, context) if shown else _load_around(slot, context)
        if turn is not None:
            if draft.load:
                yield draft
                draft = _Draft(number)
            draft.turn, draft.is_first = turn.index, True
        elif load and draft.messages and draft.load + load > most:
            yield draft
            draft = _Draft(number, draft.turn, is_first=False)
        draft.load += load
        draft.messages += shown
    if draft.load:
        yield draft


def _load(slot: Slot, context: PageContext) -> int:
    """Count the messages that a slot adds to the page, in runs and branches too."""
    message = slot.message
    load = 1 + len(slot.outcome) + _load_around(slot, context)
    if message.kind == "answer" and context.shows_runs:
        for call in context.calls_by_message.get(message.id, ()):
            runs = context.index.runs_by_call.get(call.id)
            load += _load_of_runs(runs, context) if runs else 0
    return load


def _load_around(slot: Slot, context: PageContext) -> int:
    """Count what comes with a slot, shown or not: gaps, runs and branches."""
    load = int(slot.starts_over) + _load_after(slot.message.id, context)
    if context.gap_problems and slot.message.id not in context.index.progress_messages:
        places = slot.message.lines
        load += any((place.file, place.offset) in context.gap_problems for place in places)
    return load


def _load_after(place: str, context: PageContext) -> int:
    index = context.index
    load = 0
    if place in index.unattached_runs:
        load += _load_of_runs(index.unattached_runs[place], context)
    if context.options.turn is None and place in index.branches:
        branches = index.branches[place]
        load += _load_of(branches, index) if context.options.with_branches else len(branches)
    return load


def _load_of(branches: Sequence[Branch], index: PageIndex) -> int:
    load = 0
    for branch in branches:
        load += len(index.without_progress(branch.messages))
        inner = (index.branches[m.id] for m in branch.messages if m.id in index.branches)
        load += sum(_load_of(own, index) for own in inner)
    return load


def _load_of_runs(runs: Sequence[AgentRun], context: PageContext) -> int:
    own = context.index.messages_by_run
    loads = (
        context.index.without_progress(own.get(run.id, ())) for run in shown_runs(runs, context)
    )
    return sum(1 + len(messages) for messages in loads)


def _number(layout: Layout) -> dict[str, int]:
    """Map each message to its section."""
    sections: dict[str, int] = {"": 0} if layout.is_whole and layout.places else {}
    for place in layout.places:
        own = (slot.message.id for slot in layout.slots_of(place.index))
        sections.update(dict.fromkeys(own, place.index))
    if layout.context.options.turn is None:
        for name, others in layout.context.index.branches.items():
            if name in sections:
                own = (message.id for branch in others for message in branch.messages)
                sections.update(dict.fromkeys(own, sections[name]))
    return sections


def _number_elsewhere(layout: Layout) -> dict[str, int]:
    """Map messages that are shown with another one to the section of that one."""
    elsewhere: dict[str, int] = {}
    for slot in layout.slots:
        section = layout.sections.get(slot.message.id)
        if section is None:
            continue
        if slot.outcome:
            elsewhere.update((joined.id, section) for joined in slot.outcome)
        if slot.summary is not None:
            elsewhere[slot.summary.id] = section
        if slot.kind == "elsewhere" and slot.message.kind == "tool_results":
            caller = _calling_message(slot.message, layout.context.index)
            elsewhere[slot.message.id] = layout.sections.get(caller, section)
    return elsewhere


def _calling_message(results: Message, index: PageIndex) -> str:
    """Return the id of the answer whose call shows a result."""
    for block in results.blocks:
        call = index.calls.get(block.tool_call_id or "")
        if call is not None:
            return call.message_id
    return results.id
