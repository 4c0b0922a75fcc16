"""A quick fix in a worktree of its own."""

from typing import Final

from tests.build import Call
from tools.make_samples.calls import bash, failing, find_tools, not_installed
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.outputs import pytest_passed
from tools.make_samples.projects import almanac
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_TREE: Final = f"{almanac.ROOT}/.claude/worktrees/frost-bom"
_BRANCH: Final = "worktree-frost-bom"

_TEST: Final = """\
import sqlite3
from pathlib import Path

import pytest

from almanac import import_frost


def test_a_mark_before_the_first_place_is_not_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, table = tmp_path / "almanac.db", tmp_path / "frost.csv"
    with sqlite3.connect(database) as db:
        db.execute("CREATE TABLE frost (place TEXT, month INTEGER, day INTEGER)")
    table.write_text("Aachen,5,2\\nTrier,5,4\\n", encoding="utf-8-sig")
    monkeypatch.setattr(import_frost, "DATABASE", str(database))

    import_frost.main(str(table))

    with sqlite3.connect(database) as db:
        assert db.execute("SELECT place FROM frost").fetchall() == [("Aachen",), ("Trier",)]
"""

_DIFFERENCE: Final = (
    r"AssertionError: assert [('\ufeffAach...), ('Trier',)] == [('Aachen',), ('Trier',)]"
)
_FAILURE: Final = f"""\
F                                                                        [100%]
=================================== FAILURES ===================================
E   {_DIFFERENCE}
     \x20
      At index 0 diff: ('\\ufeffAachen',) != ('Aachen',)
      Use -v to get more diff
{_TREE}/tests/test_import_frost.py:21: {_DIFFERENCE}
=========================== short test summary info ============================
FAILED tests/test_import_frost.py::test_a_mark_before_the_first_place_is_not_part_of_it
1 failed in 0.07s"""


def build() -> Scene:
    """Act the session."""
    setting = Setting(
        at="2026-11-10T16:12:09Z", branch="warnings", title="Read frost tables with a BOM"
    )
    scene = open_scene("worktree", Workspace(almanac.ROOT, almanac.FILES), setting)
    scene.prompt(
        """
        Aachen has no frost since the last import, all other places do. I am in the middle of
        something here, so fix it in a worktree, please.
        """,
        after=0,
    )
    scene.act(find_tools("EnterWorktree", "ExitWorktree"))
    _enter(scene)
    _mend(scene)
    _leave(scene)
    return scene.end()


def _enter(scene: Scene) -> None:
    state = {
        "originalCwd": almanac.ROOT,
        "worktreePath": _TREE,
        "worktreeName": "frost-bom",
        "worktreeBranch": _BRANCH,
        "originalBranch": "warnings",
        "originalHeadCommit": "5d0be1740c2f6a98e3b7114d26c9f8a05e7d3b61",
        "sessionId": scene.builder.session_id,
    }
    told = f"Created worktree at {_TREE} on branch {_BRANCH}. The session is now working there."
    result = {"worktreePath": _TREE, "worktreeBranch": _BRANCH, "message": told}
    scene.builder.marker("worktree-state", worktreeSession=state)
    scene.act(Call("EnterWorktree", {"name": "frost-bom"}, told, result, seconds=0.6))
    scene.workspace.root = _TREE
    scene.builder.cwd(_TREE).branch(_BRANCH)


def _mend(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.read("src/almanac/import_frost.py"),
        bash(
            "head -c 16 /home/mira/data/frost-2026.csv | xxd",
            "00000000: efbb bf41 6163 6865 6e2c 352c 320a 4265  ...Aachen,5,2.Be",
            told="How the table begins",
        ),
    )
    scene.act(
        files.write("tests/test_import_frost.py", _TEST),
        say="""
        The table begins with `ef bb bf`, a byte order mark, as spreadsheets write it. We take it
        for a part of the first name, so the place is called `\\ufeffAachen`. A test for that:
        """,
    )
    scene.act(
        failing(
            "uv run pytest -q --tb=line tests/test_import_frost.py",
            _FAILURE,
            told="See it fail",
            seconds=1.5,
        )
    )
    scene.act(
        files.edit(
            "src/almanac/import_frost.py",
            'newline="") as stream',
            'newline="", encoding="utf-8-sig") as stream',
        )
    )
    scene.act(not_installed("pytest", "pytest -q", told="Run all tests"))
    scene.act(bash("uv run pytest -q", pytest_passed(6, 0.08), told="Run all tests", seconds=1.7))
    scene.act(
        bash(
            "git add -A && git commit -qm 'import_frost: read tables with a byte order mark' && "
            "git log --oneline -1",
            "5f27c1d import_frost: read tables with a byte order mark",
            told="Commit",
        )
    )


def _leave(scene: Scene) -> None:
    told = (
        f"Exited worktree. Your work is preserved at {_TREE} on branch {_BRANCH}. "
        f"Session is now back in {almanac.ROOT}."
    )
    result = {
        "action": "keep",
        "originalCwd": almanac.ROOT,
        "worktreePath": _TREE,
        "worktreeBranch": _BRANCH,
        "message": told,
    }
    scene.builder.marker("worktree-state", worktreeSession=None)
    scene.act(Call("ExitWorktree", {"action": "keep"}, told, result, seconds=0.3))
    scene.workspace.root = almanac.ROOT
    scene.builder.cwd(almanac.ROOT).branch("warnings")
    scene.answer(
        """
        Fixed on `worktree-frost-bom` (`5f27c1d`), and your branch is as you left it. `utf-8-sig`
        takes the mark off where there is one and reads everything else as before.

        Aachen gets its frost back with the next import; the row with the mark goes at the same
        time, since the import replaces them all.
        """
    )
