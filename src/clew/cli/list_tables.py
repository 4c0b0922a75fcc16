"""The tables of `clew list` other than that of sessions."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from clew.analytics import display_name
from clew.cli.session_table import choose_sign, cost, id_width, model_names, project_name, when
from clew.cli.table import Column, print_table
from clew.cli.text import size
from clew.conversation import MISSING
from clew.render import duration, scaled, waiting_time
from clew.store import (
    AgentRunOverview,
    FileOverview,
    FileUse,
    ProjectOverview,
    ToolCallOverview,
)

_PATH_WIDTH: Final = 40


def print_projects(projects: Sequence[ProjectOverview], console: Console, now: dt.datetime) -> None:
    """Print a line for each project."""
    sign = choose_sign(console)
    columns: list[Column[ProjectOverview]] = [
        Column("when", lambda project: when(project.ended_at, now), is_number=True),
        Column("project", lambda project: project.project, takes_rest=True, is_path=True),
        Column("sessions", lambda project: f"{project.sessions:,}", 1, is_number=True),
        Column("prompts", lambda project: f"{project.prompts:,}", 6, is_number=True),
        Column("calls", lambda project: f"{project.tool_calls:,}", 5, is_number=True),
        Column("tokens", lambda project: scaled(project.total_tokens), 3, is_number=True),
        Column(
            "cost", lambda project: cost(project.cost_usd, project.quality, sign), 2, is_number=True
        ),
        Column("active", lambda project: duration(project.active_ms), 4, is_number=True),
    ]
    print_table(columns, projects, console)


def print_tool_calls(calls: Sequence[ToolCallOverview], console: Console, now: dt.datetime) -> None:
    """Print a line for each tool call."""
    width = id_width(call.session_id for call in calls)
    columns: list[Column[ToolCallOverview]] = [
        Column("when", lambda call: when(call.started_at, now), is_number=True),
        Column("tool", lambda call: call.tool),
        Column("what", lambda call: call.label, takes_rest=True),
        Column("status", lambda call: call.status, 1),
        Column("took", _call_time, 3, is_number=True),
        Column("result", lambda call: size(call.result_bytes), 6, is_number=True),
        Column("session", lambda call: call.session_id[:width], 2),
        Column("project", lambda call: project_name(call.project), 4),
        Column("agent", lambda call: call.agent or "", 5),
        Column("model", lambda call: display_name(call.model) if call.model else "", 7),
    ]
    if any(map(_waiting_time, calls)):
        columns.insert(5, Column("waited", _waiting_time, 8, is_number=True))
    print_table(columns, calls, console)


def print_agent_runs(runs: Sequence[AgentRunOverview], console: Console, now: dt.datetime) -> None:
    """Print a line for each agent run."""
    sign = choose_sign(console)
    width = id_width(run.session_id for run in runs)
    columns: list[Column[AgentRunOverview]] = [
        Column("when", lambda run: when(run.started_at, now), is_number=True),
        Column("agent", lambda run: run.agent),
        Column("description", lambda run: run.description, takes_rest=True),
        Column("status", lambda run: run.status, 5),
        Column("calls", lambda run: _known(run, f"{run.tool_calls:,}"), 6, is_number=True),
        Column("tokens", lambda run: _known(run, scaled(run.total_tokens)), 4, is_number=True),
        Column(
            "cost",
            lambda run: _known(run, cost(run.cost_usd, run.quality, sign)),
            2,
            is_number=True,
        ),
        Column("took", _run_time, 3, is_number=True),
        Column("session", lambda run: run.session_id[:width], 1),
        Column("project", lambda run: project_name(run.project), 7),
        Column("models", lambda run: model_names(run.models), 8),
    ]
    print_table(columns, runs, console)


def print_files(files: Sequence[FileOverview], console: Console, now: dt.datetime) -> None:
    """Print a line for each file."""
    columns: list[Column[FileOverview]] = [
        Column("when", lambda file: when(file.last_at, now), is_number=True),
        Column("file", lambda file: file.path, takes_rest=True, is_path=True, least=_PATH_WIDTH),
        Column("sessions", lambda file: f"{file.sessions:,}", 1, is_number=True),
        Column("reads", lambda file: f"{file.reads:,}", 3, is_number=True),
        Column("changes", lambda file: f"{file.changes:,}", 2, is_number=True),
        Column("lines", _file_lines, 4, is_number=True),
    ]
    print_table(columns, files, console)


def print_file_uses(uses: Sequence[FileUse], console: Console, now: dt.datetime) -> None:
    """Print a line for each session that read or changed a file."""
    width = id_width(use.session_id for use in uses)
    paths = {use.path for use in uses}
    columns: list[Column[FileUse]] = [
        Column("session", lambda use: use.session_id[:width]),
        Column("when", lambda use: when(use.last_at, now), is_number=True),
        Column("title", lambda use: use.title or "(no title)", takes_rest=True),
        Column("reads", lambda use: f"{use.reads:,}", 2, is_number=True),
        Column("changes", lambda use: f"{use.changes:,}", 1, is_number=True),
        Column("lines", _file_lines, 3, is_number=True),
        Column("project", lambda use: project_name(use.project), 5),
    ]
    if len(paths) > 1:
        path = Column[FileUse]("file", lambda use: use.path, 4, is_path=True, widest=_PATH_WIDTH)
        columns.insert(3, path)
    print_table(columns, uses, console)


def _known(run: AgentRunOverview, figure: str) -> str:
    """Leave a cell empty if the run's transcript is missing: nothing is known."""
    return "" if run.status == MISSING else figure


def _call_time(call: ToolCallOverview) -> str:
    return "" if call.duration_ms is None else duration(call.duration_ms)


def _waiting_time(call: ToolCallOverview) -> str:
    return waiting_time(call.waiting_ms, call.waiting_quality).removeprefix("waited ")


def _run_time(run: AgentRunOverview) -> str:
    return "" if run.duration_ms is None else duration(run.duration_ms)


def _file_lines(file: FileOverview | FileUse) -> str:
    if not file.changes:
        return ""
    least = "≥ " if file.lines_quality == "lower_bound" else ""
    return f"{least}+{file.lines_added:,} -{file.lines_removed:,}"
