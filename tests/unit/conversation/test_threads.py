"""Threads: what is a fork, and what only looks like one."""

from tests.build import SessionBuilder, bash, image, read, text
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    prompt,
    result,
    row,
    texts,
    threads_of,
    use,
)


def test_a_rewind_is_a_fork() -> None:
    builder = (
        SessionBuilder()
        .user("first")
        .assistant("one")
        .remember("here")
        .user("this way")
        .assistant("two")
        .rewind_to("here")
        .user("that way")
        .assistant("three")
    )

    conversation = conversation_of(builder)

    assert threads_of(conversation) == [
        ["first", "one", "this way", "two"],
        ["first", "one", "that way", "three"],
    ]
    assert [thread.is_main for thread in conversation.threads] == [False, True]
    forks = {thread.forked_at for thread in conversation.threads}
    assert forks == {conversation.messages[1].id}


def test_an_edited_first_prompt_is_another_way_from_the_start() -> None:
    builder = SessionBuilder().remember("start").user("one").assistant("a")

    conversation = conversation_of(builder.rewind_to("start").user("two").assistant("b"))

    assert threads_of(conversation) == [["one", "a"], ["two", "b"]]
    assert [thread.forked_at for thread in conversation.threads] == [None, None]


def test_a_prompt_that_goes_back_behind_an_answer_is_a_fork() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", [use("c")], 1),
        result("r", "a", "c", "out", 2),
        answer("b", "r", "finished", 3),
        prompt("q", "r", "no, otherwise", 9),
        answer("d", "q", "as you wish", 10),
    )

    assert len(conversation.threads) == 2
    assert texts(conversation, "answer") == ["", "finished", "as you wish"]


def test_a_rewind_may_hang_on_a_sibling_attachment() -> None:
    attachment = {"attachment": {"type": "date", "date": "today"}}
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", "one", 1),
        row("attachment", "t", "a", 2, **attachment),
        prompt("q", "t", "this way", 3),
        answer("b", "q", "two", 4),
        prompt("r", "a", "that way", 9),
        answer("c", "r", "three", 10),
    )

    main = next(thread for thread in conversation.threads if thread.is_main)

    assert len(conversation.threads) == 2
    assert main.message_ids[-2:] == ("r", "msg-c")


def test_a_fork_at_a_row_that_shows_nothing_is_told_at_the_message_above() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", "one", 1),
        row("progress", "g", "a", 2, data={"type": "hook_progress"}),
        prompt("q", "g", "this way", 3),
        prompt("r", "g", "that way", 9),
    )

    assert [thread.forked_at for thread in conversation.threads] == ["msg-a", "msg-a"]


def test_forks_within_branches_each_have_their_thread() -> None:
    builder = SessionBuilder().user("root").assistant("a").remember("one")
    builder.user("left").assistant("b").remember("two").user("left left").assistant("c")
    builder.rewind_to("two").user("left right").assistant("d")

    conversation = conversation_of(builder.rewind_to("one").user("right").assistant("e"))

    assert [thread[-1] for thread in threads_of(conversation)] == ["c", "d", "e"]


def test_two_terminals_on_one_session_make_two_threads() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "start", 0),
        answer("a", "p", "ready", 1),
        prompt("q1", "a", "first terminal", 10),
        prompt("q2", "a", "second terminal", 11),
        answer("b2", "q2", "to the second", 12),
        answer("b1", "q1", "to the first", 13),
    )

    assert threads_of(conversation) == [
        ["start", "ready", "first terminal", "to the first"],
        ["start", "ready", "second terminal", "to the second"],
    ]


def test_the_main_thread_is_the_one_whose_last_message_was_written_last() -> None:
    builder = SessionBuilder().user("root").assistant("a").remember("here")
    builder.user("left").assistant("b").remember("left")
    builder.rewind_to("here").user("right").assistant("c")

    conversation = conversation_of(builder.rewind_to("left").user("left again").assistant("d"))

    (main,) = [t for t in conversation.threads if t.is_main]
    assert main.message_ids[-1] == conversation.messages[5].id
    assert conversation.messages[5].text == "d"


def test_parallel_calls_and_their_results_are_no_fork() -> None:
    builder = SessionBuilder().user("go").tools(bash("a", "1"), read("/b", "2"), bash("c", "3"))

    assert len(conversation_of(builder.assistant("done")).threads) == 1


def test_a_result_and_the_next_fragment_side_by_side_are_no_fork() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a1", "p", [use("c1")], 1, message_id="m"),
        result("r1", "a1", "c1", "one", 2),
        answer("a2", "a1", [use("c2")], 3, message_id="m"),
        result("r2", "a2", "c2", "two", 4),
        answer("b", "r2", "done", 5),
    )

    assert len(conversation.threads) == 1
    assert [m.id for m in conversation.messages] == ["p", "m", "r1", "r2", "msg-b"]


