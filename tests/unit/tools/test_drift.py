"""Fields that no struct names."""

from typing import Literal

import pytest

from clew.tools import unnamed_fields


@pytest.mark.parametrize(
    ("name", "raw", "which", "expected"),
    [
        ("Bash", b'{"command":"ls","pattern":"x"}', "input", ["pattern"]),
        ("BashOutput", b'{"bash_id":"b","block":true,"wait_up_to":30}', "input", []),
        (
            "Bash",
            b'{"stdout":"","new":1,"gitOperation":{"tag":{}}}',
            "result",
            ["gitOperation.tag", "new"],
        ),
        ("TodoWrite", b'{"todos":[{"content":"a","due":1},{"due":2}]}', "input", ["todos[].due"]),
        ("TodoWrite", b'{"todos":"[]"}', "input", []),
        ("TodoRead", b'[{"content":"a","due":1}]', "result", ["[].due"]),
        (
            "WebSearch",
            b'{"results":["a",{"content":[{"rank":1}]}]}',
            "result",
            ["results[].content[].rank"],
        ),
        ("AskUserQuestion", b'{"annotations":{"Q?":{"mood":1}}}', "result", ["annotations.*.mood"]),
        ("mcp__tiny__add", b'[{"type":"text","tint":1}]', "result", ["[].tint"]),
    ],
)
def test_unnamed_keys_are_listed_by_their_path(
    name: str, raw: bytes, which: Literal["input", "result"], expected: list[str]
) -> None:
    assert unnamed_fields(name, raw, which) == expected


@pytest.mark.parametrize(
    ("name", "raw", "which"),
    [
        ("mcp__tiny__add", b'{"anything":1}', "input"),
        ("StructuredOutput", b'{"anything":1}', "input"),
        ("NoSuchTool", b'{"anything":1}', "input"),
        ("NoSuchTool", b'{"anything":1}', "result"),
        ("Workflow", b'{"args":{"anything":1}}', "input"),
        ("Bash", b'"Error: no"', "result"),
        ("Bash", b"[1]", "result"),
        ("Bash", b'{"stdout":', "result"),
        ("Bash", b"", "result"),
    ],
)
def test_free_json_and_no_json_have_no_unnamed_keys(
    name: str, raw: bytes, which: Literal["input", "result"]
) -> None:
    assert unnamed_fields(name, raw, which) == []
