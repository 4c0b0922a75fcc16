"""Turns begin at prompts; commands and shell inputs stand with their output."""

from clew.conversation import Conversation
from tests.build import SessionBuilder, Usage, bash
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    message_of,
    prompt,
    row,
)


def turns_of(conversation: Conversation) -> list[list[str]]:
    by_id = {message.id: message for message in conversation.messages}
    return [[by_id[name].text for name in turn.message_ids] for turn in conversation.turns]


def test_a_turn_is_a_prompt_and_all_that_follows_it() -> None:
    builder = SessionBuilder().user("one").tools(bash("ls", "a"), say="Looking.")
    builder.assistant("Seen.").user("two").assistant("Done.")

    conversation = conversation_of(builder)

    assert turns_of(conversation) == [["one", "Looking.", "", "Seen."], ["two", "Done."]]
    assert [turn.index for turn in conversation.turns] == [1, 2]
    assert [turn.tool_call_count for turn in conversation.turns] == [1, 0]


def test_what_comes_before_the_first_prompt_is_in_no_turn() -> None:
    builder = SessionBuilder().attachment("date", date="today").user("hi").assistant("hello")

    conversation = conversation_of(builder)

    assert [message.turn for message in conversation.messages] == [None, 1, 1]


def test_a_command_that_the_model_answers_begins_a_turn() -> None:
    builder = SessionBuilder().user("one").assistant("a").prompt_command("/review", body="Review")

    conversation = conversation_of(builder.assistant("b"))

    assert turns_of(conversation) == [["one", "a"], ["/review", "Review", "b"]]


def test_a_command_that_nothing_answers_is_an_aside() -> None:
    builder = SessionBuilder().user("one").assistant("a").command("/cost", stdout="$1")

    conversation = conversation_of(builder.user("two").assistant("b"))

    assert len(conversation.turns) == 2
    assert message_of(conversation, "/cost").turn == 1


def test_a_shell_input_that_the_model_answers_begins_a_turn() -> None:
    builder = SessionBuilder().bash("make", stdout="failed").assistant("I fix it.")

    conversation = conversation_of(builder)

    assert turns_of(conversation) == [["make", "failed", "I fix it."]]


def test_steering_is_part_of_the_turn_that_runs() -> None:
    builder = SessionBuilder().user("go").tools(bash("ls", "a")).steer("hurry").assistant("done")

    assert turns_of(conversation_of(builder)) == [["go", "", "", "hurry", "done"]]


def test_each_branch_has_its_own_turns() -> None:
    builder = SessionBuilder().user("one").assistant("a").remember("here")
    builder.user("left").assistant("b").rewind_to("here").user("right").assistant("c")

    assert turns_of(conversation_of(builder)) == [["one", "a"], ["left", "b"], ["right", "c"]]


def test_what_a_branch_begins_with_belongs_to_the_turn_it_forks_from() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "one", 0),
        answer("a", "p", "yes", 1),
        prompt("q", "a", "left", 2),
        row("system", "n", "a", 10, subtype="informational", content="note"),
        prompt("r", "n", "right", 11),
    )

    assert turns_of(conversation) == [["one", "yes", "note"], ["left"], ["right"]]


def test_an_agent_run_belongs_to_the_turn_that_started_it() -> None:
    builder = SessionBuilder().user("one").assistant("a").user("two")
    builder.agent("Look", "Look around", lambda run: run.tools(bash("ls", "x")).assistant("seen"))

    conversation = conversation_of(builder.user("three"))

    assert message_of(conversation, "seen").turn == 2
    assert [turn.tool_call_count for turn in conversation.turns] == [0, 2, 0]
    assert all(
        message_of(conversation, "seen").id not in turn.message_ids for turn in conversation.turns
    )


def test_usage_of_a_turn_is_the_sum_of_its_answers() -> None:
    builder = SessionBuilder().user("one").assistant("a", usage=Usage(output=3))
    builder.assistant("b", usage=Usage(output=4)).user("two").assistant("c", usage=Usage(output=9))

    conversation = conversation_of(builder)

    assert [turn.usage.output_tokens for turn in conversation.turns] == [7, 9]


def test_the_length_of_a_turn_is_what_the_client_measured() -> None:
    builder = SessionBuilder().user("one").assistant("a").wait(600).turn_duration()
    builder.change(durationMs=1234)

    assert conversation_of(builder).turns[0].duration_ms == 1234


def test_a_turn_that_was_measured_twice_took_both_times() -> None:
    builder = SessionBuilder().user("one").assistant("a").turn_duration().change(durationMs=1200)
    builder.meta("Go on.").assistant("b").turn_duration().change(durationMs=3400)

    (turn,) = conversation_of(builder).turns

    assert turn.duration_ms == 4600


def test_without_a_measure_a_turn_lasts_from_its_first_to_its_last_row() -> None:
    builder = SessionBuilder().user("one").wait(4).assistant("a")

    (turn,) = conversation_of(builder).turns

    assert turn.duration_ms == 5000
    assert turn.started_at < turn.ended_at


def test_a_command_and_its_output_name_each_other() -> None:
    conversation = conversation_of(SessionBuilder().command("/cost", stdout="$1"))

    asked, told = conversation.messages[1:]

    assert (asked.pair_id, told.pair_id) == (told.id, asked.id)


def test_a_shell_input_and_its_output_name_each_other() -> None:
    asked, told = conversation_of(SessionBuilder().bash("ls", stdout="a")).messages

    assert (asked.pair_id, told.pair_id) == (told.id, asked.id)


def test_a_command_written_as_system_rows_is_paired_too() -> None:
    asked, told = conversation_of(SessionBuilder().local_command("/cost", stdout="1")).messages

    assert (asked.kind, told.kind) == ("command", "command_output")
    assert (asked.pair_id, told.pair_id) == (told.id, asked.id)


def test_an_output_without_a_command_stands_alone() -> None:
    builder = SessionBuilder().command("/cost", stdout="$1")
    del builder.draft.items[1]

    assert conversation_of(builder).messages[-1].pair_id is None


def test_a_turn_does_not_last_until_somebody_comes_back_to_leave() -> None:
    builder = SessionBuilder().user("one").assistant("a").wait(7200)
    builder.command("/exit", stdout="Bye!")

    turn = conversation_of(builder).turns[0]

    assert turn.duration_ms == 1000
    assert len(turn.message_ids) == 5


def test_a_turn_does_not_last_until_a_run_in_the_background_ends() -> None:
    def steps(run: SessionBuilder) -> object:
        return run.assistant("Working.").wait(7200).assistant("Done.")

    builder = SessionBuilder().user("go").agent("Look", "Look around", steps, background=True)

    conversation = conversation_of(builder.assistant("Started."))

    assert conversation.turns[0].ended_at == message_of(conversation, "Started.").ended_at
