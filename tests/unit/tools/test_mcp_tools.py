"""MCP tools as a family, and the resources of MCP servers."""

import pytest

from clew.tools import ToolError, decode_input, decode_result, split_mcp_name
from clew.tools.builtin.mcp import (
    ListMcpResourcesInput,
    ListMcpResourcesResult,
    McpInput,
    McpResource,
    McpResourceContent,
    McpResult,
    ReadMcpResourceInput,
    ReadMcpResourceResult,
)
from clew.tools.display.blocks import ImageSource, ResultBlock
from clew.tools.fallback import UntypedResult
from clew.tools.result_text.persisted_output import PersistedOutput

NAME = "mcp__tiny__add"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mcp__tiny__add", ("tiny", "add")),
        ("mcp__plugin_play_play__browser__click", ("plugin_play_play", "browser__click")),
        ("mcp__tiny", None),
        ("mcp____add", None),
        ("puppeteer__navigate", None),
        ("", None),
    ],
)
def test_server_and_tool_are_told_by_the_name(name: str, expected: object) -> None:
    assert split_mcp_name(name) == expected


def test_arguments_are_kept_whole() -> None:
    assert decode_input(NAME, b'{"a":{"b":[1]},"c":null}') == McpInput({"a": {"b": [1]}, "c": None})


def test_an_array_of_blocks_is_the_result() -> None:
    raw = (
        b'[{"type":"text","text":"a pixel"},{"type":"image",'
        b'"source":{"type":"base64","media_type":"image/png","data":"iVBO"}}]'
    )

    image = ResultBlock("image", source=ImageSource("base64", "image/png", "iVBO"))
    assert decode_result(NAME, raw, "", None) == McpResult((ResultBlock("text", "a pixel"), image))


def test_an_object_without_blocks_is_kept_plain() -> None:
    result = decode_result(NAME, b'{"n":7}', '{"n":7}', McpInput({}))

    assert isinstance(result, UntypedResult)
    assert result.value == {"n": 7}


def test_a_string_is_a_result_unless_it_is_an_error() -> None:
    good = decode_result(NAME, b'"{\\"n\\":7}"', "", McpInput({}))
    bad = decode_result(
        NAME, b'"Error: tiny failure"', "tiny failure", McpInput({}), status="failed"
    )

    assert good == McpResult((ResultBlock("text", '{"n":7}'),))
    assert bad == ToolError("tiny failure")


def test_a_result_that_was_too_long_tells_where_it_lies() -> None:
    raw = (
        b'"Error: result (232,381 characters) exceeds maximum allowed tokens. '
        b'Output has been saved to /t/mcp-a.txt.\\nFormat: JSON"'
    )

    result = decode_result(NAME, raw, "", McpInput({}))

    assert isinstance(result, McpResult)
    assert result.persisted == PersistedOutput("/t/mcp-a.txt")


def test_resources_are_listed() -> None:
    listing = b'[{"uri":"tiny://a","name":"a","mimeType":"text/plain","server":"tiny"}]'
    expected = ListMcpResourcesResult((McpResource("tiny://a", "a", "", "text/plain", "", "tiny"),))

    assert decode_input("ListMcpResourcesTool", b"{}") == ListMcpResourcesInput()
    assert decode_result("ListMcpResourcesTool", listing, "", None) == expected
    assert decode_result("ListMcpResourcesTool", b"", listing.decode(), None) == expected


def test_a_resource_is_read() -> None:
    content = b'{"contents":[{"uri":"tiny://a","mimeType":"text/plain","text":"hi"}]}'
    expected = ReadMcpResourceResult((McpResourceContent("tiny://a", "text/plain", "hi"),))
    arguments = decode_input("ReadMcpResourceTool", b'{"server":"tiny","uri":"tiny://a"}')

    assert arguments == ReadMcpResourceInput("tiny", "tiny://a")
    assert decode_result("ReadMcpResourceTool", content, "", arguments) == expected
    assert decode_result("ReadMcpResourceTool", b"null", content.decode(), arguments) == expected
