"""The tool that replays the edits of transcripts."""

from pathlib import Path

import pytest

from clew.parts import DiffHunk
from tests.build import Call, SessionBuilder, bash, edit, write
from tools.replay_edits import main, patched, replay_folder

RECORDINGS = Path(__file__).parents[1] / "recordings"
BEFORE = "def f():\n\tif x:\n\t\treturn 1\n"


def edited_session() -> SessionBuilder:
    """Edit a file that is indented by tabs, write one over, and do other things."""
    over = {"type": "update", "filePath": "/w/b", "content": "b", "originalFile": "a\n"}
    return (
        SessionBuilder()
        .user("Go")
        .tools(edit("/w/a.py", BEFORE, "return 1", "return 2"), bash("ls", "a"))
        .tools(Call("Write", {"file_path": "/w/b", "content": "b"}, "Updated.", over))
        .tools(write("/w/new", "x\n"))
    )


def test_edits_with_the_text_before_are_replayed(tmp_path: Path) -> None:
    edited_session().write(tmp_path)

    replays = list(replay_folder(tmp_path))

    assert [(r.tool, r.has_tabs, r.problem) for r in replays] == [
        ("Edit", True, ""),
        ("Write", False, ""),
    ]
    assert all(b"originalFile" in r.file.read_bytes().split(b"\n")[r.line - 1] for r in replays)


def test_every_edit_that_was_recorded_applies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(RECORDINGS)]) == 0
    assert "\n0 edits do not apply\n" in capsys.readouterr().out


def test_an_edit_that_does_not_apply_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = {"filePath": "/w/a", "oldString": "gone", "newString": "b", "originalFile": "a\n"}
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-x", "+b"]}
    asked = {"file_path": "/w/a", "old_string": "gone", "new_string": "b"}
    wrong = Call("Edit", asked, "Updated.", {**result, "structuredPatch": [hunk]})
    SessionBuilder().user("Go").tools(wrong).write(tmp_path)

    assert main([str(tmp_path)]) == 1
    first, _, last = capsys.readouterr().out.splitlines()
    assert first.endswith(".jsonl:3: Edit: no fit")
    assert last == "1 edits do not apply"


@pytest.mark.parametrize(
    "hunk",
    [
        DiffHunk(1, 1, ("-b", "+c")),
        DiffHunk(1, 2, ("-a", "+c")),
        DiffHunk(1, 1, ("-a", "\\ No newline at end of file", "+c")),
    ],
)
def test_a_hunk_with_other_lines_numbers_or_ends_does_not_fit(hunk: DiffHunk) -> None:
    assert patched("a\n", [hunk]) is None
