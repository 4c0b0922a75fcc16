"""Edit, MultiEdit, Write, NotebookEdit, NotebookRead and Read, opened."""

from typing import Any

import pytest

from clew.conversation import Block
from clew.parts import Code, Diff, DiffHunk, Document, Fields, Fold, Image, Note, Output, Prose
from tests.unit.tools.opened import call_of, open_call, opened

HUNK = {"oldStart": 7, "oldLines": 1, "newStart": 7, "newLines": 2, "lines": ["-a", "+b", "+c"]}
EDIT = {"file_path": "/w/a.py", "old_string": "a", "new_string": "b\nc"}
PLACED = Diff("/w/a.py", (DiffHunk(7, 7, ("-a", "+b", "+c")),), 2, 1)


def read(file: dict[str, Any], kind: str = "text", **asked: Any) -> list[Any]:
    """Open a Read of `/w/a.py`."""
    return opened("Read", {"file_path": "/w/a.py", **asked}, {"type": kind, "file": file})


def test_an_edit_shows_the_hunks_that_the_client_kept() -> None:
    shown = opened("Edit", EDIT, {"filePath": "/w/a.py", "structuredPatch": [HUNK]})

    assert shown == [PLACED]


def test_the_path_of_a_diff_is_told_from_the_working_directory() -> None:
    call = call_of("Edit", EDIT, {"filePath": "/w/a.py", "structuredPatch": [HUNK]})

    diff = open_call(call, "/w")[0]

    assert isinstance(diff, Diff)
    assert diff.path == "a.py"


def test_an_edit_without_hunks_is_compared_with_the_file_it_changed() -> None:
    result = {
        "filePath": "/w/a.py",
        "oldString": "a",
        "newString": "b\nc",
        "originalFile": "1\n2\n3\n4\n5\na\n",
    }

    shown = opened("Edit", EDIT, result)

    hunk = DiffHunk(3, 3, (" 3", " 4", " 5", "-a", "+b", "+c"))
    assert shown == [Diff("/w/a.py", (hunk,), 2, 1)]


TABS = "if x:\n\ta = 1\n\tb = 2\n"
# As clients record it: two blanks for each tab.
BLANKS = {
    "oldStart": 1,
    "oldLines": 3,
    "newStart": 1,
    "newLines": 3,
    "lines": [" if x:", "-  a = 1", "+  a = 3", "   b = 2"],
}
TABBED = Diff("/w/a.py", (DiffHunk(1, 1, (" if x:", "-\ta = 1", "+\ta = 3", " \tb = 2")),), 1, 1)


@pytest.mark.parametrize(
    ("tool", "asked", "result"),
    [
        (
            "Edit",
            {"old_string": "a = 1", "new_string": "a = 3"},
            {"oldString": "a = 1", "newString": "a = 3", "originalFile": TABS},
        ),
        (
            "MultiEdit",
            {"edits": [{"old_string": "a = 1", "new_string": "a = 3"}]},
            {
                "edits": [{"old_string": "a = 1", "new_string": "a = 3"}],
                "originalFileContents": TABS,
            },
        ),
        (
            "Write",
            {"content": TABS.replace("1", "3")},
            {"type": "update", "content": TABS.replace("1", "3"), "originalFile": TABS},
        ),
    ],
)
def test_a_change_of_a_file_with_tabs_shows_tabs(
    tool: str, asked: dict[str, Any], result: dict[str, Any]
) -> None:
    told = {"filePath": "/w/a.py", "structuredPatch": [BLANKS], **result}

    shown = opened(tool, {"file_path": "/w/a.py", **asked}, told)

    assert shown == [TABBED]


def test_an_edit_that_removes_text_removes_the_newline_behind_it() -> None:
    result = {
        "filePath": "/w/a.py",
        "oldString": "b",
        "newString": "",
        "originalFile": "a\nb\nc\n",
    }

    shown = opened("Edit", EDIT, result)

    assert shown == [Diff("/w/a.py", (DiffHunk(1, 1, (" a", "-b", " c")),), 0, 1)]


