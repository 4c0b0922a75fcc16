"""Words typed while the model worked."""

import pytest

from clew.conversation import Message
from clew.view.detail import Detail, level_of
from tests.build import SessionBuilder, bash
from tests.unit.conversation.built import (
    conversation_of,
    material_of,
    texts,
    threads_of,
    transcript_of,
)


def working(version: str = "2.1.100") -> SessionBuilder:
    return SessionBuilder(version=version).user("go").tools(bash("make", "built"))


def last_steering(builder: SessionBuilder) -> Message:
    return [m for m in conversation_of(builder).messages if m.kind == "steering"][-1]


def test_words_that_only_the_queue_holds_are_steering_in_their_place() -> None:
    builder = working().queue("enqueue", "use blue").queue("remove").assistant("Blue it is.")

    conversation = conversation_of(builder)

    assert texts(conversation, "prompt", "steering", "answer") == [
        "go",
        "",
        "use blue",
        "Blue it is.",
    ]
    assert last_steering(builder).subtype == "remove"
    assert conversation.totals.prompts == 2
    assert len(conversation.threads) == 1


def unsent(builder: SessionBuilder) -> list[Message]:
    return [m for m in conversation_of(builder).messages if m.kind == "unsent"]


def test_words_taken_back_to_the_editor_were_never_sent() -> None:
    builder = working().queue("enqueue", "use blue").queue("popAll", "use blue")

    conversation = conversation_of(builder.assistant("Done."))

    (message,) = unsent(builder)
    assert (message.text, message.subtype, message.pair_id) == ("use blue", "withdrawn", None)
    assert texts(conversation, "prompt", "steering") == ["go"]
    assert conversation.totals.prompts == 1
    assert len(conversation.turns) == len(conversation.threads) == 1
    assert level_of(message) is Detail.TALK


def test_the_words_of_pop_all_may_stand_there_alone() -> None:
    (message,) = unsent(working().queue("popAll", "never mind"))

    assert message.text == "never mind"


@pytest.mark.parametrize(
    "sent", ["use light blue for it", "use blue for it", "First wait. use blue for it"]
)
def test_words_taken_back_are_linked_with_the_prompt_that_was_sent_instead(sent: str) -> None:
    builder = working().queue("enqueue", "use blue for it").queue("popAll", "use blue for it")

    (message,) = unsent(builder.interrupt().user(sent))

    prompt = conversation_of(builder).messages[-1]
    assert (prompt.text, prompt.pair_id) == (sent, None)
    assert message.pair_id == prompt.id
    assert level_of(message) is Detail.EVERYTHING


def test_words_taken_back_are_linked_with_the_steering_that_was_sent_instead() -> None:
    builder = working().queue("enqueue", "run the lint comman").queue("popAll")
    builder.queue("enqueue", "run the lint command").queue("remove").assistant("Linted.")

    (message,) = unsent(builder)

    assert message.pair_id == last_steering(builder).id
    assert last_steering(builder).text == "run the lint command"


def test_words_taken_back_are_not_linked_with_other_words() -> None:
    builder = working().queue("enqueue", "use blue for it").queue("popAll").user("Stop and commit")

    (message,) = unsent(builder)

    assert message.pair_id is None


def test_words_taken_back_and_queued_again_are_sent_once() -> None:
    builder = working().queue("enqueue", "next task").queue("popAll", "next task")
    builder.queue("enqueue", "next task").queue("dequeue").user("next task")

    assert texts(conversation_of(builder), "prompt", "steering", "unsent") == [
        "go",
        "next task",
        "next task",
    ]
    assert len(unsent(builder)) == 1


def test_an_operation_for_each_of_the_words_takes_each_back_once() -> None:
    builder = working().queue("enqueue", "one thing").queue("enqueue", "another")

    builder.queue("popAll", "one thing").queue("popAll", "another")

    assert [message.text for message in unsent(builder)] == ["one thing", "another"]


def test_words_that_newer_clients_attach_are_said_once() -> None:
    builder = SessionBuilder().user("go").tools(bash("make", "built")).steer("use blue")

    message = last_steering(builder.assistant("Blue it is."))

    assert (message.text, message.subtype) == ("use blue", "queued_command")
    assert len(texts(conversation_of(builder), "steering")) == 1


def test_words_that_became_a_prompt_are_said_once() -> None:
    builder = working().queue("enqueue", "next task").queue("dequeue").user("next task")

    conversation = conversation_of(builder)

    assert texts(conversation, "prompt", "steering") == ["go", "next task"]


def test_a_prompt_that_never_left_the_queue_is_marked() -> None:
    builder = working().queue("enqueue", "one more thing")

    message = conversation_of(builder).messages[-1]

    assert (message.kind, message.subtype, message.text) == (
        "prompt",
        "undelivered",
        "one more thing",
    )