def test_a_call_that_leads_nowhere_beside_one_that_goes_on_is_no_fork() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", [use("c1")], 1),
        answer("b", "a", [use("c2")], 2),
        result("r", "a", "c1", "out", 3),
        answer("d", "r", "done", 4),
    )

    assert len(conversation.threads) == 1


def test_hooks_progress_and_attachments_beside_the_talk_are_no_fork() -> None:
    attached = {"attachment": {"type": "hook_success", "hookName": "x"}}
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        row("attachment", "t", "p", 1, **attached),
        row("progress", "g", "p", 2, data={"type": "hook_progress"}),
        answer("a", "p", [use("c")], 3),
        row("progress", "h", "a", 4, data={"type": "bash_progress"}, parentToolUseID="c"),
        result("r", "a", "c", "out", 5),
        answer("b", "h", "done", 6),
        row("system", "s", "b", 7, subtype="stop_hook_summary"),
        prompt("q", "b", "more", 8),
    )

    assert len(conversation.threads) == 1


def test_a_late_result_beside_a_talk_that_went_on_is_no_fork() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", [use("c")], 1),
        prompt("q", "a", "meanwhile", 2),
        answer("b", "q", "yes?", 3),
        result("r", "a", "c", "late", 4),
        prompt("s", "b", "go on", 5),
    )

    assert len(conversation.threads) == 1


def test_failed_tries_beside_the_answer_are_no_fork() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        row("system", "e", "p", 1, subtype="api_error"),
        row("system", "f", "e", 2, subtype="api_error"),
        answer("a", "p", "at last", 3),
        prompt("q", "a", "more", 4),
    )

    assert len(conversation.threads) == 1
    assert texts(conversation, "prompt", "answer") == ["go", "at last", "more"]


def test_a_failure_after_which_the_prompt_is_said_again_is_no_fork_of_the_answer() -> None:
    builder = SessionBuilder().user("go").remember("prompt").api_error().failure("Overloaded")

    conversation = conversation_of(builder.rewind_to("prompt").assistant("at last").user("more"))

    assert len(conversation.threads) == 1


def test_a_stop_hook_that_races_the_next_prompt_is_no_fork() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", "done", 1),
        prompt("q", "a", "more", 2),
        row("system", "s", "a", 2.5, subtype="stop_hook_summary", hookCount=1),
        answer("b", "s", "even more", 3),
    )

    assert len(conversation.threads) == 1
    assert texts(conversation, "prompt", "answer") == ["go", "done", "more", "even more"]


def test_an_interrupted_answer_beside_the_next_prompt_is_no_fork() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", "half", 1),
        prompt("i", "p", "[Request interrupted by user]", 2),
        prompt("q", "i", "do it otherwise", 3),
    )

    assert len(conversation.threads) == 1


def test_one_prompt_with_pictures_that_is_written_thrice_is_no_fork() -> None:
    builder = SessionBuilder().user("hi").assistant("hello").remember("here")
    for _ in range(3):
        builder.rewind_to("here").wait(-0.9).user("look", image())

    conversation = conversation_of(builder.assistant("nice"))

    assert threads_of(conversation) == [["hi", "hello", "look", "nice"]]
    assert len(conversation.duplicates) == 2


def test_a_first_prompt_that_is_written_twice_is_no_fork() -> None:
    builder = SessionBuilder().remember("start").user("look", image()).wait(-0.9)

    conversation = conversation_of(builder.rewind_to("start").user("look", image()).assistant("ok"))

    assert threads_of(conversation) == [["look", "ok"]]


def test_a_branched_session_has_one_thread() -> None:
    origin = SessionBuilder("origin").user("hi").assistant("hello")

    fork = origin.fork("fork", marked=True).user("another way").assistant("sure")

    assert threads_of(conversation_of(fork)) == [["hi", "hello", "another way", "sure"]]


def test_rows_that_a_branched_session_writes_twice_are_listed() -> None:
    origin = SessionBuilder("origin").user("hi").assistant("hello")
    fork = origin.fork("fork", marked=True)
    for copied in list(fork.rows):
        fork.row(copied)

    conversation = conversation_of(fork.user("another way"))

    assert threads_of(conversation) == [["hi", "hello", "another way"]]
    assert len(conversation.duplicates) == 2


def test_an_answer_with_rows_on_two_branches_is_one_message_on_both() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a1", "p", [text("one")], 1, message_id="m"),
        answer("a2", "a1", [text("two")], 2, message_id="m"),
        prompt("q", "a1", "this way", 3),
        prompt("r", "a1", "that way", 4),
    )

    shared = [set(thread.message_ids) for thread in conversation.threads]

    assert all("m" in ids for ids in shared)
    assert [m.id for m in conversation.messages].count("m") == 1
