"""Thousands of small sessions, for lists that must stay quick."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from tests.build import SessionBuilder

PROJECTS: Final = ("harbour", "orchard", "quarry", "lantern", "meadow")
_FIRST: Final = datetime(2026, 3, 1, 8, tzinfo=UTC)
_TOOL_EVERY: Final = 10


def write_many(root: Path, count: int) -> None:
    """Write so many sessions below a root: each half an hour after the one before it."""
    for number in range(count):
        _session(number).write(root)


def title_of(number: int) -> str:
    """Give the words that the first prompt of a session begins with."""
    return f"Task {number:04} in {PROJECTS[number % len(PROJECTS)]}"


def _session(number: int) -> SessionBuilder:
    project = PROJECTS[number % len(PROJECTS)]
    builder = SessionBuilder(f"many-{number}", cwd=f"/home/dev/code/{project}")
    builder.at((_FIRST + timedelta(minutes=30 * number)).isoformat())
    builder.user(f"{title_of(number)}: count the crates and tell me")
    if number % _TOOL_EVERY == 0:
        builder.tool("Bash", {"command": "ls crates"}, "no such folder", error=True)
    return builder.assistant(f"There are {number} crates.")
