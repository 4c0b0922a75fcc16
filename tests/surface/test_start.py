"""What commands import when nothing is new: every module makes each of them start later."""

import subprocess
import sys
from pathlib import Path

import pytest

from clew.cli import main
from tests.build import SessionBuilder

HEAVY = {
    "asyncio",
    "concurrent.futures",
    "email",
    "multiprocessing",
    "litestar",
    "jinja2",
    "tomllib",
    "clew.conversation.build",
    "clew.entries.decode",
    "clew.export",
    "clew.preview",
    "clew.redact",
    "clew.render.html",
    "clew.render.terminal",
    "clew.sessions",
    "clew.store.jobs",
    "clew.store.rows",
    "clew.tools",
    "clew.view",
    "clew.web",
}
SEARCH = {"clew.search", "clew.search.find"}
CODE = "import sys; from clew.cli import main; main(sys.argv[1:]); print(*sys.modules)"


@pytest.fixture
def archived(machine: Path) -> Path:
    """Give a machine with a session that is archived."""
    SessionBuilder("one").user("Find the retry bug").assistant("Found it.").write(machine)
    assert main(["sync"]) == 0
    return machine


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["list"], HEAVY | SEARCH),
        (["list", "--json"], HEAVY | SEARCH),
        (["usage"], HEAVY | SEARCH),
        (["search", "retry"], HEAVY),
        (["sync"], HEAVY | SEARCH),
        ([], HEAVY | SEARCH),
    ],
)
def test_commands_import_only_what_they_use(words: list[str], heavy: set[str]) -> None:
    modules = imported_by(*words)

    assert "clew.archive" in modules
    assert modules & heavy == set()


@pytest.mark.usefixtures("archived")
def test_what_is_new_is_archived_with_more_code(archived: Path) -> None:
    SessionBuilder("two").user("Again").write(archived)

    assert {"clew.conversation.build", "clew.store.jobs"} <= imported_by("list")


def imported_by(*words: str) -> set[str]:
    """Run a command in a process of its own and return the modules that it has imported."""
    line = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(line, capture_output=True, text=True, check=True)  # noqa: S603
    return set(done.stdout.splitlines()[-1].split())