def test_each_place_that_an_edit_changes_has_its_line_numbers() -> None:
    lines = [f"{n}\n" for n in range(1, 41)]
    result = {
        "filePath": "/w/a.py",
        "oldString": "5\n",
        "newString": "five\nand more\n",
        "replaceAll": True,
        "originalFile": "".join(lines),
    }

    [diff] = opened("Edit", EDIT, result)

    assert isinstance(diff, Diff)
    starts = [(hunk.old_start, hunk.new_start) for hunk in diff.hunks]
    assert starts == [(2, 2), (12, 13), (22, 24), (32, 35)]
    assert (diff.added, diff.removed, diff.is_lower_bound) == (8, 4, False)


def test_an_edit_that_does_not_fit_the_text_is_shown_as_recorded() -> None:
    result = {
        "filePath": "/w/a.py",
        "oldString": "a",
        "newString": "b\nc",
        "originalFile": "x",
        "structuredPatch": [HUNK],
    }

    assert opened("Edit", EDIT, result) == [PLACED]


def test_an_edit_known_by_its_snippet_has_its_place_from_there() -> None:
    text = "The file /w/a.py has been updated. Here is a snippet of the edited file:\n"

    shown = opened("Edit", EDIT, text=f"{text}     6→x\n     7→b\n     8→c\n")

    assert shown == [Diff("/w/a.py", (DiffHunk(6, 6, (" x", "-a", "+b", "+c")),), 2, 1)]


def test_an_edit_that_failed_shows_what_it_would_have_done() -> None:
    shown = opened("Edit", EDIT, text="<tool_use_error>Gone</tool_use_error>", status="failed")

    hunk = DiffHunk(None, None, ("-a", "+b", "+c"))
    assert shown == [Diff("/w/a.py", (hunk,), 2, 1), Note("Gone", "bad")]


def test_an_edit_that_the_user_changed_says_so() -> None:
    result = {"filePath": "/w/a.py", "structuredPatch": [HUNK], "userModified": True}

    shown = opened("Edit", {**EDIT, "replace_all": True}, result)

    changed = Note("Edited by the user before it was applied")
    assert shown == [Fields((("replace_all", "true"),)), PLACED, changed]


def test_many_edits_are_one_diff() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]
    result = {"filePath": "/w/a", "edits": edits, "originalFileContents": "a\n"}

    shown = opened("MultiEdit", {"file_path": "/w/a", "edits": edits}, result)

    assert shown == [Diff("/w/a", (DiffHunk(1, 1, ("-a", "+c")),), 1, 1)]


def test_many_edits_of_an_unknown_file_have_no_place() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": ""}]

    shown = opened("MultiEdit", {"file_path": "/w/a", "edits": edits}, text="Applied 2 edits")

    first, second = DiffHunk(None, None, ("-a", "+b")), DiffHunk(None, None, ("-c",))
    assert shown == [Diff("/w/a", (first, second), 1, 2, is_lower_bound=True)]


def test_edits_that_the_model_wrote_as_text_are_shown_as_they_are() -> None:
    shown = opened("MultiEdit", {"file_path": "/w/a", "edits": "[1"}, status="pending")

    assert shown == [Fields((("edits", "[1"),)), Note("No result", "warn")]


def test_a_new_file_is_shown_whole() -> None:
    result = {"type": "create", "filePath": "/w/a.py", "content": "x\n", "structuredPatch": []}

    shown = opened("Write", {"file_path": "/w/a.py", "content": "x\n"}, result)

    assert shown == [Code("x\n", "python", "/w/a.py", 1)]


def test_a_replaced_file_is_shown_as_a_diff() -> None:
    result = {"type": "update", "filePath": "/w/a", "content": "x\n", "originalFile": "y\n"}

    shown = opened("Write", {"file_path": "/w/a", "content": "x\n"}, result)

    assert shown == [Diff("/w/a", (DiffHunk(1, 1, ("-y", "+x")),), 1, 1)]


def test_a_file_replaced_by_itself_has_not_changed() -> None:
    result = {"type": "update", "filePath": "/w/a", "content": "x\n", "originalFile": "x\n"}

    shown = opened("Write", {"file_path": "/w/a", "content": "x\n"}, result)

    assert shown == [Diff("/w/a", (), 0, 0), Note("Nothing changed")]


