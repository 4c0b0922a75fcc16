from typing import Any

import msgspec
import pytest

from clew.entries import (
    ImageBlock,
    PermissionDecision,
    TextBlock,
    ToolResultBlock,
    User,
    unnamed,
)
from tests.unit.entries.format_lists import ROWS, fields_by_name
from tests.unit.entries.reading import EMPTY, body_of, entry_of, kinds, mended, prompt, user
from tests.unit.entries.samples import sample_record

FIELDS = fields_by_name(ROWS)["user"]


def test_a_user_row_with_all_its_fields_is_read() -> None:
    entry = entry_of({"type": "user", **sample_record(User, FIELDS)})

    assert isinstance(entry.body, User)
    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize("field", sorted({*FIELDS} - {"message"}))
def test_a_field_of_another_type_costs_that_field_alone(field: str) -> None:
    record = {**prompt("hello"), "type": "user", field: [[{}]]}

    entry = entry_of(record)

    assert isinstance(entry.body, User)
    assert entry.body.message.content == "hello"
    assert kinds(entry) in ([], ["wrong_shape"])


def test_content_is_text_or_blocks() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "aGk="}}

    assert user("hello").message.content == "hello"
    blocks = user([{"type": "text", "text": "see"}, picture]).message.content
    assert [type(block) for block in blocks] == [TextBlock, ImageBlock]


@pytest.mark.parametrize("result", ["Error: no", {"stdout": "a"}, [{"type": "text"}], None, 7])
def test_the_tools_own_result_stands_beside_whatever_it_is(result: Any) -> None:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}

    row = user([block], toolUseResult=result)

    assert isinstance(row.message.content[0], ToolResultBlock)
    assert msgspec.json.decode(row.tool_use_result) == result


def test_the_graph_is_read() -> None:
    row = user("x", uuid="u2", parentUuid="u1", sessionId="s", timestamp="2026-01-01T00:00:00Z")

    assert (row.uuid, row.parent_uuid, row.session_id) == ("u2", "u1", "s")
    assert row.timestamp == "2026-01-01T00:00:00Z"


def test_the_first_row_has_no_parent() -> None:
    assert user("x", parentUuid=None).parent_uuid is None
    assert user("x").parent_uuid is None


def test_a_background_fork_has_two_session_ids() -> None:
    row = user("x", sessionId="file", session_id="live", sessionKind="bg")

    assert (row.session_id, row.live_session_id, row.session_kind) == ("file", "live", "bg")


def test_who_wrote_it_is_read_where_the_client_says() -> None:
    row = user("x", origin={"kind": "peer", "from": "lead", "name": "Lead"}, promptSource="typed")

    assert row.origin is not None
    assert (row.origin.kind, row.origin.sender, row.origin.name) == ("peer", "lead", "Lead")
    assert row.prompt_source == "typed"


def test_where_a_copy_came_from_is_read() -> None:
    row = user("x", forkedFrom={"sessionId": "s0", "messageUuid": "u0"})

    assert row.forked_from is not None
    assert (row.forked_from.session_id, row.forked_from.message_uuid) == ("s0", "u0")


def test_what_came_and_went_between_versions_is_read() -> None:
    row = user(
        "x",
        thinkingMetadata={"level": "high", "triggers": [{"start": 0, "end": 5, "text": "think"}]},
        todos=[{"content": "a", "status": "pending", "activeForm": "doing a"}],
        permissionMode="plan",
        imagePasteIds=[1],
    )

    assert row.thinking_metadata is not None
    assert row.thinking_metadata.triggers[0].text == "think"
    assert [todo.active_form for todo in row.todos] == ["doing a"]
    assert (row.permission_mode, row.image_paste_ids) == ("plan", (1,))


@pytest.mark.parametrize("record", [{}, {"message": None}, {"message": 7}, {"message": []}])
def test_a_user_row_without_a_message_keeps_its_place(record: dict[str, Any]) -> None:
    row, problems = mended({"type": "user", "uuid": "u1", **record}, User)

    assert (row.uuid, row.message) == ("u1", EMPTY)
    assert problems == ["missing_field: user: a record without a message"]


def test_content_that_is_neither_text_nor_blocks_is_left_out() -> None:
    row, problems = mended(prompt({"type": "text"}, uuid="u1"), User)

    assert (row.uuid, row.message.role, row.message.content) == ("u1", "user", "")
    assert problems == ["wrong_shape: message.content: Expected `str | array`, got `object`"]


def test_a_message_of_plain_values_is_a_message() -> None:
    assert body_of({"type": "user", "message": {}}, User).message == EMPTY


@pytest.mark.parametrize("value", [True, False, "mcp__tiny__add", None])
def test_the_mark_of_a_call_that_changes_things_is_a_flag_or_a_text(value: object) -> None:
    entry = entry_of({**prompt("hello"), "type": "user", "mcpCallNotReadOnly": value})

    assert isinstance(entry.body, User)
    assert entry.body.mcp_call_not_read_only == value
    assert entry.problems == ()


def test_a_permission_is_read_with_who_gave_it_and_why() -> None:
    decision = {
        "decision": "reject",
        "source": "config",
        "reasonType": "subcommandResults",
        "reasonCode": "rule:userSettings",
        "ruleSource": "userSettings",
    }
    record = {**prompt("no"), "type": "user", "permissionDecision": decision}
    entry = entry_of({**record, "toolDenialKind": "permission-rule"})

    assert isinstance(entry.body, User)
    assert entry.body.permission_decision == PermissionDecision(
        "reject", "config", None, "subcommandResults", "rule:userSettings", "userSettings"
    )
    assert entry.body.tool_denial_kind == "permission-rule"
    assert (entry.problems, unnamed(entry)) == ((), [])
