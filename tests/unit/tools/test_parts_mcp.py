"""MCP tools and resources, opened."""

from clew.conversation import Block
from clew.parts import (
    Code,
    Document,
    Fields,
    Fold,
    Image,
    Link,
    Links,
    Note,
    Prose,
    Words,
)
from tests.unit.tools.opened import opened


def test_small_arguments_are_fields_and_long_ones_stand_apart() -> None:
    asked = {"id": "CL-1", "n": 1.50, "deep": {"k": list(range(40))}, "text": "two\nlines"}

    shown = opened("mcp__linear__save", asked, [])

    json = Code(
        "\n".join(["{", '  "k": [', *(f"    {n}," for n in range(39)), "    39\n  ]\n}"]), "json"
    )
    assert shown == [
        Fields((("id", "CL-1"), ("n", "1.5"))),
        Fold("deep", (json,), is_open=True),
        Fold("text", (Words("two\nlines"),), is_open=True),
    ]


def test_blocks_are_shown_as_what_they_are() -> None:
    blocks = [
        {"type": "text", "text": '{"a":1}'},
        {"type": "text", "text": "### Result\nfine"},
        {"type": "text", "text": "plain"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}},
        {"type": "image", "data": "eQ==", "mimeType": "image/gif"},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "description": "the file"},
    ]

    shown = opened("mcp__a__b", {}, blocks)

    assert shown == [
        Code('{\n  "a": 1\n}', "json"),
        Prose("### Result\nfine"),
        Words("plain"),
        Image("image/png", "eA=="),
        Image("image/gif", "eQ=="),
        Links((Link("file:///a", "a", "the file"),)),
    ]


def test_a_block_of_a_new_kind_is_shown_whole() -> None:
    block = {"type": "resource", "resource": {"uri": "a://b", "text": "inside"}}

    shown = opened("mcp__a__b", {}, [block])

    json = '{\n  "uri": "a://b",\n  "text": "inside"\n}'
    assert shown == [Fields((("Block type", "resource"),)), Code(json, "json")]


def test_a_block_that_only_the_conversation_has_is_shown() -> None:
    block = Block("other", "audio", data='{"type":"audio","name":"hum"}')

    shown = opened("mcp__a__b", {}, text="ok", result_blocks=(Block("text", "ok"), block))

    assert shown == [Words("ok"), Code('{\n  "type": "audio",\n  "name": "hum"\n}', "json")]


def test_a_long_result_is_shown_whole_where_it_was_found() -> None:
    told = "Error: result (90,000 characters) exceeds maximum allowed tokens. "
    told += "Output has been saved to /t/mcp.txt.\nRead it."

    shown = opened("mcp__a__b", {}, told, "all", result_blocks=(Block("text", told),))

    assert shown[0] == Words("all")
    assert shown[1] == Note(told.partition("\n")[0])


def test_resources_are_links() -> None:
    resource = {"uri": "a://b", "name": "b", "mimeType": "text/plain", "server": "srv"}

    shown = opened("ListMcpResourcesTool", {}, [resource])

    assert shown == [Links((Link("a://b", "b", "text/plain · srv"),))]


def test_a_resource_is_shown_as_text_or_as_a_document() -> None:
    contents = [{"uri": "a://b", "text": "hi"}, {"mimeType": "x/y", "blob": "eA=="}]

    shown = opened("ReadMcpResourceTool", {"server": "srv", "uri": "a://b"}, {"contents": contents})

    assert shown == [Words("hi"), Fields((("Type", "x/y"),)), Document("x/y", "", "eA==")]
