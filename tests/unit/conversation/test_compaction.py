"""Compactions cut a thread into epochs, and join what they cut."""

from typing import Any

import pytest

from clew.conversation import Material
from tests.build import Row, SessionBuilder
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    material_of,
    message_of,
    problems_of,
    prompt,
    row,
    texts,
    threads_of,
    transcript_of,
)


def boundary(uuid: str, second: float, logical: str | None, **metadata: Any) -> Row:
    return row(
        "system",
        uuid,
        None,
        second,
        subtype="compact_boundary",
        content="Conversation compacted",
        logicalParentUuid=logical,
        compactMetadata={"trigger": "auto", "preTokens": 9000, **metadata},
    )


def summary(uuid: str, parent: str | None, second: float) -> Row:
    return prompt(uuid, parent, "What was done so far.", second, isCompactSummary=True)


@pytest.mark.parametrize("trigger", ["auto", "manual"])
def test_a_compaction_begins_an_epoch(trigger: str) -> None:
    builder = SessionBuilder().user("before").assistant("a")
    builder.compact(trigger, pre=150_000, post=7_000).user("after").assistant("b")

    conversation = conversation_of(builder)

    start, epoch = conversation.epochs
    assert (start.index, start.boundary_id) == (0, None)
    assert (epoch.index, epoch.trigger) == (1, trigger)
    assert (epoch.tokens_before, epoch.tokens_after) == (150_000, 7_000)
    assert message_of(conversation, "a").epoch == 0
    assert message_of(conversation, "after").epoch == 1
    assert epoch.summary_id == next(
        m.id for m in conversation.messages if m.kind == "compaction_summary"
    )


def test_the_past_stays_on_the_thread() -> None:
    builder = SessionBuilder().user("before").assistant("a").compact("auto").user("after")

    conversation = conversation_of(builder)

    (thread,) = threads_of(conversation)
    assert [thread[0], thread[1], thread[-1]] == ["before", "a", "after"]
    assert problems_of(conversation) == []


def test_each_compaction_begins_one_more() -> None:
    builder = SessionBuilder().user("one").assistant("a").compact("auto").user("two")
    builder.assistant("b").compact("manual").user("three").assistant("c")

    conversation = conversation_of(builder)

    assert [epoch.index for epoch in conversation.epochs] == [0, 1, 2]
    assert [message_of(conversation, text).epoch for text in ("one", "two", "three")] == [0, 1, 2]
    assert len(conversation.threads) == 1


def test_a_lone_summary_of_an_old_client_begins_an_epoch() -> None:
    builder = SessionBuilder(version="1.0.60").user("one").assistant("a").compact("auto")

    conversation = conversation_of(builder.user("two"))

    _, epoch = conversation.epochs
    assert epoch.boundary_id == epoch.summary_id
    assert message_of(conversation, "two").epoch == 1


def test_a_second_summary_begins_an_epoch_of_its_own() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "before", 0),
        boundary("b", 1, "p"),
        summary("s", "b", 2),
        summary("t", "s", 3),
        prompt("q", "t", "after", 4),
    )

    epochs = [(epoch.boundary_id, epoch.summary_id) for epoch in conversation.epochs]
    assert epochs == [(None, None), ("b", "s"), ("t", "t")]
    assert [message.epoch for message in conversation.messages] == [0, 1, 1, 2, 2]


def test_a_past_that_is_nowhere_is_reported_and_the_thread_goes_on() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "before", 0),
        answer("a", "p", "x", 1),
        boundary("b", 2, "gone"),
        summary("s", "b", 3),
        prompt("q", "s", "after", 4),
    )

    assert len(conversation.threads) == 1
    assert message_of(conversation, "Conversation compacted").parent_id == "msg-a"
    assert problems_of(conversation) == ["missing_parent"]


