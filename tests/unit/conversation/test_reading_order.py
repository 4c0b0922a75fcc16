"""The order in which all messages are read."""

import msgspec

from clew.conversation import Conversation, Material, TranscriptKind
from tests.build import Agent, SessionBuilder, bash
from tests.invariants import encode
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    lines_of,
    material_of,
    prompt,
    transcript_of,
)


def read_in_order(conversation: Conversation) -> list[str]:
    return [m.text for m in conversation.messages if m.kind in ("prompt", "answer") and m.text]


def test_each_run_is_read_after_the_answer_that_started_it() -> None:
    builder = (
        SessionBuilder()
        .user("go")
        .tools(
            Agent("One", "one", lambda run: run.assistant("report one")),
            Agent("Two", "two", lambda run: run.assistant("report two")),
            say="I start two.",
        )
    )

    read = read_in_order(conversation_of(builder.assistant("Both are done.")))

    assert read == [
        "go", "I start two.", "one", "report one", "two", "report two", "Both are done.",
    ]  # fmt: skip


def test_a_run_that_hangs_on_nothing_is_read_where_it_began() -> None:
    builder = SessionBuilder().user("one").assistant("a").wait(60).user("two").assistant("b")
    stray = lines_of(
        prompt("x", None, "stray", 30, isSidechain=True),
        answer("y", "x", "stray report", 31, isSidechain=True),
    )
    material = material_of(builder)
    run = transcript_of(stray, "agent-a1", TranscriptKind.AGENT, "a1")

    conversation = conversation_of(material_of(builder, transcripts=(*material.transcripts, run)))

    assert read_in_order(conversation) == ["one", "a", "stray", "stray report", "two", "b"]


def test_runs_that_nothing_started_are_read_in_the_order_they_began() -> None:
    session = lines_of(prompt("p", None, "one", 0), prompt("q", "p", "two", 60))
    runs = [
        transcript_of(
            lines_of(prompt(name, None, name, second, isSidechain=True)),
            f"agent-{name}",
            TranscriptKind.AGENT,
            name,
        )
        for name, second in [("late", 40), ("early", 30)]
    ]

    conversation = conversation_of(Material("s", (transcript_of(session), *runs)))

    assert read_in_order(conversation) == ["one", "early", "late", "two"]


def test_branches_are_read_one_after_the_other() -> None:
    builder = SessionBuilder().user("root").assistant("a").remember("here")
    builder.user("left").assistant("b").rewind_to("here").user("right").assistant("c")

    assert read_in_order(conversation_of(builder)) == ["root", "a", "left", "b", "right", "c"]


def test_rows_side_by_side_are_read_by_time() -> None:
    builder = SessionBuilder().user("go").tools(bash("slow", "2", seconds=9), bash("fast", "1"))
    slow, fast = builder.rows[-2:]
    fast["timestamp"] = "2026-11-01T09:00:04.000Z"

    conversation = conversation_of(builder)

    assert [m.id for m in conversation.messages][-2:] == [fast["uuid"], slow["uuid"]]


def test_the_order_of_files_does_not_matter() -> None:
    builder = (
        SessionBuilder()
        .user("go")
        .tools(
            Agent("One", "one", lambda run: run.assistant("1")),
            Agent("Two", "two", lambda run: run.assistant("2")),
        )
    )
    material = material_of(builder)

    backwards = material_of(builder, transcripts=tuple(reversed(material.transcripts)))

    assert encode(conversation_of(backwards)) == encode(conversation_of(material))


def test_files_of_one_name_give_no_two_rows_one_id() -> None:
    first, second = b"torn in one folder\n", b"torn in another\n"

    conversation = conversation_of(Material("s", (transcript_of(first), transcript_of(second))))

    assert [m.id for m in conversation.messages] == ["s:0", "s~2:0"]


def test_a_copy_of_a_transcript_adds_nothing_but_duplicates() -> None:
    builder = SessionBuilder().user("hi").assistant("hello").custom_title("Older")
    moved = transcript_of(builder.content(), f"{builder.session_id}.superseded")
    material = material_of(builder.user("more").custom_title("Newer"))
    both = msgspec.structs.replace(material, transcripts=(*material.transcripts, moved))

    conversation = conversation_of(both)

    assert read_in_order(conversation) == ["hi", "hello", "more"]
    assert len(conversation.duplicates) == 2
    assert conversation.problems == ()
    assert conversation.session.title == "Newer"
