"""Pages for tests, what stands on them, and what holds for every page."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from clew.conversation import Conversation
from clew.view import (
    BodyPart,
    CallView,
    CompactionView,
    Detail,
    ForkView,
    FrameView,
    GapView,
    Item,
    MessageView,
    Parallel,
    RunView,
    SessionPage,
    ViewOptions,
    find_section,
    make_frame,
    make_index,
    make_layout,
    make_page,
    section_of,
)
from tests.build import SessionBuilder
from tests.unit.conversation.built import conversation_of

Shown = Item | CallView
T = TypeVar("T")


def view(source: SessionBuilder | Conversation, **options: Any) -> SessionPage:
    """Make the page of a session."""
    conversation = conversation_of(source) if isinstance(source, SessionBuilder) else source
    return make_page(conversation, ViewOptions(**options))


def frame(source: SessionBuilder, **options: Any) -> FrameView:
    """Make the frame of a session's page alone."""
    return make_frame(make_index(conversation_of(source)), ViewOptions(**options))


def items_of(page: SessionPage) -> list[Item]:
    """Give the items of all sections."""
    return [item for section in page.sections for item in section.items]


def messages_of(page: SessionPage, kind: str = "") -> list[MessageView]:
    """Give the messages that stand on a page itself, or those of one kind."""
    found = [item for item in items_of(page) if isinstance(item, MessageView)]
    return [message for message in found if not kind or message.kind == kind]


def the(page: SessionPage, kind: str) -> MessageView:
    """Give the one message of a kind, wherever it stands."""
    found = [item for item in walk(items_of(page)) if isinstance(item, MessageView)]
    (message,) = [message for message in found if message.kind == kind]
    return message


def only(page: SessionPage, kind: type[T]) -> T:
    """Give the one thing of a type, wherever it stands on a page."""
    (found,) = [item for item in walk(items_of(page)) if isinstance(item, kind)]
    return found


def walk(items: Iterable[Item]) -> Iterator[Shown]:
    """Give all items and calls, from the outside in."""
    for item in items:
        yield item
        match item:
            case MessageView():
                yield from walk(item.outcome)
                for call in calls_in(item.body):
                    yield call
                    yield from walk(call.runs)
            case RunView():
                yield from walk(item.items)
            case ForkView():
                for branch in item.branches:
                    yield from walk(branch.items)
            case _:
                pass


def calls_in(body: Iterable[BodyPart]) -> Iterator[CallView]:
    """Give the calls of a body, those under a bracket too."""
    for piece in body:
        if isinstance(piece, Parallel):
            yield from piece.calls
        elif isinstance(piece, CallView):
            yield piece


def text_of(value: object) -> str:
    """Give all text of a page, or of a piece of one."""
    return "\n".join(_strings(msgspec.to_builtins(value)))


def check(conversation: Conversation, **options: Any) -> None:
    """Assert what holds for every page, whole and in pieces."""
    chosen = ViewOptions(**options)
    index = make_index(conversation)
    layout = make_layout(index, chosen)
    page = make_page(conversation, chosen)
    assert page == make_page(conversation, chosen)
    assert msgspec.json.decode(msgspec.json.encode(page), type=SessionPage) == page
    assert tuple(section_of(layout, place.index) for place in layout.places) == page.sections
    assert make_frame(index, chosen) == page.frame
    for section in page.sections:
        for _, name in _names(section.items):
            assert find_section(index, chosen, name, layout) == section.place.index
    shown = [name for section in page.sections for name in _names(section.items)]
    assert [name for name, count in Counter(shown).items() if count > 1] == []
    _check_marks(page)
    if chosen.detail is Detail.EVERYTHING and chosen.turn is None and chosen.with_branches:
        _check_complete(conversation, {name for _, name in shown})


def _check_marks(page: SessionPage) -> None:
    """There is a mark for each message on the page itself, in its order."""
    own = (MessageView, CompactionView, GapView)
    for section in page.sections:
        ids = [item.id for item in section.items if isinstance(item, own)]
        shown = [name for name in ids if not name.startswith("gap-")]
        marks = [mark for mark in page.frame.marks if mark.section == section.place.index]
        assert [mark.id for mark in marks] == shown
        assert section.place.messages == len(shown)
        assert all(1 <= mark.weight <= 5 for mark in marks)


def _check_complete(conversation: Conversation, names: set[str]) -> None:
    """Every message and call is on the page; results are with their calls."""
    with_calls = {call.result_message_id for call in conversation.tool_calls}
    missing = [m for m in conversation.messages if m.id not in names and m.id not in with_calls]
    assert [m.id for m in missing if m.kind != "tool_results"] == []
    assert [call.id for call in conversation.tool_calls if call.id not in names] == []
    assert [run.id for run in conversation.agent_runs if run.id not in names] == []


def _names(items: Iterable[Item]) -> Iterator[tuple[bool, str]]:
    """Give the ids of messages, calls and runs; a call without one of its own has its row's."""
    for item in walk(items):
        match item:
            case ForkView():
                continue
            case GapView() if item.id.startswith("gap-"):
                continue
            case CompactionView() if item.summary_id and item.summary_id != item.id:
                yield from ((False, item.id), (False, item.summary_id))
            case _:
                yield isinstance(item, CallView), item.id


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
