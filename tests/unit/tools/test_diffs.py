"""Diffs that are computed, and the lines that a call added and removed."""

from typing import Any

import msgspec
import pytest

from clew.conversation import ToolCall
from clew.parts import DiffHunk
from clew.tools import call_parts, count_changes, decode_call, decode_input, decode_result, is_edit
from clew.tools.diffs.compare import diff_of_files
from clew.tools.diffs.line_counts import LineCounts, count_fragments
from clew.tools.diffs.recorded import Hunk, diff_of_hunks

HUNK = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-a", "+b", "+c"]}
EDIT = {"file_path": "/a", "old_string": "a", "new_string": "b"}
WRITE = {"file_path": "/a", "content": "a"}
CELL = {"notebook_path": "/a", "new_source": "a"}
STEPS = [{"old_string": "a", "new_string": "b\nc"}]
CHAIN = [*STEPS, {"old_string": "c", "new_string": "d"}]
Case = tuple[str, dict[str, Any], dict[str, Any], LineCounts | None]
CHANGES: list[Case] = [
    ("Edit", EDIT, {"structuredPatch": [HUNK], "oldString": "a"}, LineCounts(2, 1)),
    ("Edit", EDIT, {"oldString": "a\nb", "newString": "a\nc\nd"}, LineCounts(2, 1)),
    (
        "Edit",
        EDIT,
        {"oldString": "a", "newString": "b", "replaceAll": True},
        LineCounts(1, 1, is_lower_bound=True),
    ),
    ("MultiEdit", {"file_path": "/a", "edits": []}, {"edits": STEPS}, LineCounts(2, 1)),
    (
        "MultiEdit",
        {"file_path": "/a", "edits": []},
        {"edits": CHAIN},
        LineCounts(1, 1, is_lower_bound=True),
    ),
    ("Write", WRITE, {"type": "create", "content": "a\nb\n"}, LineCounts(2, 0)),
    ("Write", WRITE, {"type": "create", "content": ""}, LineCounts(0, 0)),
    ("Write", WRITE, {"type": "update", "content": "a", "originalFile": "b\nc"}, LineCounts(1, 2)),
    (
        "Write",
        WRITE,
        {"type": "update", "content": "b\nc", "structuredPatch": [HUNK]},
        LineCounts(2, 1),
    ),
    (
        "Write",
        WRITE,
        {"type": "update", "content": "b\n  c", "structuredPatch": [HUNK]},
        LineCounts(2, 1, is_lower_bound=True),
    ),
    ("Write", WRITE, {"type": "update", "content": "a"}, None),
    ("NotebookEdit", CELL, {"new_source": "a\nb", "edit_mode": "insert"}, LineCounts(2, 0)),
    (
        "NotebookEdit",
        CELL,
        {"new_source": "", "old_source": "a", "edit_mode": "delete"},
        LineCounts(0, 1),
    ),
    ("NotebookEdit", CELL, {"new_source": "a", "old_source": "b"}, LineCounts(1, 1)),
    ("NotebookEdit", CELL, {"new_source": "a"}, None),
    ("Bash", {"command": "ls"}, {"stdout": "a"}, None),
]


def counted(tool: str, asked: dict[str, Any], text: str, status: str = "done") -> LineCounts | None:
    """Count the lines of a call of which only the text of the result is known."""
    arguments = decode_input(tool, msgspec.json.encode(asked))
    return count_changes(arguments, decode_result(tool, b"null", text, arguments, status=status))


@pytest.mark.parametrize(("tool", "asked", "result", "expected"), CHANGES)
def test_a_change_counts_the_lines_that_came_and_went(
    tool: str, asked: dict[str, Any], result: dict[str, Any], expected: LineCounts | None
) -> None:
    arguments = decode_input(tool, msgspec.json.encode(asked))
    raw = msgspec.json.encode({"filePath": "/a", **result})

    assert count_changes(arguments, decode_result(tool, raw, "", arguments)) == expected


