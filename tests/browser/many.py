"""Thousands of small sessions, for lists that must stay quick."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from tests.build import SessionBuilder, bash, edit

PROJECTS: Final = ("harbour", "orchard", "quarry", "lantern", "meadow")
LONG_WORD: Final = "crate" * 60
"""A word that no line of a page has room for."""
_FIRST: Final = datetime(2026, 3, 1, 8, tzinfo=UTC)
_TOOL_EVERY: Final = 10
_EDIT_EVERY: Final = 7
_RUN_EVERY: Final = 45
_WORKTREE_EVERY: Final = 33
_LONG_EVERY: Final = 71
_LABELS: Final = "crates = 1\n"


def write_many(root: Path, count: int) -> None:
    """Write so many sessions below a root: each half an hour after the one before it."""
    for number in range(count):
        _session(number).write(root)


def title_of(number: int) -> str:
    """Give the words that the first prompt of a session begins with."""
    return f"Task {number:04} in {PROJECTS[number % len(PROJECTS)]}"


def file_of(number: int) -> str:
    """Give the file that a session changes, if it is one of those that change any."""
    return f"{_folder(number)}/src/{'deeply/nested/' * (number % 4)}crates_{number % 90}.py"


def _folder(number: int) -> str:
    folder = f"/home/dev/code/{PROJECTS[number % len(PROJECTS)]}"
    is_apart = number % _WORKTREE_EVERY == 0
    return f"{folder}/.claude/worktrees/{number % 4}" if is_apart else folder


def _session(number: int) -> SessionBuilder:
    builder = SessionBuilder(f"many-{number}", cwd=_folder(number))
    builder.at((_FIRST + timedelta(minutes=30 * number)).isoformat())
    more = f" {LONG_WORD}" if number % _LONG_EVERY == 0 else ""
    builder.user(f"{title_of(number)}: count the crates and tell me{more}")
    if number % _TOOL_EVERY == 0:
        builder.tool("Bash", {"command": "ls crates"}, "no such folder", error=True)
    if number % _EDIT_EVERY == 0:
        builder.tools(edit(file_of(number), _LABELS, "1", str(number)))
    if number % _RUN_EVERY == 0:
        builder.agent("Count twice", "Count the crates again.", _count_again)
    return builder.assistant(f"There are {number} crates.")


def _count_again(run: SessionBuilder) -> None:
    run.tools(bash("ls | wc -l", "12")).assistant("Twelve.")
