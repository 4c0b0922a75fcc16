"""A refactoring with three agent runs: one looks around, two write side by side."""

from typing import Final

from tools.make_samples.calls import bash, failing, find_files
from tools.make_samples.models import HAIKU
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.outputs import pytest_passed
from tools.make_samples.projects import almanac
from tools.make_samples.projects import almanac_parts as parts
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_MISSING: Final = """\
==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_store.py _____________________
ImportError while importing test module '/home/mira/code/almanac/tests/test_store.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
tests/test_store.py:6: in <module>
    from almanac.season import Plant
E   ModuleNotFoundError: No module named 'almanac.season'
=========================== short test summary info ============================
ERROR tests/test_store.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 0.11s"""

_LEAP_FAILURE: Final = """\
.....F                                                                   [100%]
=================================== FAILURES ===================================
E   ValueError: day is out of range for month
/home/mira/code/almanac/src/almanac/season.py:27: ValueError: day is out of range for month
=========================== short test summary info ============================
FAILED tests/test_season.py::test_counts_the_days_that_are_left[plant5-frost5-2027-01-10-36]
1 failed, 5 passed in 0.04s"""

_COUNT: Final = """\
All checks passed!
   1 src/almanac/__init__.py
  46 src/almanac/app.py
  18 src/almanac/import_frost.py
  28 src/almanac/season.py
  27 src/almanac/store.py
 120 total"""

_STAT: Final = """\
a3d90c6

 src/almanac/app.py    | 67 ++++++++++++++++++++++++++++++---------------------
 src/almanac/season.py | 28 +++++++++++++++++++++
 src/almanac/store.py  | 27 +++++++++++++++++++++
 tests/test_season.py  | 27 +++++++++++++++++++++
 tests/test_store.py   | 37 ++++++++++++++++++++++++++++
 5 files changed, 159 insertions(+), 27 deletions(-)"""


def build() -> Scene:
    """Act the session."""
    setting = Setting(
        at="2026-11-13T09:02:40Z", branch="split-app", title="Split app.py into store and season"
    )
    scene = open_scene("refactoring", Workspace(almanac.ROOT, almanac.FILES), setting)
    _send_a_scout(scene)
    _send_two_at_once(scene)
    _join_the_parts(scene)
    _look_at_the_difference(scene)
    return scene.end()


def _send_a_scout(scene: Scene) -> None:
    scene.prompt(
        """
        `app.py` mixes HTTP, SQL and dates, and I am about to add frost warnings. Split it before
        it grows: a store for the database, a module for seasons, and the rest. Behaviour stays as
        it is. Use agents where it helps.
        """,
        after=0,
    )
    scene.act(
        scene.errand(
            "Map app.py and its callers",
            """
            In /home/mira/code/almanac, find out what src/almanac/app.py does and who depends on
            it. Report: every SQL statement with its line, every place that computes dates, every
            name that other files import from it, and anything that a split could break without a
            test noticing. Do not change anything.
            """,
            _scout,
            agent="Explore",
            model=HAIKU,
        ),
        say="Before I cut anything, an agent shall map what hangs on `app.py`.",
        think="""
        Three parts with clear borders: SQL, date arithmetic, HTTP. The two lower ones do not know
        each other except for what a plant is, so two agents could write them side by side. But
        first I want to know who imports what, and what the tests do not cover.
        """,
    )


def _scout(run: Scene) -> None:
    files = run.workspace
    run.act(
        find_files("**/*.py", [files.path(name) for name in files.files if name.endswith(".py")]),
        files.read("src/almanac/app.py"),
    )
    run.act(
        files.grep(r"almanac\.app|DATABASE|execute\("),
        files.read("tests/test_app.py"),
    )
    run.answer(
        """
        **SQL**, all in `app()`: lines 17 and 31 (all plants, the same statement twice), 21 (one
        plant), 27 (a frost). A connection is opened for each request and never closed (line 14).

        **Dates**: lines 25 to 35. `frost` is put into the year of `day` (line 29), so

        - a plant that is sown in November for a frost in January is never found, and
        - a frost on 29 February raises `ValueError` in three years of four.

        **Imported elsewhere**: only `DATABASE`, by `import_frost.py` (line 7) and, patched, by the
        tests (line 18). It has to stay a name of `almanac.app`, and be looked up at call time.

        **Not covered**: `/plants/<name>` with a plant that exists, `/now` without `day`, and
        everything around New Year.
        """
    )


def _send_two_at_once(scene: Scene) -> None:
    scene.act(
        scene.errand(
            "Write store.py",
            """
            In /home/mira/code/almanac, write src/almanac/store.py and tests/test_store.py: a class
            Store(path) with plants(), plant(name) and frost(place), which runs the SQL that
            stands in src/almanac/app.py today. Open the database read-only. Plant is a NamedTuple
            (name, first, last) that another agent writes in src/almanac/season.py at this moment;
            import it from there. Leave app.py alone. Run your tests.
            """,
            _write_the_store,
        ),
        scene.errand(
            "Write season.py",
            """
            In /home/mira/code/almanac, write src/almanac/season.py and tests/test_season.py: the
            NamedTuple Plant (name, first, last: weeks from the last frost) and a pure function
            days_left(plant, frost, day), where frost is (month, day). It does what lines 25 to 35
            of src/almanac/app.py do, and also right around New Year and for 29 February. Leave
            app.py alone. Run your tests.
            """,
            _write_the_season,
        ),
        say="""
        Good that I asked: there are two bugs in the dates, which no test covers. The halves that
        know nothing of HTTP can be written side by side. They only share `Plant`, so I fix its
        shape in both prompts.
        """,
    )


