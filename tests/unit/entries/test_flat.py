from typing import Any

import msgspec
import pytest

from clew.entries import (
    FLAT_ID,
    Assistant,
    Command,
    ConversationOperation,
    System,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    User,
    classify,
    may_be_result,
    result_blocks,
    to_result,
    unnamed,
)
from clew.entries.flat import is_flat
from clew.entries.system import OperationMetadata
from tests.unit.entries.reading import answer, blocks_of, body_of, entry_of, mended, prompt

PLACE = {"uuid": "u2", "parentUuid": "u1", "sessionId": "s", "timestamp": "2025-01-27T10:00:00Z"}


def result_of(row: User) -> ToolResultBlock:
    (block,) = blocks_of(row.message.content)
    assert isinstance(block, ToolResultBlock)
    return block


def test_a_flat_prompt_is_a_prompt() -> None:
    row = body_of({"type": "user", "message": "help me", **PLACE}, User)

    assert row.message.content == "help me"
    assert (row.uuid, row.parent_uuid, row.session_id) == ("u2", "u1", "s")
    assert classify(row).kind == "prompt"


def test_flat_text_is_classified_like_any_other() -> None:
    row = body_of({"type": "user", "message": "<bash-input>ls</bash-input>"}, User)

    assert classify(row).kind == "bash_input"


@pytest.mark.parametrize("subtype", ["response", "command", None])
def test_a_flat_answer_is_text(subtype: str | None) -> None:
    row = body_of({"type": "assistant", "subtype": subtype, "message": "sure", **PLACE}, Assistant)

    assert row.message.content == [TextBlock(text="sure")]
    assert row.message.id == ""
    assert row.subtype == ("command" if subtype == "command" else None)


def test_flat_thinking_is_thinking() -> None:
    row = body_of({"type": "assistant", "subtype": "thinking", "message": "hm", **PLACE}, Assistant)

    assert row.message.content == [ThinkingBlock(thinking="hm")]


def test_a_flat_call_is_a_tool_use() -> None:
    record = {"type": "assistant", "subtype": "tool_use", "toolName": "Bash", **PLACE}

    row = body_of({**record, "toolArguments": {"command": "ls"}}, Assistant)

    (block,) = blocks_of(row.message.content)
    assert isinstance(block, ToolUseBlock)
    assert (block.id, block.name) == ("flat:u2", "Bash")
    assert msgspec.json.decode(block.input) == {"command": "ls"}


def test_a_flat_call_may_say_something_too() -> None:
    record = {"type": "assistant", "subtype": "tool_use", "message": "let me look", **PLACE}

    row = body_of({**record, "toolName": "Read", "toolArguments": {}}, Assistant)

    assert [type(block) for block in row.message.content] == [TextBlock, ToolUseBlock]


def test_a_flat_error_is_an_error() -> None:
    row = body_of({"type": "assistant", "subtype": "error", "message": "overloaded"}, Assistant)

    assert row.is_api_error_message
    assert row.message.content == [TextBlock(text="overloaded")]


@pytest.mark.parametrize("text", ["/compact", " /compact\n"])
def test_a_flat_prompt_with_a_slash_is_a_command(text: str) -> None:
    said = classify(body_of({"type": "user", "message": text, **PLACE}, User))

    assert (said.kind, said.text) == ("command", "/compact")
    assert said.content == Command("/compact")


def test_a_flat_command_has_arguments() -> None:
    said = classify(body_of({"type": "user", "message": "/review a b\nand c", **PLACE}, User))

    assert said.content == Command("/review", "a b\nand c")


@pytest.mark.parametrize("text", ["/home/mira is full", "/", "// no", "/ compact", "a /compact"])
def test_a_path_is_not_a_command(text: str) -> None:
    row = body_of({"type": "user", "message": text, **PLACE}, User)

    assert row.message.content == text
    assert classify(row).kind == "prompt"


@pytest.mark.parametrize("flag", [{}, {"isError": False}, {"isError": True}])
def test_a_flat_result_names_no_call(flag: dict[str, Any]) -> None:
    record = {"type": "system", "subtype": "tool_result", "message": "a.py", **PLACE, **flag}

    row = body_of(record, User)

    block = result_of(row)
    assert (block.tool_use_id, block.is_error) == (FLAT_ID, flag.get("isError"))
    assert row.level == ("error" if flag.get("isError") else None)
    assert result_blocks(block.content) == [TextBlock(text="a.py")]


def test_a_flat_result_is_given_the_call_it_answers() -> None:
    record = {"type": "system", "subtype": "tool_result", "message": "a.py", **PLACE}

    row = to_result(body_of(record, User), "flat:u1")

    assert result_of(row).tool_use_id == "flat:u1"
    assert result_blocks(result_of(row).content) == [TextBlock(text="a.py")]


