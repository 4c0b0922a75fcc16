from typing import Any

import msgspec
import pytest

from clew.entries import (
    NULL,
    DocumentBlock,
    ImageBlock,
    OtherBlock,
    ResultLinks,
    TextBlock,
    ToolReferenceBlock,
    odd_content,
    result_blocks,
    result_links,
)


def raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def test_an_agents_result_names_its_run() -> None:
    links = result_links(
        raw({"agentId": "a1", "status": "completed", "totalTokens": 12, "totalDurationMs": 3.5})
    )

    assert (links.agent_id, links.status) == ("a1", "completed")
    assert (links.total_tokens, links.total_duration_ms) == (12, 3.5)


def test_a_teammate_is_named_by_another_key() -> None:
    links = result_links(raw({"status": "teammate_spawned", "agent_id": "w1@team"}))

    assert (links.agent_id, links.teammate_id) == (None, "w1@team")


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("runId", "run_id"),
        ("transcriptDir", "transcript_dir"),
        ("taskId", "task_id"),
        ("backgroundTaskId", "background_task_id"),
        ("shellId", "shell_id"),
        ("outputFile", "output_file"),
        ("persistedOutputPath", "persisted_output_path"),
        ("agentType", "agent_type"),
    ],
)
def test_whatever_names_something_elsewhere_is_read(key: str, name: str) -> None:
    assert getattr(result_links(raw({"stdout": "x", key: "there"})), name) == "there"


@pytest.mark.parametrize("result", ["Error: no", [], [{"type": "text"}], None, 7, {}, {"a": 1}])
def test_a_result_without_links_has_none(result: Any) -> None:
    assert result_links(raw(result)) == ResultLinks()


def test_an_absent_result_has_none() -> None:
    assert result_links(NULL) == ResultLinks()


def test_a_link_of_another_type_leaves_the_others() -> None:
    links = result_links(raw({"agentId": 7, "taskId": "t1", "durationMs": "long", "other": []}))

    assert links == ResultLinks(task_id="t1")


@pytest.mark.parametrize(
    "result", [b"", b"{", b'{"agentId":', b'{"\xff":1,"agentId":7}', b'{"a":' * 5000]
)
def test_a_result_that_is_no_json_has_none(result: bytes) -> None:
    assert result_links(msgspec.Raw(result)) == ResultLinks()


def test_text_that_is_no_text_costs_its_own_field() -> None:
    links = result_links(msgspec.Raw(b'{"agentId":"\xff","taskId":"t1"}'))

    assert links == ResultLinks(task_id="t1")


def test_a_count_beyond_64_bits_is_left_out() -> None:
    links = result_links(raw({"totalTokens": 10**30, "agentId": "a1"}))

    assert links == ResultLinks(agent_id="a1")


def test_the_content_of_a_result_is_text() -> None:
    assert result_blocks(raw("hello")) == [TextBlock(text="hello")]


def test_the_content_of_a_result_is_blocks() -> None:
    content = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"type": "base64", "data": "aGk="}},
        {"type": "document", "title": "a"},
        {"type": "tool_reference", "tool_name": "mcp__a__b"},
    ]

    blocks = result_blocks(raw(content))

    assert [type(block) for block in blocks] == [
        TextBlock,
        ImageBlock,
        DocumentBlock,
        ToolReferenceBlock,
    ]


@pytest.mark.parametrize("content", [NULL, raw(None), raw([])])
def test_an_empty_result_has_no_blocks(content: msgspec.Raw) -> None:
    assert result_blocks(content) == []


def test_a_block_that_does_not_fit_leaves_the_others() -> None:
    new = {"type": "hologram"}

    blocks = result_blocks(raw([{"type": "text", "text": "see"}, new, 7, {"type": "text"}]))

    assert blocks[0] == TextBlock(text="see")
    assert isinstance(blocks[1], OtherBlock)
    assert msgspec.json.decode(blocks[1].value) == new
    assert blocks[2] == TextBlock(text="7")
    assert blocks[3] == TextBlock()


@pytest.mark.parametrize(
    ("content", "text", "shape"),
    [
        ({"nested": [1]}, '{"nested":[1]}', "an object"),
        ({"type": "text", "text": "alone"}, "alone", "an object"),
        (7, "7", "a number"),
        (True, "true", "true or false"),
        (["words"], "words", "a list with a text in it"),
        ([[1]], "[1]", "a list with a list in it"),
        ([None], "null", "a list with null in it"),
    ],
)
def test_content_that_is_neither_text_nor_blocks_is_read_as_its_json(
    content: Any, text: str, shape: str
) -> None:
    assert result_blocks(raw(content)) == [TextBlock(text=text)]
    assert odd_content(raw(content)) == shape


@pytest.mark.parametrize("content", ["text", "{}", None, [], [{"type": "hologram"}]])
def test_what_clients_write_is_not_odd(content: Any) -> None:
    assert odd_content(raw(content)) == ""


def test_a_lone_block_of_an_unknown_kind_is_kept() -> None:
    (block,) = result_blocks(raw({"type": "hologram"}))

    assert isinstance(block, OtherBlock)
    assert msgspec.json.decode(block.value) == {"type": "hologram"}


def test_text_that_is_no_utf_8_is_still_read() -> None:
    assert result_blocks(msgspec.Raw(b'"a\xffb"')) == [TextBlock(text="a\ufffdb")]
    assert result_blocks(msgspec.Raw(b'[{"type":"text","text":"\xe2\x82"}]')) == [
        TextBlock(text="\ufffd\ufffd")
    ]


@pytest.mark.parametrize(
    "content", [b"", b"[", b'"\xff', b'[{"type":"text","text":"\xff"},', b"[" * 5000]
)
def test_content_that_is_no_json_is_kept(content: bytes) -> None:
    (block,) = result_blocks(msgspec.Raw(content))

    assert isinstance(block, OtherBlock)
    assert bytes(block.value) == content
