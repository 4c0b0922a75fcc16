"""The tables of `clew list`: which columns, and how they are cut."""

import datetime as dt
import io
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from clew.cli.list_tables import (
    print_agent_runs,
    print_file_uses,
    print_files,
    print_projects,
    print_tool_calls,
)
from clew.store import AgentRunOverview, FileOverview, FileUse, ProjectOverview, ToolCallOverview

NOW = dt.datetime(2026, 11, 15, 10, 30, tzinfo=dt.UTC)
AT = "2026-11-04T08:05:00.000Z"
PATH = "/home/dev/code/a-project-with-a-long-name/src/package/module/implementation.py"
PROJECT = ProjectOverview(
    "/home/dev/code/" + "deep/" * 20,
    "deep",
    12,
    30,
    1200,
    4,
    2,
    7_200_000,
    AT,
    AT,
    10**6,
    None,
    3,
    "lower_bound",
)
CALL = ToolCallOverview(
    "toolu_1", "5115da67-3028", "/home/dev/code/demo", "Bash", "uv run pytest " * 9, "failed",
    AT, 12_400, 30, 2_000, "claude-opus-5-5", "Explore", "a1", 3,
)  # fmt: skip
RUN = AgentRunOverview(
    "a1", "5115da67-3028", "/home/dev/code/demo", "Explore", "Look for 上传器 " * 9, "agent",
    "done", 1, AT, AT, None, 20, 14, ("claude-haiku-4-5",), 240_000, 0.46, 1, "lower_bound", None,
    None,
    is_hidden=False,
)  # fmt: skip
FILE = FileOverview(PATH, 3, 10, 4, 120, 7, AT, AT)
USE = FileUse("5115da67-3028", "Fix the retry bug " * 9, "/home/dev/demo", PATH, 3, 0, 0, 0, AT, AT)

Print = Callable[[Any, Console, dt.datetime], None]
TABLES: list[tuple[Print, Any]] = [
    (print_projects, PROJECT),
    (print_tool_calls, CALL),
    (print_agent_runs, RUN),
    (print_files, FILE),
    (print_file_uses, USE),
]


def table(show: Print, items: list[Any], width: int) -> list[str]:
    """Print a table on a terminal, and give its lines."""
    out = io.StringIO()
    show(items, Console(file=out, width=width, force_terminal=True, color_system=None), NOW)
    return out.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize(("show", "item"), TABLES)
@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_a_table_is_no_wider_than_the_terminal(show: Print, item: Any, width: int) -> None:
    assert [line for line in table(show, [item], width) if cell_len(line) > width] == []


def test_short_texts_leave_room_for_other_columns() -> None:
    short = msgspec.structs.replace(CALL, label="Run all tests")

    assert "project" in table(print_tool_calls, [short], 72)[0]
    assert "project" not in table(print_tool_calls, [CALL], 72)[0]


@pytest.mark.parametrize(("show", "item"), TABLES)
def test_wider_terminals_show_no_fewer_columns(show: Print, item: Any) -> None:
    counts = [len(table(show, [item], width)[0].split()) for width in (60, 80, 140, 250)]

    assert counts == sorted(counts)
    assert counts[0] >= 2


def test_of_a_path_the_end_is_kept() -> None:
    [_, row] = table(print_files, [FILE], 80)

    assert "…" in row
    assert "implementation.py" in row


def test_a_cost_says_how_far_it_is_known() -> None:
    inherited = msgspec.structs.replace(RUN, cost_usd=0.0, quality="inherited")

    assert " unpriced " in table(print_projects, [PROJECT], 140)[1]
    assert " ≥ $0.46 " in table(print_agent_runs, [RUN], 140)[1]
    assert " inherited " in table(print_agent_runs, [inherited], 140)[1]


def test_several_files_are_told_apart() -> None:
    other = msgspec.structs.replace(USE, path="/home/dev/other.py")

    assert "file" in table(print_file_uses, [USE, other], 140)[0].split()
    assert "file" not in table(print_file_uses, [USE], 140)[0].split()


def test_times_stand_below_each_other() -> None:
    later = msgspec.structs.replace(FILE, last_at="2026-11-14T18:00:00.000Z")

    [_, first, second] = table(print_files, [FILE, later], 80)

    assert (first.index("08:05"), second.index("18:00")) == (7, 7)
