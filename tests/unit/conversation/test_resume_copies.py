"""Turns that an old client wrote again into the same file when a session was resumed."""

from typing import Any

from tests.build import Row
from tests.unit.conversation.built import (
    answer,
    conversation_of_rows,
    prompt,
    result,
    row,
    texts,
    threads_of,
    use,
)

TEXT: list[dict[str, Any]] = [{"type": "text", "text": "one"}]


def first_turns() -> list[Row]:
    return [
        prompt("p", None, "one", 0),
        answer("a", "p", [use("toolu_1", command="ls")], 1, message_id="m1"),
        result("r", "a", "toolu_1", "a.py", 2),
        answer("b", "r", "Done.", 3, message_id="m2"),
    ]


def copied_turns(mark: str = "+", second: float = 100) -> list[Row]:
    """Write the turns as a resuming client does: new uuids, one time, prompts as blocks."""
    p, a, r, b = (f"{name}{mark}" for name in "parb")
    return [
        prompt(p, None, TEXT, second),
        answer(a, p, [use("toolu_1", command="ls")], second, message_id="m1"),
        result(r, a, "toolu_1", "a.py", second),
        answer(b, r, "Done.", second, message_id="m2"),
    ]


def test_copies_are_listed_and_the_talk_goes_on_behind_the_first() -> None:
    conversation = conversation_of_rows(
        *first_turns(),
        *copied_turns(),
        prompt("q", "b+", "two", 110),
        answer("c", "q", "Yes.", 111),
    )

    assert threads_of(conversation) == [["one", "", "", "Done.", "two", "Yes."]]
    assert [turn.index for turn in conversation.turns] == [1, 2]
    assert {copy.id: copy.of for copy in conversation.duplicates} == {
        "p+": "p",
        "a+": "m1",
        "r+": "r",
        "b+": "m2",
    }


def test_a_session_that_was_resumed_twice_is_read_once() -> None:
    conversation = conversation_of_rows(
        *first_turns(),
        *copied_turns("+", 100),
        prompt("q", "b+", "two", 110),
        answer("c", "q", "Yes.", 111, message_id="m3"),
        *copied_turns("*", 200),
        prompt("q*", "b*", "two", 200),
        answer("c*", "q*", "Yes.", 200, message_id="m3"),
        prompt("z", "c*", "three", 210),
    )

    assert threads_of(conversation) == [["one", "", "", "Done.", "two", "Yes.", "three"]]
    assert len(conversation.duplicates) == 10


def test_a_prompt_that_was_never_answered_is_copied_with_the_rest() -> None:
    conversation = conversation_of_rows(
        *first_turns(),
        prompt("q", "b", "two", 9),
        *copied_turns(),
        prompt("q+", "b+", "two", 100),
        prompt("z", "q+", "three", 120),
    )

    assert texts(conversation, "prompt") == ["one", "two", "three"]


def test_words_typed_again_after_a_resume_are_a_prompt_of_their_own() -> None:
    conversation = conversation_of_rows(
        *first_turns(),
        prompt("q", "b", "two", 9),
        answer("c", "q", "Yes.", 10),
        *copied_turns(),
        prompt("z", "b+", "two", 120),
        answer("d", "z", "No.", 121),
    )

    assert texts(conversation, "prompt") == ["one", "two", "two"]
    assert texts(conversation, "answer")[-2:] == ["Yes.", "No."]


def test_rows_of_other_kinds_between_the_turns_do_not_hide_a_copy() -> None:
    note: Row = {"type": "system", "subtype": "informational", "content": "hook", "uuid": "n"}
    note |= {"parentUuid": "p", "timestamp": "2026-11-01T09:00:00.500Z", "sessionId": "s"}
    first, second, *rest = first_turns()

    conversation = conversation_of_rows(
        first, note, second | {"parentUuid": "n"}, *rest, *copied_turns()
    )

    assert texts(conversation, "prompt") == ["one"]


def test_a_note_with_two_answers_below_it_does_not_hide_a_copy() -> None:
    note = row("system", "n", "p", 0.5, subtype="informational", content="hook")

    conversation = conversation_of_rows(
        prompt("p", None, "one", 0),
        note,
        answer("a", "n", "No.", 1, message_id="m1"),
        answer("b", "n", "Yes.", 2, message_id="m2"),
        prompt("p+", None, TEXT, 100),
        answer("b+", "p+", "Yes.", 100, message_id="m2"),
    )

    assert texts(conversation, "prompt") == ["one"]
    assert {copy.id for copy in conversation.duplicates} == {"p+", "b+"}


def test_equal_first_words_with_other_answers_are_two_prompts() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "one", 0),
        answer("a", "p", "Yes.", 1),
        prompt("q", None, "one", 60),
        answer("b", "q", "Yes.", 61),
    )

    assert conversation.duplicates == ()
    assert texts(conversation, "prompt") == ["one", "one"]
