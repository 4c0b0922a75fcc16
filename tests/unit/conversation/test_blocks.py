"""Blocks of rows → blocks of messages."""

import base64
from typing import Any

import pytest

from clew.conversation import Block
from tests.build import document, image, text
from tests.unit.conversation.built import answer, conversation_of_rows, prompt, result, use


def blocks_of(*content: dict[str, Any]) -> tuple[Block, ...]:
    return conversation_of_rows(prompt("u", None, list(content))).messages[0].blocks


def test_a_document_keeps_its_kind_size_and_bytes() -> None:
    (block,) = blocks_of(document(b"%PDF-1.7"))

    assert (block.kind, block.media_type, block.size_bytes) == ("document", "application/pdf", 8)
    assert base64.b64decode(block.data or "") == b"%PDF-1.7"


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 100])
def test_the_size_of_a_picture_is_that_of_its_bytes(size: int) -> None:
    (block,) = blocks_of(image(b"x" * size))

    assert block.size_bytes == size


def test_a_document_of_text_has_the_size_of_its_text() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "a b c!"}

    (block,) = blocks_of({"type": "document", "source": source, "title": "Notes"})

    assert (block.text, block.size_bytes) == ("Notes", 6)


def test_a_picture_elsewhere_is_known_by_its_address() -> None:
    source = {"type": "url", "url": "https://example.org/a.png"}

    (block,) = blocks_of({"type": "image", "source": source})

    assert (block.kind, block.text, block.data) == ("image", "https://example.org/a.png", None)


def test_a_picture_without_a_source_is_still_a_picture() -> None:
    assert blocks_of({"type": "image"}) == (Block("image"),)


def test_a_result_shows_its_text_and_its_call() -> None:
    conversation = conversation_of_rows(
        answer("a", None, [use("c")]), result("r", "a", "c", [{"type": "text", "text": "out"}], 1)
    )

    assert conversation.messages[-1].blocks == (Block("tool_result", "out", "c"),)


def test_tools_that_were_found_show_their_names() -> None:
    found = [{"type": "tool_reference", "tool_name": "Read"}]
    conversation = conversation_of_rows(
        answer("a", None, [use("c", "ToolSearch")]), result("r", "a", "c", found, 1)
    )

    (call,) = conversation.tool_calls

    assert call.result_text == "Read"
    assert call.result_blocks[0].kind == "other"


def test_redacted_thinking_is_thinking_that_nobody_can_read() -> None:
    block = {"type": "redacted_thinking", "data": "secret"}

    conversation = conversation_of_rows(answer("a", None, [block]))

    assert conversation.messages[0].blocks == (Block("thinking", signature="secret"),)


def test_a_tool_that_runs_at_the_provider_is_a_call_with_its_result() -> None:
    asked = {"type": "server_tool_use", "id": "c", "name": "web_search", "input": {"q": "x"}}
    told = {"type": "web_search_tool_result", "tool_use_id": "c", "content": [text("y")]}

    conversation = conversation_of_rows(answer("a", None, [asked, told]))

    (call,) = conversation.tool_calls
    assert (call.tool, call.status, call.result_text) == ("web_search", "done", "y")
    assert [block.caller for block in conversation.messages[0].blocks] == ["server", "server"]


def test_who_called_a_tool_is_told() -> None:
    block = use("c") | {"caller": {"type": "code_execution", "tool_id": "x"}}

    conversation = conversation_of_rows(answer("a", None, [block]))

    assert conversation.messages[0].blocks == (Block("tool_use", "Bash", "c", "code_execution"),)


def test_a_block_nobody_has_named_yet_is_kept_as_it_is() -> None:
    (block,) = blocks_of({"type": "hologram", "depth": 3})

    assert (block.kind, block.text) == ("other", "hologram")
    assert block.data == '{"type":"hologram","depth":3}'


def test_a_note_that_another_model_took_over_is_kept() -> None:
    block = {"type": "fallback", "model": "claude-haiku-4-5", "reason": "overloaded"}

    conversation = conversation_of_rows(answer("a", None, [block]))

    assert conversation.messages[0].blocks[0].kind == "other"
    assert "claude-haiku-4-5" in (conversation.messages[0].blocks[0].data or "")
