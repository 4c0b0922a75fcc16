"""Which sentences of which answers describe a session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.digest import describe, gather_facts
from clew.digest.telling import tell
from tests.build import SessionBuilder, bash
from tests.unit.conversation.built import conversation_of

PIECES = (
    *("**bold:**", "**b c d**", " text one two", " four five six.", "\n", "\n\n", "- item one two"),
    *("## heading one two", "1. one two", "|a|b|", "   ", "`code x`", ":", "Let me check."),
)
MOST = 2
REPORT = "The parser now reads all of the old files."


def description(builder: SessionBuilder) -> str:
    return describe(gather_facts(conversation_of(builder)))


@pytest.mark.parametrize(
    "empty",
    [
        "Good catch.",
        "Good catch!",
        "You're right.",
        "You\u2019re welcome!",
        "I apologize for the confusion about the parser.",
        "Let me check the parser.",
        "Good. Now let me check the parser.",
        "I'll fix the parser now.",
        "Now I have everything I need.",
        "I can see the problem now.",
        "Committed as `1c77b2cf`.",
        "All tests pass, and lint is clean.",
        "All 12 tests pass now!",
        "Pushed successfully.",
        "Here's the whole summary for you.",
        "Want me to commit it?",
        "Would you like me to go on with the other files?",
        "Let me know if anything else is missing.",
        "That's the earlier test run notification. It has passed before the last change.",
        "This is a late notification of the build.",
        "The remaining unstaged changes are unrelated.",
        "No response requested.",
    ],
)
def test_an_answer_that_says_nothing_is_passed_over(empty: str) -> None:
    builder = SessionBuilder().user("Fix it").assistant(REPORT).user("And then?").assistant(empty)

    assert description(builder) == REPORT


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (f"Good catch. {REPORT}", [REPORT]),
        (f"Done.\n\n- Left the guard as it was.\n\n{REPORT}", [REPORT]),
        (f"All done. {REPORT} Let me know what you think.", [REPORT]),
        (
            "Both of the old guards are gone:\n\n1. one\n2. two",
            ["Both of the old guards are gone:"],
        ),
        ("Here it is:\n\n- The guard is gone for good.", ["The guard is gone for good."]),
        ("**What I did for you:**\n\n- It reads all of them.", ["It reads all of them."]),
        ("## The new export is complete\n\nShall I go on?", ["The new export is complete"]),
        (
            "Fixed it. The guard was left in by mistake.",
            ["Fixed it.", "The guard was left in by mistake."],
        ),
        (
            "No tests cover the parser of old files yet.",
            ["No tests cover the parser of old files yet."],
        ),
        ("Letting the parser go on is what helped.", ["Letting the parser go on is what helped."]),
        ("テストを追加しました。", ["テストを追加しました。"]),
    ],
)
def test_an_answer_is_told_by_what_says_something(answer: str, told: list[str]) -> None:
    found = tell(answer)

    assert (list(found.sentences), found.has_news) == (told, True)


def test_what_ended_a_turn_comes_before_what_was_said_on_the_way() -> None:
    builder = (
        SessionBuilder()
        .user("Fix it")
        .assistant(REPORT)
        .user("And the docs")
        .tools(bash("ls", "a.md"), say="The docs are all wrong.")
        .assistant("Let me look at them.")
    )

    assert description(builder) == REPORT


def test_what_was_said_on_the_way_is_better_than_an_announcement() -> None:
    builder = (
        SessionBuilder()
        .user("Fix it")
        .tools(bash("ls", "a.md"), say="The guard in the parser is wrong.")
        .assistant("Let me fix that.")
    )

    assert description(builder) == "The guard in the parser is wrong."


def test_an_announcement_is_better_than_nothing() -> None:
    assert description(SessionBuilder().user("Fix it").assistant("Let me look at it.")) == (
        "Let me look at it."
    )


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("## What I found\n\n- `a.py` gives up too early\n- no test", ["a.py gives up too early"]),
        ("## A\nThe guard is gone\n**B**\nand the door", ["The guard is gone"]),
        ("The guard\n**is gone for good**\nnow. It is.", ["The guard is gone for good now."]),
    ],
)
def test_lines_of_a_list_tell_more_than_its_heading(answer: str, told: list[str]) -> None:
    assert list(tell(answer).sentences) == told


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_answer_can_be_read(answer: str) -> None:
    assert len(tell(answer).sentences) <= MOST
