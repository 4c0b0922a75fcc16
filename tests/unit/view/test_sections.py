"""Sections: pages in pieces, and where in them a thing stands."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import NotFoundError
from clew.view import (
    CallView,
    Detail,
    RunView,
    ViewOptions,
    find_section,
    make_index,
    make_layout,
    make_section,
)
from tests.build import Agent, SessionBuilder, bash
from tests.unit.conversation.built import conversation_of
from tests.unit.view.viewed import check, items_of, messages_of, view, walk

STEPS = {
    "user": lambda builder: builder.user("next"),
    "assistant": lambda builder: builder.assistant("well", "yes"),
    "tools": lambda builder: builder.tools(bash("ls", "a"), bash("pwd", "/"), say="Looking."),
    "pending": lambda builder: builder.tool("Bash", {"command": "sleep 9"}),
    "agent": lambda builder: builder.tools(
        Agent("Look", "Look around", lambda run: run.tools(bash("ls", "a")).assistant("seen"))
    ),
    "compact": lambda builder: builder.compact("auto"),
    "steer": lambda builder: builder.steer("hurry"),
    "retry": lambda builder: builder.api_error().assistant("at last"),
    "interrupt": lambda builder: builder.interrupt(),
    "hook": lambda builder: builder.stop_hook("lint"),
    "command": lambda builder: builder.command("/cost", stdout="$1"),
    "broken": lambda builder: builder.raw(b"{not json"),
    "mark": lambda builder: builder.remember("mark"),
    "back": lambda builder: builder.rewind_to("mark").wait(60).user("another way"),
}


def long_turn() -> SessionBuilder:
    """One prompt with forty answers, then another."""
    session = SessionBuilder().user("Go")
    for number in range(40):
        session.tools(bash(f"step {number}", "done"))
    return session.user("And now?").assistant("Nothing.")


def test_a_turn_has_a_section_and_a_long_one_several() -> None:
    page = view(long_turn(), section_messages=10)

    places = [section.place for section in page.sections]

    assert [(place.turn, place.is_first) for place in places] == [
        (1, True),
        (1, False),
        (1, False),
        (1, False),
        (1, False),
        (2, True),
    ]
    assert [place.messages for place in places] == [10, 10, 10, 10, 1, 2]


def test_sections_of_a_session_that_grew_begin_as_before() -> None:
    session = long_turn()
    before = view(session, section_messages=10)

    after = view(session.user("More").assistant("More it is."), section_messages=10)

    assert after.sections[: len(before.sections)] == before.sections


def test_agent_runs_fill_a_section_too() -> None:
    session = SessionBuilder().user("Go")
    for number in range(4):
        session.agent(f"Run {number}", "Look.", lambda run: run.assistant("a").assistant("b"))

    assert len(view(session, section_messages=8).sections) > 1


def test_what_comes_before_all_prompts_is_turn_0() -> None:
    page = view(SessionBuilder().command("/model", "opus", stdout="Set").user("Hi"))

    assert [section.place.turn for section in page.sections] == [0, 1]
    assert [(turn.index, turn.kind) for turn in page.frame.turns] == [
        (0, "beginning"),
        (1, "prompt"),
    ]


def test_what_shows_nothing_makes_no_section() -> None:
    page = view(SessionBuilder().meta("A rule").user("Hi"), detail=Detail.TALK)

    assert [section.place.turn for section in page.sections] == [1]


def test_an_outline_has_turns_and_no_sections() -> None:
    page = view(long_turn(), detail=Detail.OUTLINE)

    assert page.sections == ()
    assert page.frame.marks == ()
    assert [turn.title for turn in page.frame.turns] == ["Go", "And now?"]


def test_one_turn_may_be_asked_for() -> None:
    page = view(long_turn(), turn=2)

    assert [message.kind for message in messages_of(page)] == ["prompt", "answer"]


def test_a_turn_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="has turns 1 to 2"):
        view(long_turn(), turn=3)


def test_a_section_that_is_not_there_is_not_found() -> None:
    index = make_index(conversation_of(long_turn()))

    with pytest.raises(NotFoundError, match="no section 2"):
        make_section(index, ViewOptions(), 2)


def test_an_empty_session_has_an_empty_page() -> None:
    page = view(SessionBuilder())

    assert page.sections == ()
    assert page.frame.turns == ()


def test_calls_and_runs_are_found_in_their_sections() -> None:
    session = long_turn().agent("Look", "Look.", lambda run: run.tools(bash("ls", "a")))
    conversation = conversation_of(session)
    index, options = make_index(conversation), ViewOptions(section_messages=10)

    page = view(conversation, section_messages=10)

    for item in walk(items_of(page)):
        if isinstance(item, CallView | RunView):
            holder = find_section(index, options, item.id)
            assert holder is not None
            assert item in walk(page.sections[holder].items)


def test_a_result_is_found_where_its_call_is() -> None:
    conversation = conversation_of(long_turn())
    index = make_index(conversation)
    layout = make_layout(index, ViewOptions(section_messages=1))

    for call in conversation.tool_calls:
        found = [
            find_section(index, layout.context.options, name or "", layout)
            for name in (call.id, call.message_id, call.result_message_id)
        ]
        assert len(set(found)) == 1


def test_a_row_of_an_answer_is_found_by_its_own_id() -> None:
    conversation = conversation_of(long_turn())
    answer = next(m for m in conversation.messages if m.kind == "answer")

    assert find_section(make_index(conversation), ViewOptions(), answer.entry_ids[0]) == 0


@pytest.mark.parametrize("name", ["", "nothing of this page"])
def test_what_is_nowhere_is_in_no_section(name: str) -> None:
    assert find_section(make_index(conversation_of(long_turn())), ViewOptions(), name) is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(list(STEPS)), max_size=14),
    st.fixed_dictionaries(
        {
            "detail": st.sampled_from(list(Detail)),
            "section_messages": st.integers(1, 8),
            "with_branches": st.booleans(),
        }
    ),
)
def test_pieces_make_the_page_whatever_was_said(names: list[str], options: dict[str, Any]) -> None:
    builder = SessionBuilder().user("start").remember("mark").assistant("began")
    for name in names:
        STEPS[name](builder)

    check(conversation_of(builder), **options)
