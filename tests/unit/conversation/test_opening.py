"""Which prompt tells what a session is about, and the plan that one begins with."""

import pytest

from clew.conversation import Opening, find_opening, says_something
from tests.build import SessionBuilder
from tests.unit.conversation.built import (
    conversation_of,
    conversation_of_rows,
    message_of,
    prompt,
)


@pytest.mark.parametrize(
    "text",
    [
        *("hi", "Hello!", "hey Claude", "yes", "y", "ok", "OK, go on", "continue", "Continue."),
        *("yes please, go ahead", "9", "2.", "👍", "...", "", "  \n", "[Image #1]", "let's start"),
        *("weiter", "ja, bitte mach weiter", "oui, merci", "sí", "continúa por favor"),
        *("да, давай дальше", "继续", "好的。", "続けてください", "계속해줘", "はい、お願いします"),
        *("/clear", "/model", "/model opus", "/compact keep the plan", "/my:command"),
    ],
)
def test_a_greeting_a_yes_or_a_bare_command_says_nothing(text: str) -> None:
    assert not says_something(text)


@pytest.mark.parametrize(
    "text",
    [
        *("fix lint errors", "test", "push to github", "ok, now write the program", "Refactor"),
        *("yes, but keep the old name", "/fix-issue 123", "/src/app.py is broken", "why?!? help"),
        *("go on and do it all again and then stop", "修复登录", "バグを直して", "버그 수정"),
        *("hi\n\nthe build fails", "[Image #1] add a margin", "почини тесты"),
    ],
)
def test_whatever_tells_a_wish_says_something(text: str) -> None:
    assert says_something(text)


def opening_of(builder: SessionBuilder) -> Opening | None:
    conversation = conversation_of(builder)
    return find_opening(conversation.messages, conversation.threads)


def test_the_opening_is_the_first_prompt_that_says_something() -> None:
    builder = SessionBuilder().user("hi").assistant("Hello!").user("Fix the parser")

    opening = opening_of(builder)

    assert opening is not None
    assert opening.text == "Fix the parser"
    assert opening.message_id == message_of(conversation_of(builder), "Fix the parser").id


def test_a_command_with_arguments_opens_a_session_whose_prompts_say_nothing() -> None:
    builder = SessionBuilder().prompt_command("/fix-issue", "123", body="Fix it.").user("yes")

    opening = opening_of(builder)

    assert opening is not None
    assert opening.text == "/fix-issue 123"


def test_a_session_of_fillers_has_no_opening() -> None:
    assert opening_of(SessionBuilder().user("hi").assistant("Hello!").user("ok")) is None


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Implement the following plan:\n\n# Fix `parse()` **now**\n\nText", "Fix parse() now"),
        ("# Plan: [Search](docs/search.md) ##\n\n## Context", "Plan: Search"),
        (
            "Implement the following plan:\n\n# Plan\n\n## Context\n\n## Drop the cache",
            "Drop the cache",
        ),
        ("# Plan\n\nJust do it.", "Plan"),
        ("# Overview\n\n```\n# not a heading\n```\n\n## Add a cache", "Add a cache"),
        ("#tag at the beginning", ""),
        ("Implement the following plan:\n\nJust do it.\n\n# Later", ""),
        ("Fix the parser\n\n# Notes", ""),
    ],
)
def test_the_heading_of_a_pasted_plan(text: str, heading: str) -> None:
    opening = opening_of(SessionBuilder().user(text))

    assert opening is not None
    assert opening.plan_heading == heading


def test_the_plan_that_the_client_recorded_counts() -> None:
    row = prompt("a", None, "Implement it as we said", planContent="# Add a cache\n\nText")
    conversation = conversation_of_rows(row)

    opening = find_opening(conversation.messages, conversation.threads)

    assert opening is not None
    assert opening.plan_heading == "Add a cache"
