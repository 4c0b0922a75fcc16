"""Diffs that are computed, and the lines that a call added and removed."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.conversation import ToolCall
from clew.parts import DiffHunk
from clew.tools import change, decode_call, decode_input, decode_result, is_edit, parts
from clew.tools.diffs import diff_of_texts, hunks_between

HUNK = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-a", "+b", "+c"]}
CHANGES: list[tuple[str, dict[str, Any], dict[str, Any], tuple[int, int] | None]] = [
    ("Edit", {"old_string": "a", "new_string": "b"}, {"structuredPatch": [HUNK]}, (2, 1)),
    ("Edit", {}, {"oldString": "a\nb", "newString": "a\nc\nd"}, (2, 1)),
    ("MultiEdit", {"edits": []}, {"edits": [{"old_string": "a", "new_string": "b\nc"}]}, (2, 1)),
    ("Write", {}, {"type": "create", "content": "a\nb\n"}, (2, 0)),
    ("Write", {}, {"type": "create", "content": ""}, (0, 0)),
    ("Write", {}, {"type": "update", "content": "a", "originalFile": "b\nc"}, (1, 2)),
    ("Write", {}, {"type": "update", "content": "a"}, None),
    ("NotebookEdit", {}, {"new_source": "a\nb", "edit_mode": "insert"}, (2, 0)),
    ("NotebookEdit", {}, {"new_source": "", "old_source": "a", "edit_mode": "delete"}, (0, 1)),
    ("NotebookEdit", {}, {"new_source": "a", "old_source": "b"}, (1, 1)),
    ("NotebookEdit", {}, {"new_source": "a"}, None),
    ("Bash", {"command": "ls"}, {"stdout": "a"}, None),
]
lines = st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=12)


@pytest.mark.parametrize(("tool", "asked", "result", "expected"), CHANGES)
def test_a_change_counts_the_lines_that_came_and_went(
    tool: str, asked: dict[str, Any], result: dict[str, Any], expected: tuple[int, int] | None
) -> None:
    arguments = decode_input(tool, msgspec.json.encode(asked))
    raw = msgspec.json.encode({"filePath": "/a", **result})

    assert change(decode_result(tool, raw, "", arguments)) == expected


def test_lines_far_from_a_change_are_left_out() -> None:
    before = "".join(f"{n}\n" for n in range(1, 101))
    after = before.replace("\n10\n", "\nten\n").replace("\n90\n", "\n")

    hunks = list(hunks_between(before, after, 1))

    assert hunks == [
        DiffHunk(7, 7, (" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13")),
        DiffHunk(87, 87, (" 87", " 88", " 89", "-90", " 91", " 92", " 93")),
    ]


def test_a_last_newline_that_came_is_a_change() -> None:
    assert diff_of_texts("a", "x", "x\n").added == 1
    assert diff_of_texts("a", "x\n", "x\n").hunks == ()


def test_texts_too_long_to_compare_are_replaced_whole() -> None:
    before = "\n".join(f"old {n}" for n in range(3000))
    after = "\n".join(f"new {n}" for n in range(3000))

    diff = diff_of_texts("a", before, after, 1)

    assert (len(diff.hunks), diff.added, diff.removed) == (1, 3000, 3000)


@given(lines, lines)
def test_a_diff_leads_from_the_one_text_to_the_other(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new)
    patched = list(old)

    for hunk in reversed(diff_of_texts("a", before, after, 1).hunks):
        start = (hunk.old_start or 0) - 1
        gone = [line[1:] for line in hunk.lines if line[0] in " -"]
        assert patched[start : start + len(gone)] == gone
        patched[start : start + len(gone)] = [line[1:] for line in hunk.lines if line[0] in " +"]

    assert patched == new


@pytest.mark.parametrize(("tool", "asked", "result", "expected"), CHANGES)
def test_the_diff_that_a_call_shows_counts_as_its_result_does(
    tool: str, asked: dict[str, Any], result: dict[str, Any], expected: tuple[int, int] | None
) -> None:
    names = ("file_path", "notebook_path", "old_string", "new_string", "content")
    call = ToolCall(
        id="c",
        tool=tool,
        message_id="m",
        status="done",
        input=msgspec.Raw(msgspec.json.encode({**dict.fromkeys(names, "/a"), **asked})),
        result=msgspec.Raw(msgspec.json.encode({"filePath": "/a", **result})),
    )
    arguments, decoded = decode_call(call)

    assert change(decoded, parts(call, arguments, decoded)) == expected


@pytest.mark.parametrize(("tool", "expected"), [("Edit", True), ("Write", True), ("Read", False)])
def test_a_tool_that_changes_files_is_known_by_its_name(tool: str, *, expected: bool) -> None:
    assert is_edit(tool) is expected