def test_a_prompt_that_left_the_queue_without_a_trace_is_marked() -> None:
    builder = working().queue("enqueue", "lost words").queue("dequeue")

    assert conversation_of(builder).messages[-1].subtype == "undelivered"


def test_a_session_of_nothing_but_a_queue_is_one_thread() -> None:
    builder = SessionBuilder(version="2.1.100")
    for number in range(3):
        builder.queue("enqueue", f"try {number}").queue("dequeue")

    assert threads_of(conversation_of(builder)) == [["try 0", "try 1", "try 2"]]


def test_undelivered_words_before_the_first_prompt_make_no_fork() -> None:
    builder = SessionBuilder(version="2.1.100").queue("enqueue", "lost words").queue("dequeue")

    conversation = conversation_of(builder.user("hello?").assistant("yes"))

    assert threads_of(conversation) == [["lost words", "hello?", "yes"]]


def test_words_said_twice_in_the_queue_need_two_traces() -> None:
    builder = working().queue("enqueue", "again").queue("remove").queue("enqueue", "again")

    conversation = conversation_of(builder.queue("dequeue").user("again"))

    assert texts(conversation, "steering") == ["again"]
    assert texts(conversation, "prompt") == ["go", "again"]
    assert conversation.messages[-1].subtype is None


def test_newer_clients_name_the_words_they_remove() -> None:
    builder = SessionBuilder().user("go").queue("enqueue", "first").queue("enqueue", "second")

    conversation = conversation_of(builder.queue("remove", "second").queue("dequeue"))

    assert texts(conversation, "steering") == ["second"]
    assert texts(conversation, "prompt") == ["go", "first"]


def test_words_that_are_removed_may_never_have_been_queued() -> None:
    builder = SessionBuilder().user("go").queue("enqueue", "first").queue("remove", "unheard of")

    conversation = conversation_of(builder)

    assert texts(conversation, "steering") == ["unheard of"]
    assert texts(conversation, "prompt") == ["go", "first"]


def test_words_that_are_part_of_a_joined_prompt_are_said_once() -> None:
    builder = working().queue("enqueue", "fix the tests").queue("enqueue", "then the docs")

    conversation = conversation_of(
        builder.queue("dequeue").queue("dequeue").user("fix the tests\nthen the docs")
    )

    assert texts(conversation, "prompt", "steering") == ["go", "fix the tests\nthen the docs"]


def test_a_queued_command_is_said_by_the_command_that_follows() -> None:
    builder = working().queue("enqueue", "/compact now").queue("dequeue")

    conversation = conversation_of(builder.command("/compact", stdout="Compacted"))

    assert texts(conversation, "prompt", "steering", "command") == ["go", "/compact"]


def test_news_of_a_task_in_the_queue_is_no_steering() -> None:
    news = "<task-notification><task-id>b1</task-id><status>completed</status></task-notification>"
    builder = working().queue("enqueue", news).queue("remove")

    conversation = conversation_of(builder)

    assert texts(conversation, "steering") == []
    assert [m.kind for m in conversation.messages][-1] == "notification"


def test_what_the_client_queues_itself_is_no_steering() -> None:
    builder = (
        SessionBuilder()
        .user("go")
        .attachment("queued_command", prompt="Continue.", commandMode="prompt", isMeta=True)
    )

    message = conversation_of(builder).messages[-1]

    assert (message.kind, message.is_meta) == ("injection", True)


def test_a_copy_of_the_transcript_does_not_say_the_words_again() -> None:
    builder = working().queue("enqueue", "use blue").queue("remove").assistant("ok")
    material = material_of(builder)
    twice = (*material.transcripts, transcript_of(builder.content(), "copy"))

    conversation = conversation_of(material_of(builder, transcripts=twice))

    assert texts(conversation, "steering") == ["use blue"]


def test_operations_that_nobody_knows_are_left_alone() -> None:
    builder = working().queue("shuffle", "what").queue("dequeue").queue("remove")

    assert texts(conversation_of(builder), "steering") == []


def test_words_of_an_earlier_prompt_that_are_queued_later_are_said_again() -> None:
    builder = working().assistant("Done.").user("continue").tools(bash("make", "built"))

    conversation = conversation_of(builder.queue("enqueue", "continue").queue("remove"))

    assert texts(conversation, "prompt", "steering") == ["go", "continue", "continue"]


def test_words_that_only_an_earlier_prompt_quotes_are_said_again() -> None:
    builder = SessionBuilder(version="2.1.100").user("show the branch name too").assistant("Done.")
    builder.user("wider").queue("enqueue", "the branch name").queue("remove")

    assert texts(conversation_of(builder), "steering") == ["the branch name"]


def test_a_note_that_a_task_began_is_no_news_of_it() -> None:
    note = '{"task_id":"b1","tool_use_id":"t","description":"make","task_type":"local_bash"}'
    builder = working().queue("enqueue", note).queue("remove").assistant("Done.")

    assert texts(conversation_of(builder), "notification", "steering", "prompt") == ["go"]
