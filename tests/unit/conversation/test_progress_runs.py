"""Runs whose transcript is missing, told by progress rows."""

from typing import Any

from clew.conversation import Material, TranscriptKind
from tests.build import Row
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    lines_of,
    only_run,
    problems_of,
    prompt,
    result,
    row,
    transcript_of,
    use,
)


def told(uuid: str, second: float, message: Any, agent: str = "a1", call: str = "c") -> Row:
    data = {"type": "agent_progress", "agentId": agent, "message": message, "prompt": "look"}
    return row("progress", uuid, "a", second, data=data, parentToolUseID=call, toolUseID="t")


def started() -> list[Row]:
    return [
        prompt("p", None, "go", 0),
        answer("a", "p", [use("c", "Task", prompt="look", description="Look")], 1),
    ]


def test_a_run_is_rebuilt_from_what_progress_told() -> None:
    conversation = conversation_of_rows(
        *started(),
        told("g1", 2, prompt("x", None, "look", 2)),
        told("g2", 3, answer("y", None, [use("inner")], 3, message_id="m")),
        told("g3", 4, result("z", None, "inner", "a.py", 4)),
        told("g4", 5, answer("w", None, "report", 5)),
        result("r", "a", "c", "report", 6),
    )

    run = only_run(conversation)

    assert (run.link, run.tool_call_id, run.prompt) == ("progress", "c", "look")
    assert run.message_ids == ("x", "m", "z", "msg-w")
    assert [m.parent_id for m in conversation.messages if m.agent_run_id] == [None, "x", "m", "z"]
    assert {call.id: call.status for call in conversation.tool_calls} == {
        "c": "done",
        "inner": "done",
    }


def test_a_run_that_is_only_told_of_says_that_its_transcript_is_missing() -> None:
    conversation = conversation_of_rows(*started(), told("g1", 2, prompt("x", None, "look", 2)))

    assert not only_run(conversation).has_transcript


def test_where_the_transcript_is_there_progress_adds_nothing() -> None:
    side = {"isSidechain": True, "agentId": "a1"}
    own = lines_of(prompt("x", None, "look", 2, **side), answer("y", "x", "report", 3, **side))
    rows = [
        *started(),
        told("g1", 2, prompt("x", None, "look", 2)),
        told("g2", 4, answer("new", None, "only told", 4)),
    ]
    transcripts = (
        transcript_of(lines_of(*rows)),
        transcript_of(own, "agent-a1", TranscriptKind.AGENT, "a1"),
    )

    conversation = conversation_of(Material("s", transcripts))

    assert only_run(conversation).message_ids == ("x", "msg-y")
    assert only_run(conversation).has_transcript


def test_rows_that_are_told_twice_are_one() -> None:
    conversation = conversation_of_rows(
        *started(),
        told("g1", 2, prompt("x", None, "look", 2)),
        told("g2", 3, prompt("x", None, "look", 2)),
    )

    assert only_run(conversation).message_ids == ("x",)


def test_rows_without_a_uuid_are_named_after_the_row_that_tells_them() -> None:
    inner = prompt("", None, "look", 2)
    del inner["uuid"]

    conversation = conversation_of_rows(*started(), told("g1", 2, inner))

    assert only_run(conversation).message_ids == ("g1:told",)


def test_several_runs_told_in_turns_are_kept_apart() -> None:
    conversation = conversation_of_rows(
        *started(),
        told("g1", 2, prompt("x1", None, "one", 2), "a1"),
        told("g2", 3, prompt("x2", None, "two", 3), "a2", "c2"),
        told("g3", 4, answer("y1", None, "first", 4), "a1"),
        told("g4", 5, answer("y2", None, "second", 5), "a2", "c2"),
    )

    runs = {run.id: run.message_ids for run in conversation.agent_runs}

    assert runs == {"a1": ("x1", "msg-y1"), "a2": ("x2", "msg-y2")}


def test_progress_that_tells_nothing_readable_is_left_alone() -> None:
    conversation = conversation_of_rows(
        *started(), told("g1", 2, None), told("g2", 3, "words"), told("g3", 4, {"type": "system"})
    )

    assert conversation.agent_runs == ()
    assert problems_of(conversation) == ["call_without_result"]