def _write_the_store(run: Scene) -> None:
    files = run.workspace
    run.act(files.read("src/almanac/app.py", 11, 30), think="")
    run.act(
        files.write("src/almanac/store.py", parts.STORE),
        files.write("tests/test_store.py", parts.TEST_STORE),
    )
    run.act(
        failing(
            "uv run pytest -q --tb=line tests/test_store.py",
            _MISSING,
            code=2,
            told="Run the store's tests",
            seconds=1.4,
        ),
    )
    run.act(
        bash(
            "until [ -f src/almanac/season.py ]; do sleep 1; done; uv run pytest -q "
            "tests/test_store.py",
            pytest_passed(4, 0.04),
            told="Wait for season.py, then run again",
            seconds=8.2,
        ),
        say="`season.py` is not there yet; the other agent is writing it.",
    )
    run.answer(
        """
        `store.py` (27 lines) and `test_store.py` are written; 4 tests pass.

        - The database is opened with `mode=ro`: a wrong path is now an error instead of an empty
          file, which a test holds.
        - `plant(name)` looks through `plants()` instead of a second statement. With some hundred
          plants that costs nothing, and there is one query to keep.
        """
    )


def _write_the_season(run: Scene) -> None:
    files = run.workspace
    run.act(files.read("src/almanac/app.py", 24, 36), think="")
    run.act(files.write("tests/test_season.py", parts.TEST_SEASON))
    run.wait(11)
    run.act(files.write("src/almanac/season.py", parts.SEASON), think="")
    run.act(
        failing(
            "uv run pytest -q --tb=line tests/test_season.py",
            _LEAP_FAILURE,
            told="Run the season's tests",
            seconds=1.3,
        )
    )
    run.act(
        files.edit(
            "src/almanac/season.py",
            code("""
            def _date(year: int, month: int, day: int) -> dt.date:
                return dt.date(year, month, day)
            """),
            code("""
            def _date(year: int, month: int, day: int) -> dt.date:
                \"\"\"Give a date; what would be 29 February in other years is 1 March.\"\"\"
                return dt.date(year, month, 1) + dt.timedelta(days=day - 1)
            """),
        )
    )
    run.act(
        bash(
            "uv run pytest -q tests/test_season.py",
            pytest_passed(6, 0.02),
            told="Run the season's tests",
            seconds=1.2,
        )
    )
    run.answer(
        """
        `season.py` (28 lines) and `test_season.py` are written; 6 cases pass.

        - `days_left` tries the frost of this year and of the next, so what is sown in November for
          a frost in January is found.
        - 29 February counts as 1 March in other years.

        Both differ from `app.py`, where the first gave nothing and the second raised an error.
        """
    )


def _join_the_parts(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.write("src/almanac/app.py", parts.NEW_APP),
        say="Both are done. Now `app.py` loses its SQL and its dates:",
    )
    scene.act(
        bash("uv run pytest -q", pytest_passed(15, 0.09), told="Run all tests", seconds=2.0),
        bash(
            "uv run ruff check src tests; wc -l src/almanac/*.py",
            _COUNT,
            told="Lint and count",
            seconds=0.4,
        ),
    )
    scene.answer(
        """
        The five old tests pass unchanged, with ten new ones beside them.

        | module | knows | lines |
        |---|---|---:|
        | `season.py` | when a plant is sown | 28 |
        | `store.py` | the database | 27 |
        | `app.py` | HTTP, and how to put the two together | 46 |

        Two answers differ from before, both on purpose: what is sown in November for a frost in
        January is found, and a frost on 29 February no longer ends in an error.
        """
    )


def _look_at_the_difference(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        "I said behaviour stays. But I agree with both. Is a connection still opened per request?",
        after=5.2,
    )
    scene.act(
        files.edit(
            "src/almanac/app.py",
            "    body = _answer(Store(DATABASE), path, query)\n",
            "    body = _answer(_store(DATABASE), path, query)\n",
        ),
        files.edit(
            "src/almanac/app.py",
            "\n\ndef _answer(",
            "\n\n@functools.cache\n"
            "def _store(path: str) -> Store:\n"
            "    return Store(path)\n\n\ndef _answer(",
        ),
        files.edit(
            "src/almanac/app.py",
            "import datetime as dt\nimport json\n",
            "import datetime as dt\nimport functools\nimport json\n",
        ),
        say="""
        It is, and it was never closed either. One store for each path is enough: SQLite may be
        read from several threads, and the import replaces rows within a transaction.
        """,
    )
    scene.act(bash("uv run pytest -q", pytest_passed(15, 0.08), told="Run all tests", seconds=1.9))
    scene.act(
        bash(
            "git add -A && git commit -qm 'app: split off store and season' && git show --stat "
            "--format=%h",
            _STAT,
            told="Commit",
        )
    )
    scene.answer(
        """
        No longer. The tests still use a database of their own, since the store is looked up by
        its path. Committed as `a3d90c6` on `split-app`.
        """
    )
