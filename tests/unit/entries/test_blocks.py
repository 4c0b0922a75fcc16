from typing import Any, get_args

import msgspec
import pytest

from clew.entries import (
    AnyBlock,
    Assistant,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    OtherBlock,
    RedactedThinkingBlock,
    ServerToolResult,
    ServerToolUseBlock,
    TextBlock,
    ThinkingBlock,
    ToolReferenceBlock,
    ToolResultBlock,
    ToolUseBlock,
    unnamed,
)
from tests.unit.entries.reading import answer, blocks_of, body_of, entry_of, mended
from tests.unit.entries.samples import sample_block

BLOCKS = {str(block.__struct_config__.tag): block for block in get_args(AnyBlock)}
SERVER_RESULTS = sorted(
    name for name, block in BLOCKS.items() if issubclass(block, ServerToolResult)
)


def block_of(block: Any) -> AnyBlock:
    (read,) = blocks_of(body_of(answer(block), Assistant).message.content)
    assert isinstance(read, ContentBlock)
    return read


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_a_block_with_all_its_fields_is_read_by_its_own_struct(name: str) -> None:
    entry = entry_of(answer(sample_block(BLOCKS[name])))

    assert isinstance(entry.body, Assistant)
    assert [type(block) for block in entry.body.message.content] == [BLOCKS[name]]
    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_a_block_with_nothing_but_its_type_is_read(name: str) -> None:
    assert type(block_of({"type": name})) is BLOCKS[name]


def test_every_block_that_transcripts_and_the_interface_know_is_named() -> None:
    named = "text thinking redacted_thinking tool_use tool_result image document tool_reference"
    server = "server_tool_use mcp_tool_use web_search_tool_result web_fetch_tool_result"

    assert {*named.split(), *server.split(), "fallback"} <= BLOCKS.keys()


def test_thinking_may_be_a_signature_alone() -> None:
    block = block_of({"type": "thinking", "thinking": "", "signature": "EqQB"})

    assert block == ThinkingBlock(thinking="", signature="EqQB")


def test_redacted_thinking_keeps_what_only_the_provider_reads() -> None:
    block = block_of({"type": "redacted_thinking", "data": "Rm9v"})

    assert block == RedactedThinkingBlock(data="Rm9v")


def test_a_tool_use_keeps_its_arguments_as_they_were_written() -> None:
    raw = b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"b": 1,"a":2}}]}}'

    (block,) = blocks_of(body_of(raw, Assistant).message.content)

    assert isinstance(block, ToolUseBlock)
    assert bytes(block.input) == b'{"b": 1,"a":2}'


def test_a_tool_use_says_who_called() -> None:
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}

    block = block_of({"type": "tool_use", "id": "toolu_1", "name": "Read", "caller": caller})

    assert isinstance(block, ToolUseBlock)
    assert block.caller is not None
    assert (block.caller.type, block.caller.tool_id) == ("code_execution_20250825", "srvtoolu_1")


def test_a_tool_may_have_any_name() -> None:
    name = 'Task" >\n<parameter name="description'

    block = block_of({"type": "tool_use", "id": "call_1", "name": name})

    assert isinstance(block, ToolUseBlock)
    assert block.name == name


@pytest.mark.parametrize("content", ["text", [], [{"type": "text", "text": "t"}], None, 7])
def test_a_tool_result_keeps_its_content_whatever_it_is(content: Any) -> None:
    block = block_of({"type": "tool_result", "tool_use_id": "toolu_1", "content": content})

    assert isinstance(block, ToolResultBlock)
    assert msgspec.json.decode(block.content) == content


def test_an_image_and_a_document_say_where_their_bytes_are() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}

    image = block_of({"type": "image", "source": source})
    document = block_of({"type": "document", "source": {"type": "url", "url": "https://x/a.pdf"}})

    assert isinstance(image, ImageBlock)
    assert image.source is not None
    assert (image.source.media_type, image.source.data) == ("image/png", "aGk=")
    assert isinstance(document, DocumentBlock)
    assert document.source is not None
    assert document.source.url == "https://x/a.pdf"


def test_a_search_for_tools_gives_references() -> None:
    assert block_of({"type": "tool_reference", "tool_name": "mcp__a__b"}) == ToolReferenceBlock(
        tool_name="mcp__a__b"
    )


def test_a_call_at_the_provider_is_no_call_of_ours() -> None:
    block = block_of({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search"})

    assert isinstance(block, ServerToolUseBlock)
    assert not isinstance(block, ToolUseBlock)


@pytest.mark.parametrize("name", SERVER_RESULTS)
def test_results_from_the_provider_keep_their_content(name: str) -> None:
    block = block_of({"type": name, "tool_use_id": "srvtoolu_1", "content": [{"url": "https://x"}]})

    assert isinstance(block, ServerToolResult)
    assert msgspec.json.decode(block.content) == [{"url": "https://x"}]


def test_a_new_block_is_kept_whole_between_the_others() -> None:
    new = {"type": "hologram", "depth": [1, {"a": None}]}
    text = {"type": "text", "text": "t"}

    row, problems = mended(answer(text, new, text), Assistant)

    before, block, after = blocks_of(row.message.content)
    assert before == after == TextBlock(text="t")
    assert isinstance(block, OtherBlock)
    assert (block.kind, msgspec.json.decode(block.value)) == ("hologram", new)
    assert problems == ["unknown_type: message.content.[] of type 'hologram'"]


@pytest.mark.parametrize("item", [None, 7, True, [], [{"type": "text"}], {}, {"type": None}])
def test_a_block_that_is_none_is_kept_as_it_is(item: Any) -> None:
    row, problems = mended(answer({"type": "text", "text": "t"}, item), Assistant)

    first, block = blocks_of(row.message.content)
    assert first == TextBlock(text="t")
    assert isinstance(block, OtherBlock)
    assert msgspec.json.decode(block.value) == item
    assert len(problems) == 1


def test_a_bare_string_among_blocks_is_text() -> None:
    row, _ = mended(answer("hello", {"type": "text", "text": "t"}), Assistant)

    assert row.message.content == [TextBlock(text="hello"), TextBlock(text="t")]


def test_any_number_of_new_blocks_leaves_the_words() -> None:
    new = [{"type": "hologram", "n": n} for n in range(500)]

    row, problems = mended(answer(*new, {"type": "text", "text": "t"}), Assistant)

    assert row.message.content[-1] == TextBlock(text="t")
    assert [type(block) for block in row.message.content[:-1]] == [OtherBlock] * 500
    assert len(problems) == 1


def test_a_misfit_in_a_block_costs_that_field_alone() -> None:
    row, problems = mended(
        answer({"type": "tool_use", "id": 7, "name": "Read", "input": {}}), Assistant
    )

    (block,) = blocks_of(row.message.content)
    assert isinstance(block, ToolUseBlock)
    assert (block.id, block.name) == ("", "Read")
    assert problems == ["wrong_shape: message.content.[].id: Expected `str`, got `int`"]
