"""Prompts that the client wrote down more than once."""

import pytest

from tests.build import SessionBuilder, image
from tests.unit.conversation.built import conversation_of, conversation_of_rows, prompt, texts


def test_of_prompts_written_at_once_the_first_is_kept() -> None:
    conversation = conversation_of_rows(
        prompt("a", None, "start", 0),
        prompt("b", "a", "look", 5),
        prompt("c", "a", "look", 5.4),
    )

    (copy,) = conversation.duplicates

    assert texts(conversation, "prompt") == ["start", "look"]
    assert (copy.id, copy.of, copy.line) == ("c", "b", 3)


def test_what_hangs_on_a_copy_hangs_on_the_first() -> None:
    conversation = conversation_of_rows(
        prompt("a", None, "start", 0),
        prompt("b", "a", "look", 5),
        prompt("c", "a", "look", 5.4),
        prompt("d", "c", "and then", 9),
    )

    assert conversation.messages[-1].parent_id == "b"


@pytest.mark.parametrize(("later", "copies"), [(2.0, 1), (2.001, 0), (55, 0)])
def test_the_same_words_more_than_two_seconds_later_are_another_prompt(
    later: float, copies: int
) -> None:
    conversation = conversation_of_rows(
        prompt("a", None, "start", 0),
        prompt("b", "a", "again", 5),
        prompt("c", "a", "again", 5 + later),
    )

    assert len(conversation.duplicates) == copies
    assert len(conversation.threads) == 2 - copies


def test_the_same_words_with_another_picture_are_another_prompt() -> None:
    builder = SessionBuilder().user("start").remember("here").user("look", image(b"one"))

    builder.rewind_to("here").wait(-0.9).user("look", image(b"two"))

    assert conversation_of(builder).duplicates == ()


def test_the_same_words_one_below_the_other_are_two_prompts() -> None:
    conversation = conversation_of_rows(prompt("a", None, "go", 0), prompt("b", "a", "go", 0.5))

    assert texts(conversation, "prompt") == ["go", "go"]


def test_prompts_without_a_time_are_never_taken_for_copies() -> None:
    timeless = [prompt(name, None, "go") | {"timestamp": "soon"} for name in ("a", "b")]

    assert conversation_of_rows(*timeless).duplicates == ()
