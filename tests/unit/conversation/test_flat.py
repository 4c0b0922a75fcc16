"""The flat dialect, read through to a conversation."""

from tests.build import Row
from tests.unit.conversation.built import (
    at,
    conversation_of_rows,
    message_of,
    only_call,
    problems_of,
    texts,
    threads_of,
)


def flat(kind: str, uuid: str, parent: str | None, second: float, **fields: object) -> Row:
    place = {"uuid": uuid, "parentUuid": parent, "timestamp": at(second), "sessionId": "s"}
    return {"type": kind, **place, **fields}


def test_flat_rows_make_the_same_kinds_of_messages() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Fix it"),
        flat("assistant", "t", "p", 1, message="Let me think", subtype="thinking"),
        flat("assistant", "a", "t", 2, message="Done."),
        flat("system", "s", "a", 3, message="Saved.", subtype="meta"),
    )

    assert [m.kind for m in conversation.messages] == ["prompt", "answer", "answer", "system"]
    assert conversation.messages[1].blocks[0].kind == "thinking"
    assert threads_of(conversation) == [["Fix it", "", "Done.", "Saved."]]


def test_a_flat_result_answers_the_row_it_hangs_on() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="List"),
        flat("assistant", "a", "p", 1, toolName="Bash", toolArguments={"command": "ls"}),
        flat("system", "r", "a", 2, message="a.py", subtype="tool_result"),
    )

    call = only_call(conversation)

    assert (call.tool, call.status, call.result_text) == ("Bash", "done", "a.py")
    assert bytes(call.input) == b'{"command":"ls"}'


def test_a_flat_failure_is_a_failure() -> None:
    conversation = conversation_of_rows(
        flat("assistant", "a", None, 1, toolName="Bash", toolArguments={}),
        flat("system", "r", "a", 2, message="no", subtype="tool_result", isError=True),
        flat("assistant", "e", "r", 3, message="Overloaded", subtype="error"),
    )

    assert only_call(conversation).status == "failed"
    assert texts(conversation, "api_error") == ["Overloaded"]


def test_an_aborted_call_is_interrupted_and_deleted_rows_are_marked() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="never mind", isDeleted=True),
        flat("assistant", "a", "p", 1, toolName="Bash", toolArguments={}, isAborted=True),
    )

    assert only_call(conversation).status == "interrupted"
    assert message_of(conversation, "never mind").is_deleted


def test_a_flat_compaction_begins_an_epoch() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="before"),
        flat("compact_system", "c", "p", 1, message="conversation_compacted", metadata={"n": 1}),
        flat("user", "q", "c", 2, message="after"),
    )

    assert [epoch.boundary_id for epoch in conversation.epochs] == [None, "c"]
    assert message_of(conversation, "after").epoch == 1


def test_other_operations_of_the_flat_dialect_begin_none() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="before"),
        flat("compact_system", "c", "p", 1, message="conversation_restored"),
    )

    assert len(conversation.epochs) == 1
    assert problems_of(conversation) == []