@pytest.mark.parametrize("fields", [{"subtype": "error"}, {"isError": True}])
def test_an_error_becomes_a_result_that_is_one(fields: dict[str, Any]) -> None:
    record = {"type": "system", "message": "denied", "isAborted": True, **PLACE, **fields}
    system = body_of(record, System)

    row = to_result(system, "flat:u1")

    assert may_be_result(system)
    assert result_of(row).is_error
    assert (row.uuid, row.parent_uuid, row.level, row.is_aborted) == ("u2", "u1", "error", True)
    assert result_blocks(result_of(row).content) == [TextBlock(text="denied")]


@pytest.mark.parametrize(
    "record",
    [
        {"message": "x", "isMeta": True},
        {"message": "x", "subtype": "meta"},
        {"message": "x", "subtype": "informational"},
        {"message": ""},
        {"content": "x"},
        {"message": {"role": "user"}, "content": "x"},
    ],
)
def test_other_system_rows_are_no_results(record: dict[str, Any]) -> None:
    assert not may_be_result(body_of({"type": "system", **PLACE, **record}, System))


def test_a_flat_result_without_words_is_a_result() -> None:
    block = result_of(body_of({"type": "system", "subtype": "tool_result", **PLACE}, User))

    assert result_blocks(block.content) == [TextBlock(text="")]


@pytest.mark.parametrize("subtype", ["error", "meta", None])
def test_other_flat_system_rows_stay_system_rows(subtype: str | None) -> None:
    record = {"type": "system", "subtype": subtype, "message": "denied", "isMeta": True}

    row = body_of({**record, "isError": True}, System)

    assert (row.subtype, row.content, row.level) == (subtype, "denied", "error")
    assert row.is_error
    assert row.is_meta


@pytest.mark.parametrize(
    "operation",
    [
        "conversation_compacting",
        "conversation_compacted",
        "conversation_restoring",
        "conversation_restored",
    ],
)
def test_a_flat_compaction_names_its_operation(operation: str) -> None:
    metadata = {"preservedMessages": 15, "totalMessages": 150, "compressionRatio": 0.1}
    record = {"type": "compact_system", "message": operation, "metadata": metadata, **PLACE}

    row = body_of(record, ConversationOperation)

    assert (row.type, row.content, row.uuid) == ("system", operation, "u2")
    assert row.metadata == OperationMetadata(15, 150, 0.1)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "message": "[Message deleted by user]"},
        {"type": "assistant", "message": "gone"},
        {"type": "assistant", "subtype": "tool_use", "toolName": "Bash", "toolArguments": {}},
        {"type": "system", "subtype": "tool_result", "message": "gone"},
        prompt("usual"),
        answer(),
    ],
)
def test_deleted_and_aborted_are_kept_as_flags(record: dict[str, Any]) -> None:
    body = entry_of({**record, "isDeleted": True, "isAborted": True}).body

    assert isinstance(body, User | Assistant)
    assert body.is_deleted
    assert body.is_aborted


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "message": "x", **PLACE},
        {"type": "assistant", "subtype": "response", "message": "x"},
        {"type": "assistant", "subtype": "tool_use", "toolName": "Bash", "toolArguments": {"a": 1}},
        {"type": "system", "subtype": "tool_result", "message": "x", "isError": True},
        {"type": "system", "subtype": "error", "message": "x", "isError": True},
        {"type": "compact_system", "message": "conversation_compacted", "metadata": {}},
    ],
)
def test_flat_rows_are_known_in_all_their_fields(record: dict[str, Any]) -> None:
    entry = entry_of(record)

    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize(
    "record",
    [
        prompt("x"),
        answer(),
        prompt("x", toolName="Bash"),
        {"type": "user"},
        {"type": "system", "content": "x"},
        {"type": "system", "message": {}},
        {"type": "summary", "message": "x"},
        {"type": ["user"], "message": "x"},
        {},
    ],
)
def test_other_rows_are_not_flat(record: dict[str, Any]) -> None:
    assert not is_flat(record)


def test_a_usual_row_with_a_flat_field_keeps_its_message() -> None:
    record = prompt([{"type": "text", "text": "keep me"}, {"type": "zz"}], toolName="Bash")

    row, _ = mended(record, User)

    assert row.message.content[0] == TextBlock(text="keep me")


@pytest.mark.parametrize("odd", [None, 7, [], {}])
def test_odd_values_in_flat_rows_are_left_out(odd: Any) -> None:
    record = {"type": "assistant", "subtype": odd, "toolName": odd, "toolArguments": odd}

    row, _ = mended({**record, "message": "x", "uuid": "u1"}, Assistant)

    text, call = blocks_of(row.message.content)
    assert text == TextBlock(text="x")
    assert isinstance(call, ToolUseBlock)
    assert call.name == ""
