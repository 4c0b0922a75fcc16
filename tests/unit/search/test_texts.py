"""Whole texts, from kept lines."""

import json

import pytest

from clew.search.texts import whole_text

TALK = {"role": "user", "content": "long story"}
BLOCKS = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "deep thought"},
        {"type": "text", "text": "plain words"},
        {"type": "tool_use", "id": "t", "name": "Edit", "input": {"path": "a.py", "new": ["x", 1]}},
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "done"}]},
        {"type": "image"},
    ],
}


def line(kind: str, message: object) -> bytes:
    return json.dumps({"type": kind, "uuid": "u", "message": message}).encode()


@pytest.mark.parametrize(
    ("raw", "beginning", "whole"),
    [
        (line("user", TALK), "long", "long story"),
        (line("assistant", BLOCKS), "deep", "deep thought"),
        (line("assistant", BLOCKS), "plain", "plain words"),
        (line("assistant", BLOCKS), "a.py\nx", "a.py\nx\n1"),
        (line("user", BLOCKS), "do", "done"),
        (line("user", TALK), "short", None),
        (b'{"type":"summary","summary":"long story"}', "long", None),
        (b"not json", "not", None),
        (b"", "x", None),
    ],
)
def test_the_text_that_begins_so_is_found_in_its_line(
    raw: bytes, beginning: str, whole: str | None
) -> None:
    assert whole_text(raw, beginning) == whole
