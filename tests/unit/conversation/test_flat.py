"""The flat dialect, read through to a conversation."""

from clew.conversation import Conversation, count_compactions, first_whole_epoch
from tests.build import Row
from tests.unit.conversation.built import (
    at,
    conversation_of_rows,
    message_of,
    only_call,
    only_run,
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


def test_a_flat_result_answers_the_call_before_it() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="List"),
        flat("assistant", "a", "p", 1, toolName="Bash", toolArguments={"command": "ls"}),
        flat("system", "r", "a", 2, message="a.py", subtype="tool_result"),
    )

    call = only_call(conversation)

    assert (call.tool, call.status, call.result_text) == ("Bash", "done", "a.py")
    assert bytes(call.input) == b'{"command":"ls"}'


def test_a_flat_row_may_hold_words_and_a_call() -> None:
    conversation = conversation_of_rows(
        flat("assistant", "a", None, 1, message="I look.", toolName="Bash", toolArguments={}),
        flat("system", "r", "a", 2, message="a.py", subtype="tool_result"),
    )

    call = only_call(conversation)

    assert (call.status, call.result_text) == ("done", "a.py")


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


def test_a_restoration_ends_a_compaction() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="before"),
        flat("compact_system", "c", "p", 1, message="conversation_compacted"),
        flat("compact_system", "r", "c", 2, message="conversation_restored"),
        flat("user", "q", "r", 3, message="after"),
        flat("compact_system", "d", "q", 4, message="conversation_compacted"),
    )

    assert [e.boundary_id for e in conversation.epochs] == [None, "c", "r", "d"]
    assert [e.is_restored for e in conversation.epochs] == [False, False, True, False]
    whole = [first_whole_epoch(conversation.epochs[:count]) for count in range(5)]
    assert whole == [0, 0, 1, 0, 3]
    assert count_compactions(conversation.epochs) == 2


def test_a_restoration_of_what_was_never_compacted_begins_no_epoch() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="before"),
        flat("compact_system", "c", "p", 1, message="conversation_restored"),
    )

    assert len(conversation.epochs) == 1
    assert problems_of(conversation) == []


def call(uuid: str, parent: str | None, second: float, **fields: object) -> Row:
    return flat("assistant", uuid, parent, second, toolName="Read", toolArguments={}, **fields)


def told(uuid: str, parent: str | None, second: float, **fields: object) -> Row:
    fields = {"subtype": "tool_result", "message": uuid, **fields}
    return flat("system", uuid, parent, second, **fields)


def results(conversation: Conversation) -> dict[str, str]:
    """Give the result of each call, by the ids of their rows."""
    return {call.message_id: call.result_text for call in conversation.tool_calls}


def test_results_that_hang_on_calls_of_their_own_come_in_any_order() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Read"),
        call("a", "p", 1),
        call("b", "p", 2),
        call("c", "p", 3),
        told("rc", "c", 4),
        told("ra", "a", 5),
        told("rb", "b", 6),
    )

    assert results(conversation) == {"a": "ra", "b": "rb", "c": "rc"}


def test_a_call_that_is_never_answered_takes_no_result_of_another() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Read"),
        call("a", "p", 1),
        call("b", "p", 2),
        call("c", "p", 3),
        told("rb", "b", 4),
        told("rc", "c", 5),
    )

    assert results(conversation) == {"a": "", "b": "rb", "c": "rc"}
    assert problems_of(conversation) == ["call_without_result"]


def test_one_result_alone_belongs_to_the_oldest_call() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Read"),
        call("a", "p", 1),
        call("b", "a", 2),
        told("r", "b", 3),
    )

    assert results(conversation) == {"a": "r", "b": ""}


def test_a_branch_answers_only_its_own_calls() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Read"),
        flat("assistant", "x", "p", 1, message="Which?"),
        flat("user", "q", "x", 2, message="this"),
        call("a", "q", 3),
        flat("user", "o", "x", 4, message="no, that"),
        call("b", "o", 5),
        told("rb", "b", 6),
    )

    assert results(conversation) == {"a": "", "b": "rb"}
    assert len(conversation.threads) == 2


def test_a_result_may_come_after_another_prompt_and_a_notice_may_not() -> None:
    rows = (
        flat("user", "p", None, 0, message="Read"),
        call("a", "p", 1),
        flat("user", "q", "a", 2, message="hurry"),
    )

    late = conversation_of_rows(*rows, told("r", "q", 3))
    notice = conversation_of_rows(*rows, flat("system", "n", "q", 3, message="Nearly full"))

    assert results(late) == {"a": "r"}
    assert results(notice) == {"a": ""}
    assert texts(notice, "system") == ["Nearly full"]


def test_a_result_without_a_call_is_an_orphan() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Read"), told("r", "p", 1), told("s", "r", 2)
    )

    assert problems_of(conversation) == ["orphan_result", "orphan_result"]


def test_an_aborted_call_takes_only_a_result_that_hangs_on_it() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Read"),
        call("a", "p", 1, isAborted=True),
        told("ra", "a", 2),
        call("b", "ra", 3, isAborted=True),
        call("c", "b", 4),
        told("rc", "c", 5),
    )

    assert results(conversation) == {"a": "ra", "b": "", "c": "rc"}
    statuses = [call.status for call in conversation.tool_calls]
    assert statuses == ["interrupted", "interrupted", "done"]


def test_rows_without_a_uuid_follow_one_another() -> None:
    conversation = conversation_of_rows(
        {"type": "user", "message": "Read"},
        {"type": "assistant", "toolName": "Read"},
        {"type": "system", "message": "one"},
        {"type": "user", "message": "and this"},
        {"type": "assistant", "toolName": "Read"},
        {"type": "system", "message": "two", "isError": True},
        {"type": "user", "message": "look aside", "isSidechain": True},
        {"type": "assistant", "message": "done", "isSidechain": True},
        {"type": "assistant", "message": "Fine."},
    )

    assert [call.result_text for call in conversation.tool_calls] == ["one", "two"]
    assert [call.error for call in conversation.tool_calls] == [None, "two"]
    assert len(conversation.threads) == 1
    assert len(only_run(conversation).message_ids) == 2
    assert problems_of(conversation) == []


def test_what_follows_a_side_chain_follows_the_row_it_began_at() -> None:
    conversation = conversation_of_rows(
        flat("user", "p", None, 0, message="Look"),
        flat("assistant", "a", "p", 1, message="I do."),
        flat("user", "s", None, 2, message="aside", isSidechain=True),
        flat("assistant", "t", "s", 3, message="seen", isSidechain=True),
        flat("assistant", "b", "t", 4, message="Done."),
    )

    assert message_of(conversation, "Done.").parent_id == "a"
    assert problems_of(conversation) == []
