"""Files that a shell command changed are shown as diffs and counted."""

from typing import Any

import msgspec

from clew.analytics import file_touches
from clew.parts import Code, Diff, DiffHunk, Fold, Listing, Note, Output
from clew.tools import unnamed_fields
from tests.unit.tools.opened import call_of, opened

HUNK = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-a", "+b", "+c"]}
LINES = DiffHunk(1, 1, ("-a", "+b", "+c"))
COMMAND = Code("make", "bash", is_command=True)


def made(*files: dict[str, Any], more: int = 0, changed: tuple[str, ...] = ()) -> dict[str, Any]:
    """Give the result of a command that changed these files."""
    paths = [*(file["filePath"] for file in files), *changed]
    edits = {"files": files, "moreFiles": more, "changedFiles": paths}
    return {"stdout": "ok", "stderr": "", "interrupted": False, "bashEditDiff": edits}


def test_each_changed_file_is_a_diff_below_the_output() -> None:
    result = made(
        {"filePath": "/w/a.py", "hunks": [HUNK]},
        {"filePath": "/w/b.py", "hunks": [HUNK], "created": True},
        {"filePath": "/w/c.py", "hunks": [HUNK], "deleted": True},
    )

    assert opened("Bash", {"command": "make"}, result) == [
        COMMAND,
        Output("ok"),
        Diff("/w/a.py", (LINES,), 2, 1),
        Note("New file"),
        Diff("/w/b.py", (LINES,), 2, 1),
        Note("Deleted file"),
        Diff("/w/c.py", (LINES,), 2, 1),
    ]


def test_files_without_a_diff_are_counted_and_named() -> None:
    several = made({"filePath": "/w/a"}, more=2, changed=("/w/b", "/w/c"))
    nameless = made(more=1)

    assert opened("Bash", {"command": "make"}, several)[-1] == Fold(
        "2 more files changed", (Listing(("/w/b", "/w/c"), 2),)
    )
    assert opened("Bash", {"command": "make"}, nameless)[-1] == Note("1 more file changed")


def test_changed_files_count_as_changes_with_their_lines_where_these_are_known() -> None:
    result = made(
        {"filePath": "/w/a.py", "hunks": [HUNK, HUNK]},
        {"filePath": "/w/b.py", "hunks": [], "created": True},
        {"filePath": "/w/c.py", "hunks": [HUNK], "deleted": True},
        more=1,
        changed=("/w/d.bin",),
    )

    touches = file_touches([call_of("Bash", {"command": "make"}, result)])

    found = [(t.path, t.action, t.lines_added, t.lines_removed) for t in touches]
    assert found == [
        ("/w/a.py", "edit", 4, 2),
        ("/w/b.py", "create", 0, 0),
        ("/w/c.py", "delete", 2, 1),
        ("/w/d.bin", "edit", None, None),
    ]


def test_a_command_that_only_prints_the_name_of_the_field_changes_nothing() -> None:
    printed = {"stdout": '"bashEditDiff":{"files":[]}', "stderr": ""}

    assert list(file_touches([call_of("Bash", {"command": "cat x"}, printed)])) == []


def test_all_fields_of_the_changes_are_named() -> None:
    raw = msgspec.json.encode(made({"filePath": "/w/a", "hunks": [HUNK], "created": True}))

    assert unnamed_fields("Bash", raw, "result") == []
