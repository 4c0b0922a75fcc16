"""Rows hang on one another; what is broken is mended the same way each time."""

from tests.build import SessionBuilder
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    message_of,
    problems_of,
    prompt,
    result,
    row,
    texts,
    threads_of,
    use,
)


def test_a_child_that_is_written_before_its_parent_is_read_after_it() -> None:
    conversation = conversation_of_rows(
        answer("a", "p", "hello", 1), prompt("p", None, "hi", 0), prompt("q", "a", "more", 2)
    )

    assert texts(conversation, "prompt", "answer") == ["hi", "hello", "more"]
    assert problems_of(conversation) == []


def test_a_row_whose_parent_is_nowhere_hangs_on_the_row_before_it() -> None:
    builder = SessionBuilder().user("hi").assistant("hello").user("more").assistant("sure")
    builder.rows[2]["parentUuid"] = "never-written"

    conversation = conversation_of(builder)

    assert threads_of(conversation) == [["hi", "hello", "more", "sure"]]
    assert message_of(conversation, "more").parent_id == message_of(conversation, "hello").id
    assert problems_of(conversation) == ["missing_parent"]


def test_the_first_row_of_a_file_may_hang_on_another_session() -> None:
    conversation = conversation_of_rows(
        prompt("p", "elsewhere", "hi"), answer("a", "p", "hello", 1)
    )

    assert threads_of(conversation) == [["hi", "hello"]]
    assert problems_of(conversation) == []


def test_an_orphan_never_hangs_on_its_own_descendants() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "hi", 0),
        answer("b", "lost", "below", 2),
        answer("lost", "nowhere", "orphan", 1),
    )

    assert texts(conversation, "prompt", "answer") == ["hi", "orphan", "below"]


def test_a_circle_is_cut_at_its_first_row_and_reported() -> None:
    conversation = conversation_of_rows(
        prompt("p", "b", "one", 0), answer("a", "p", "two", 1), prompt("b", "a", "three", 2)
    )

    assert threads_of(conversation) == [["one", "two", "three"]]
    assert problems_of(conversation) == ["cycle"]


def test_a_row_that_is_its_own_parent_is_a_root() -> None:
    conversation = conversation_of_rows(prompt("p", "p", "hi"), answer("a", "p", "hello", 1))

    assert threads_of(conversation) == [["hi", "hello"]]


def test_several_circles_are_all_cut() -> None:
    conversation = conversation_of_rows(
        prompt("a", "b", "one", 0),
        answer("b", "a", "two", 1),
        prompt("c", "d", "three", 2),
        answer("d", "c", "four", 3),
    )

    assert problems_of(conversation).count("cycle") == 2
    assert sorted(texts(conversation, "prompt", "answer")) == ["four", "one", "three", "two"]


def test_roots_that_are_no_prompts_belong_to_the_thread_before_them() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "hi", 0),
        answer("a", "p", "hello", 1),
        row("system", "s", None, 2, subtype="away_summary", content="You were away"),
        prompt("q", "s", "back", 3),
    )

    assert threads_of(conversation) == [["hi", "hello", "You were away", "back"]]


def test_a_prompt_at_the_start_that_hangs_on_nothing_is_no_fork_of_what_only_prepares_it() -> None:
    conversation = conversation_of_rows(
        row("attachment", "h", None, 0, attachment={"type": "hook_success", "hookName": "start"}),
        prompt("p", None, "hi", 1),
        answer("a", "p", "hello", 2),
    )

    assert len(conversation.threads) == 1
    assert texts(conversation, "prompt", "answer") == ["hi", "hello"]


def test_parents_may_be_progress_rows_attachments_and_system_rows() -> None:
    progress = {"data": {"type": "hook_progress"}, "parentToolUseID": "c"}
    conversation = conversation_of_rows(
        answer("a", None, [use("c")], 1),
        row("progress", "g", "a", 2, **progress),
        result("r", "g", "c", "out", 3),
        row("attachment", "t", "r", 4, attachment={"type": "date", "date": "today"}),
        row("system", "y", "t", 5, subtype="turn_duration", durationMs=1),
        prompt("p", "y", "next", 6),
    )

    assert [m.parent_id for m in conversation.messages] == [None, "msg-a", "r", "t", "y"]
    assert len(conversation.threads) == 1


def test_rows_of_another_session_in_the_file_are_kept() -> None:
    builder = SessionBuilder().user("hi").assistant("hello")
    builder.rows[1]["sessionId"] = "another"

    assert texts(conversation_of(builder), "prompt", "answer") == ["hi", "hello"]


def test_a_row_that_is_written_twice_is_shown_once_and_listed() -> None:
    builder = SessionBuilder().user("hi").assistant("hello")
    builder.row(builder.rows[0])

    conversation = conversation_of(builder)

    assert texts(conversation, "prompt", "answer") == ["hi", "hello"]
    assert [copy.line for copy in conversation.duplicates] == [3]
    assert conversation.problems[0].text == "same content"


def test_one_uuid_on_two_different_rows_is_reported() -> None:
    conversation = conversation_of_rows(prompt("p", None, "one"), prompt("p", None, "two", 1))

    assert texts(conversation, "prompt") == ["one"]
    assert [(p.kind, p.text) for p in conversation.problems] == [
        ("duplicate_uuid", "different content")
    ]


def test_progress_gives_way_to_talk_that_has_its_uuid() -> None:
    data = {"type": "hook_progress"}
    conversation = conversation_of_rows(
        row("progress", "p", None, 0, data=data), prompt("p", None, "hi", 1)
    )

    assert texts(conversation, "prompt") == ["hi"]
    assert [(copy.id, copy.line) for copy in conversation.duplicates] == [("p", 1)]


def test_progress_alone_is_no_thread() -> None:
    conversation = conversation_of_rows(row("progress", "g", None, data={"type": "hook_progress"}))

    assert (conversation.messages, conversation.threads) == ((), ())


def test_a_broken_line_keeps_its_place_between_its_neighbours() -> None:
    torn = (
        b'{"parentUuid":"p","type":"assistant","uuid":"a","timestamp":"2026-11-01T09:00:01Z","mes'
    )
    conversation = conversation_of_rows(prompt("p", None, "hi"), torn, prompt("q", "a", "more", 2))

    assert [(m.id, m.parent_id) for m in conversation.messages] == [
        ("p", None),
        ("a", "p"),
        ("q", "a"),
    ]


def test_times_that_run_backwards_do_not_change_the_order_of_a_chain() -> None:
    builder = SessionBuilder().user("one").wait(-60).assistant("two").wait(-60).user("three")

    assert texts(conversation_of(builder), "prompt", "answer") == ["one", "two", "three"]


def test_a_session_may_cross_midnight() -> None:
    builder = SessionBuilder().at("2026-11-01T23:59:59Z").user("late").assistant("early")

    session = conversation_of(builder).session

    assert session.started_at < session.ended_at
    assert session.duration_ms == 1000


def test_times_of_other_zones_are_compared_as_moments() -> None:
    first = prompt("p", None, "first") | {"timestamp": "2026-11-01T10:00:00+02:00"}
    second = prompt("q", None, "second") | {"timestamp": "2026-11-01T09:00:00.000Z"}

    session = conversation_of_rows(first, second).session

    assert (session.started_at[:16], session.duration_ms) == ("2026-11-01T08:00", 3_600_000)
