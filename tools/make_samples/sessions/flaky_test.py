"""A flaky test, counted in the background by a Sonnet."""

from typing import Final

from tools.make_samples.calls import bash, not_installed
from tools.make_samples.models import SONNET
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.outputs import pytest_passed
from tools.make_samples.projects import ferry
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_LOOP: Final = (
    "for i in $(seq 200); do uv run pytest -q tests/test_journal.py | tail -1; done | "
    "sed -E 's/ in .*//' | sort | uniq -c"
)


def build() -> Scene:
    """Act the session."""
    setting = Setting(
        at="2026-10-14T08:37:12Z",
        title="Make the journal's flaky test reliable",
        branch="flaky-journal",
        model=SONNET,
    )
    scene = open_scene("flaky-test", Workspace(ferry.ROOT, ferry.FILES), setting)
    _count_failures(scene)
    _explain(scene)
    _mend(scene)
    return scene.end()


def _count_failures(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        `test_a_changed_file_is_not_resumed` fails now and then, here and in CI, and passes when I
        run it again. Can you find out why?
        """,
        after=0,
    )
    scene.act(
        files.read("tests/test_journal.py"),
        files.read("src/ferry/journal.py", 40, 44),
        say="First the test, and what it depends on.",
    )
    scene.work_aside(_LOOP, "Run the journal's tests 200 times", name="count")
    scene.answer(
        """
        I have a suspicion, but I would like a number before I touch anything. The tests run 200
        times in the background now; that takes about four minutes.

        The suspicion: `_key` is made of path, size and time of the last change. The test writes
        `first` and then `other`, **five letters each**. If both writes fall into the same tick of
        the file system's clock, all three parts are equal, and the changed file looks unchanged.
        """,
        think="""
        Same size, same path. So only st_mtime_ns differs, and that moves with the kernel's timer,
        every 1 to 10 ms, not every nanosecond. Two writes within one tick give the same value. The
        faster the machine, the more often.
        """,
    )


def _explain(scene: Scene) -> None:
    scene.wait(246)
    scene.report("count", "completed (exit code 0)")
    scene.act(
        bash(
            f"cat {scene.output_of('count')}",
            "     23 1 failed, 2 passed\n    177 3 passed",
            told="Read the counts",
        ),
    )
    scene.answer(
        """
        23 of 200 runs fail. That fits a clock which ticks once a millisecond: the two writes are
        almost that far apart, so a tick usually falls between them, and sometimes none does.

        The test is wrong, not the code: nobody edits a film within a millisecond. I would set the
        time of the change in the test instead of hoping for the clock.
        """
    )


def _mend(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt("Convincing. Do that.", after=1.1)
    scene.act(
        files.edit(
            "tests/test_journal.py",
            '    file.write_text("other")\n',
            '    file.write_text("other")\n'
            "    # Both writes may fall into one tick of the file system's clock.\n"
            "    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))\n",
        ),
        files.edit(
            "tests/test_journal.py",
            "from pathlib import Path\n\nimport pytest\n",
            "import os\nfrom pathlib import Path\n\nimport pytest\n",
        ),
    )
    scene.act(not_installed("pytest", "pytest -q", told="Run all tests"))
    scene.act(
        bash("uv run pytest -q", pytest_passed(7, 0.05), told="Run all tests", seconds=1.8),
    )
    scene.work_aside(_LOOP, "Run the journal's tests 200 times", name="again")
    scene.say("It passes. To be sure, the same 200 runs once more, in the background.")
    scene.builder.turn_duration()
    scene.wait(239)
    scene.report("again", "completed (exit code 0)")
    scene.act(bash(f"cat {scene.output_of('again')}", "    200 3 passed", told="Read the counts"))
    scene.answer("200 of 200. The test no longer depends on the clock.")