def test_a_compaction_without_metadata_begins_an_epoch_too() -> None:
    bare = boundary("b", 2, "gone")
    del bare["compactMetadata"]

    conversation = conversation_of_rows(
        prompt("p", None, "before", 0), answer("a", "p", "x", 1), bare, summary("s", "b", 3)
    )

    epoch = conversation.epochs[-1]
    assert (epoch.boundary_id, epoch.trigger) == ("b", None)
    assert (epoch.tokens_before, epoch.tokens_after) == (None, None)
    assert message_of(conversation, "Conversation compacted").parent_id == "msg-a"


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedSegment": {"headUuid": "p", "anchorUuid": "s", "tailUuid": "a"}},
        {"preservedMessages": {"anchorUuid": "s", "uuids": ["p", "a"], "allUuids": ["p", "a"]}},
    ],
)
def test_what_was_preserved_tells_where_the_past_ends(metadata: dict[str, Any]) -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "before", 0),
        answer("a", "p", "x", 1),
        row("system", "z", "a", 2, subtype="turn_duration", durationMs=1),
        boundary("b", 3, "gone", **metadata),
        summary("s", "b", 4),
    )

    assert message_of(conversation, "Conversation compacted").parent_id == "msg-a"
    assert problems_of(conversation) == []


def test_the_past_may_stand_in_another_file_of_the_session() -> None:
    before = SessionBuilder("s").user("before").assistant("a")
    after = SessionBuilder("t").wait(60).row(boundary("b", 2, before.rows[-1]["uuid"]))
    after.row(summary("s", "b", 3)).row(prompt("q", "s", "after", 4))
    transcripts = transcript_of(before.content(), "one"), transcript_of(after.content(), "two")

    conversation = conversation_of(Material("s", transcripts))

    (thread,) = threads_of(conversation)
    assert [thread[0], thread[-1]] == ["before", "after"]
    assert problems_of(conversation) == []


def test_a_session_may_begin_with_the_compaction_of_another_one() -> None:
    conversation = conversation_of_rows(
        boundary("b", 1, "in-another-session"), summary("s", "b", 2), prompt("q", "s", "after", 3)
    )

    assert [epoch.index for epoch in conversation.epochs] == [0, 1]
    assert len(conversation.threads) == 1


def test_several_compactions_without_a_past_are_still_one_thread() -> None:
    rows = [prompt("p", None, "start", 0)]
    for number in range(1, 4):
        name = str(number)
        rows += [
            boundary("b" + name, number * 10, "gone" + name),
            summary("s" + name, "b" + name, number * 10 + 1),
            prompt("q" + name, "s" + name, "after " + name, number * 10 + 2),
        ]

    conversation = conversation_of_rows(*rows)

    assert len(conversation.threads) == 1
    assert len(conversation.epochs) == 4


def test_dropping_old_results_begins_no_epoch() -> None:
    metadata = {"trigger": "auto", "preTokens": 9000, "tokensSaved": 100, "compactedToolIds": ["c"]}
    builder = SessionBuilder(version="2.1.20").user("one").assistant("a")

    builder.system("microcompact_boundary", microcompactMetadata=metadata).user("two")

    conversation = conversation_of(builder)
    assert len(conversation.epochs) == 1
    assert conversation.messages[2].subtype == "microcompact_boundary"


def test_branches_from_before_a_compaction_stay_in_their_epoch() -> None:
    builder = SessionBuilder().user("one").assistant("a").remember("here")
    builder.compact("auto").user("after").assistant("b")

    conversation = conversation_of(builder.rewind_to("here").user("another way").assistant("c"))

    assert message_of(conversation, "after").epoch == 1
    assert message_of(conversation, "another way").epoch == 0


def test_an_agent_run_belongs_to_the_epoch_in_which_it_was_started() -> None:
    builder = SessionBuilder().user("one").assistant("a").compact("auto").user("two")

    builder.agent("Look", "Look around", lambda run: run.assistant("seen"))

    assert message_of(conversation_of(builder), "seen").epoch == 1


def test_the_command_that_asked_for_a_compaction_follows_its_summary() -> None:
    builder = SessionBuilder().user("one").assistant("a").compact("manual").user("two")

    conversation = conversation_of(builder)

    assert texts(conversation, "command", "command_output") == ["/compact", "Compacted"]
    assert message_of(conversation, "/compact").epoch == 1


def test_a_session_that_goes_on_elsewhere_says_where() -> None:
    builder = SessionBuilder().user("hi").marker("continued-in", continuedInSessionId="next")

    assert conversation_of(material_of(builder)).session.lineage.continued_in == "next"
