"""Tries of a model call that failed."""

from tests.build import SessionBuilder
from tests.unit.conversation.built import answer, conversation_of, conversation_of_rows, row, texts


def test_failed_tries_belong_to_the_answer_that_came_in_the_end() -> None:
    builder = SessionBuilder().user("hi").api_error(attempt=1).api_error(attempt=2)

    conversation = conversation_of(builder.assistant("hello"))

    message = conversation.messages[-1]
    assert [m.kind for m in conversation.messages] == ["prompt", "answer"]
    assert [retry.attempt for retry in message.retries] == [1, 2]
    assert [retry.status for retry in message.retries] == [529, 529]
    assert message.retries[0].text == "529 Overloaded"


def test_the_last_failure_is_kept_with_the_tries_before_it() -> None:
    builder = SessionBuilder().user("hi").api_error(attempt=1).failure("Overloaded", status=529)

    message = conversation_of(builder).messages[-1]

    assert (message.kind, message.text) == ("api_error", "Overloaded")
    assert [retry.attempt for retry in message.retries] == [1]


def test_tries_that_no_answer_follows_are_one_error() -> None:
    builder = SessionBuilder().user("hi").api_error(attempt=1).api_error(attempt=2)

    conversation = conversation_of(builder)

    message = conversation.messages[-1]
    assert [m.kind for m in conversation.messages] == ["prompt", "api_error"]
    assert message.id == builder.rows[-1]["uuid"]
    assert (message.error, len(message.retries), len(message.lines)) == ("529 Overloaded", 1, 2)


def test_a_prompt_ends_the_waiting_for_an_answer() -> None:
    builder = SessionBuilder().user("hi").api_error().user("again").assistant("hello")

    conversation = conversation_of(builder)

    assert [m.kind for m in conversation.messages] == ["prompt", "api_error", "prompt", "answer"]
    assert conversation.messages[-1].retries == ()


def test_a_failure_without_words_still_says_that_it_failed() -> None:
    conversation = conversation_of_rows(row("system", "e", None, subtype="api_error"))

    assert conversation.messages[0].error == "the model call failed"


def test_tries_whose_times_run_backwards_are_told_from_first_to_last() -> None:
    conversation = conversation_of_rows(
        row("system", "e", None, 9, subtype="api_error"),
        row("system", "f", "e", 4, subtype="api_error"),
    )

    message = conversation.messages[0]

    assert (message.started_at[-7:], message.ended_at[-7:]) == ("04.000Z", "09.000Z")


def test_errors_are_counted_once_however_often_a_call_was_tried() -> None:
    builder = SessionBuilder().user("hi").api_error(attempt=1).api_error(attempt=2)

    totals = conversation_of(builder.failure("Overloaded")).totals

    assert (totals.errors, totals.messages) == (1, 2)


def test_an_error_of_the_model_keeps_its_words() -> None:
    failed = answer("a", None, "Prompt is too long", isApiErrorMessage=True)

    conversation = conversation_of_rows(failed)

    assert texts(conversation, "api_error") == ["Prompt is too long"]
    assert conversation.messages[0].error == "Prompt is too long"
