"""Sessions as a table."""

import datetime as dt
import io
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from clew.archive import open_archive
from clew.cli.session_table import print_sessions, when
from clew.store import SessionOverview
from tests.build import SessionBuilder, bash

NOW = dt.datetime(2026, 11, 15, 10, 30, tzinfo=dt.UTC)


@pytest.fixture
def overview(tmp_path: Path) -> SessionOverview:
    """Give a session."""
    session = SessionBuilder(branch="feature/with-a-very-long-name").user("Fix 上传器 " * 20)
    session.tools(bash("ls", "a")).assistant("Done.")
    session.write(tmp_path / "root")
    with open_archive(tmp_path / "home") as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        return next(archive.sessions())


def table(sessions: list[SessionOverview], width: int, *, is_terminal: bool = True) -> list[str]:
    """Print a table and give its lines."""
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=is_terminal, color_system=None)
    print_sessions(sessions, console, NOW)
    return out.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 250])
def test_a_table_is_no_wider_than_the_terminal(overview: SessionOverview, width: int) -> None:
    assert [line for line in table([overview], width) if cell_len(line) > width] == []


def test_narrow_tables_have_fewer_columns(overview: SessionOverview) -> None:
    counts = [len(table([overview], width)[0].split()) for width in (60, 80, 100, 140, 250)]

    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (4, 13)


def test_elsewhere_nothing_is_cut(overview: SessionOverview) -> None:
    [_, row] = table([overview], 60, is_terminal=False)

    assert "feature/with-a-very-long-name" in row


def test_a_worktree_is_named_after_its_repository(overview: SessionOverview) -> None:
    session = msgspec.structs.replace(overview, project="/home/mira/code/cli/.worktrees/2")

    assert "cli / 2" in table([session], 140)[1]


def test_ids_are_as_long_as_it_takes_to_tell_them_apart(overview: SessionOverview) -> None:
    twins = [msgspec.structs.replace(overview, id=f"1234567890-{end}") for end in "ab"]

    assert [line.split()[0] for line in table(twins, 100)[1:]] == ["1234567890-a", "1234567890-b"]


@pytest.mark.parametrize(
    ("time", "written"),
    [
        ("2026-11-04T08:05:00.000Z", " 4 Nov 08:05"),
        ("2025-11-14T08:05:00.000Z", "14 Nov 2025"),
        (None, ""),
        ("soon", ""),
    ],
)
def test_a_time_of_another_year_is_told_with_the_year(time: str | None, written: str) -> None:
    assert when(time, NOW) == written