def test_a_cell_is_shown_as_a_diff() -> None:
    asked = {"notebook_path": "/w/n.ipynb", "new_source": "2", "cell_id": "c"}
    result = {"new_source": "2", "old_source": "1", "edit_mode": "replace", "cell_id": "c"}

    shown = opened("NotebookEdit", asked, result)

    # The path in the line begins at the working directory, and `c` is too short to be found.
    assert shown == [
        Fields((("cell_id", "c"),)),
        Diff("/w/n.ipynb", (DiffHunk(1, 1, ("-1", "+2")),), 1, 1),
    ]


def test_a_cell_whose_old_source_nobody_kept_is_shown_new() -> None:
    asked = {"notebook_path": "/w/n.ipynb", "new_source": "# Hi", "cell_type": "markdown"}

    shown = opened("NotebookEdit", asked, text="Updated cell 3 with # Hi")

    code = Code("# Hi", "markdown", "/w/n.ipynb")
    assert shown == [Fields((("cell_type", "markdown"),)), code]


def test_lines_are_read_with_their_true_numbers() -> None:
    file = {"filePath": "/w/a.py", "content": "x\ny", "numLines": 2, "startLine": 40}

    shown = read({**file, "totalLines": 90}, offset=40, limit=2)

    assert shown == [Code("x\ny", "python", "/w/a.py", 40), Note("2 of 90 lines")]


def test_numbers_before_lines_are_no_part_of_the_file() -> None:
    call = call_of("Read", {"file_path": "a.py"}, text="    40→x\n    41→y")

    assert open_call(call) == (Code("x\ny", "python", "a.py", 40),)


def test_a_file_that_has_not_changed_says_so() -> None:
    shown = read({"filePath": "/w/a.py"}, "file_unchanged")

    assert shown == [Note("The file has not changed since it was last read")]


def test_a_picture_is_shown_once_with_its_size() -> None:
    size = {"originalWidth": 4, "originalHeight": 3}
    file = {"base64": "eA==", "type": "image/png", "originalSize": 9, "dimensions": size}
    block = Block("image", media_type="image/png", data="eA==")

    shown = opened(
        "Read", {"file_path": "a.png"}, {"type": "image", "file": file}, result_blocks=(block,)
    )

    assert shown == [Image("image/png", "eA==", width=4, height=3, size_bytes=9)]


def test_a_picture_without_a_typed_result_is_taken_from_the_blocks() -> None:
    block = Block("image", media_type="image/png", data="eA==", size_bytes=1)

    shown = opened("Read", {"file_path": "a.png"}, result_blocks=(block,))

    assert Image("image/png", "eA==", size_bytes=1) in shown


def test_a_document_is_shown_as_one() -> None:
    shown = read({"filePath": "a.pdf", "base64": "eA==", "originalSize": 5}, "pdf")

    assert shown == [Document("application/pdf", "a.pdf", "eA==", 5)]


def test_pages_that_were_taken_out_of_a_document_tell_where_they_lie() -> None:
    shown = read({"filePath": "a.pdf", "count": 12, "outputDir": "/t"}, "parts", pages="1-12")

    assert shown == [Fields((("Pages", "12"), ("Saved to", "/t")))]


def test_a_notebook_is_shown_by_its_cells() -> None:
    drawn = {"image_data": "eA==", "media_type": "image/png"}
    outputs = [{"output_type": "display_data", "text": "1", "image": drawn}, "odd"]
    cells = [
        {"cellType": "markdown", "source": "# Hi", "cell_id": "a"},
        {"cellType": "code", "source": ["x", "=1"], "cell_id": "b", "outputs": outputs},
    ]

    shown = read({"filePath": "a.ipynb", "cells": cells}, "notebook")

    assert shown == [
        Note("Markdown cell a"),
        Prose("# Hi"),
        Note("Code cell b"),
        Code("x=1", "python"),
        Output("1"),
        Image("image/png", "eA=="),
        Code('"odd"', "json"),
    ]


def test_a_reminder_below_a_file_is_folded_apart() -> None:
    text = "     1→x\n\n<system-reminder>\nBe careful.\n</system-reminder>"

    *_, last = open_call(call_of("Read", {"file_path": "a"}, text=text))

    assert isinstance(last, Fold)
    assert (last.title, last.is_meta) == ("System reminder", True)