@pytest.mark.parametrize(("tool", "asked", "result", "expected"), CHANGES)
def test_the_diff_that_a_call_shows_counts_as_its_result_does(
    tool: str, asked: dict[str, Any], result: dict[str, Any], expected: LineCounts | None
) -> None:
    call = ToolCall(
        id="c",
        tool=tool,
        message_id="m",
        status="done",
        input=msgspec.Raw(msgspec.json.encode(asked)),
        result=msgspec.Raw(msgspec.json.encode({"filePath": "/a", **result})),
    )
    arguments, decoded = decode_call(call)

    assert count_changes(arguments, decoded, call_parts(call, arguments, decoded)) == expected


@pytest.mark.parametrize(
    "text", ["The file /a has been updated successfully.", "words of another client"]
)
def test_an_edit_whose_result_is_only_text_is_counted_by_its_input(text: str) -> None:
    assert counted("Edit", EDIT, text) == LineCounts(1, 1)
    assert counted("MultiEdit", {"file_path": "/a", "edits": STEPS}, text) == LineCounts(2, 1)
    assert counted("Write", WRITE, text) is None


def test_an_edit_that_failed_changed_no_lines() -> None:
    assert counted("Edit", EDIT, "<tool_use_error>Gone</tool_use_error>", "failed") is None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\nc", "a\nB\nx\nc", LineCounts(2, 1)),
        ("foo", "bar", LineCounts(1, 1)),
        ("", "a\nb\n", LineCounts(2, 0)),
        # What follows on the line, if anything, decides whether it is there before and after.
        ("import a", "import a\nimport b", LineCounts(1, 0, is_lower_bound=True)),
        # So does an indent that the edit leaves out.
        ("return a", "log()\n    return a", LineCounts(1, 0, is_lower_bound=True)),
        ("a\nb\n", "", LineCounts(0, 2, is_lower_bound=True)),
        ("a", "", LineCounts(0, 1, is_lower_bound=True)),
    ],
)
def test_an_edit_of_an_unknown_file_counts_what_is_certain(
    old: str, new: str, expected: LineCounts
) -> None:
    assert count_fragments(old, new) == expected


def test_recorded_hunks_get_back_the_tabs_that_the_edit_knows() -> None:
    hunk = Hunk(4, 2, 4, 2, (" if x:", "-    a", "+    b", "     c"))

    diff = diff_of_hunks("f", [hunk], "\t\ta\n", "\t\tb\n")

    assert diff.hunks[0].lines == (" if x:", "-\t\ta", "+\t\tb", "     c")
    assert not diff.is_lower_bound


def test_recorded_hunks_do_not_tell_of_tabs_that_became_blanks() -> None:
    hunk = Hunk(1, 2, 1, 2, ("   x", "-a", "+b"))

    diff = diff_of_hunks("f", [hunk], "\tx\na", "  x\nb")

    assert diff.is_lower_bound


def test_lines_far_from_a_change_are_left_out() -> None:
    before = "".join(f"{n}\n" for n in range(1, 101))
    after = before.replace("\n10\n", "\nten\n").replace("\n90\n", "\n")

    diff = diff_of_files("a", before, after)

    assert diff.hunks == (
        DiffHunk(7, 7, (" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13")),
        DiffHunk(87, 87, (" 87", " 88", " 89", "-90", " 91", " 92", " 93")),
    )


def test_a_last_newline_that_came_is_a_change() -> None:
    diff = diff_of_files("a", "x", "x\n")

    assert diff.hunks == (DiffHunk(1, 1, ("-x", "\\ No newline at end of file", "+x")),)
    assert (diff.added, diff.removed) == (1, 1)
    assert diff_of_files("a", "x\n", "x\n").hunks == ()


def test_texts_too_long_to_compare_are_replaced_whole_and_counted_at_least() -> None:
    before = "".join(f"old {n}\n" for n in range(15_000))
    after = "".join(f"new {n}\n" for n in range(14_999)) + "old 7\nlast\n"

    diff = diff_of_files("a", before, after)

    assert len(diff.hunks) == 1
    assert (diff.added, diff.removed, diff.is_lower_bound) == (15_000, 14_999, True)


@pytest.mark.parametrize(("tool", "expected"), [("Edit", True), ("Write", True), ("Read", False)])
def test_a_tool_that_changes_files_is_known_by_its_name(tool: str, *, expected: bool) -> None:
    assert is_edit(tool) is expected
