"""Where a transcript is missing, every sum it belongs to is a lower bound, in archive and files."""

import datetime as dt
import json
from pathlib import Path

import pytest

from clew.analytics import (
    GROUPS,
    FilterSet,
    UsageGroup,
    explain,
    make_overview,
    sessions_in_groups,
)
from clew.archive import open_archive
from clew.render import render_json
from clew.sessions import load
from clew.store import open_any_version
from clew.view import ViewOptions, make_page
from tests.build import Call, SessionBuilder, Usage
from tests.unit.analytics.counting import NOW, answered, count, count_files, session

# Grouped by model, what a missing run used has no row of its own: its model is not known.
KNOWN_GROUPS = [by for by in GROUPS if by != "model"]


def with_agent(name: str = "lost", version: str | None = None) -> SessionBuilder:
    """Give a session whose agent counted files."""
    place = {} if version is None else {"version": version}
    builder = session(name, **place)
    return builder.agent(
        "Count", "Count all files", lambda run: run.assistant("Seven."), agent="Explore"
    )


def write_without_agent(root: Path, builder: SessionBuilder) -> Path:
    """Write a session, and delete the transcripts of its agents."""
    path = builder.write(root)
    for file in path.parent.rglob("agent-*"):
        file.unlink()
    return path


@pytest.mark.parametrize("by", KNOWN_GROUPS)
def test_a_missing_run_makes_every_sum_it_belongs_to_a_lower_bound(tmp_path: Path, by: str) -> None:
    write_without_agent(tmp_path, with_agent())

    report = count(tmp_path, by=by)

    assert "lower_bound" in {row.quality for row in report.rows}
    assert report.totals.quality == "lower_bound"
    assert report.totals.model_calls == 1
    assert [note for note in report.notes if "missing" in note] == [
        "Transcripts of 1 session are missing: their usage is not counted (≥)."
    ]


def test_a_missing_run_is_its_agents_and_no_model(tmp_path: Path) -> None:
    write_without_agent(tmp_path, with_agent())

    agents = {row.key: row for row in count(tmp_path, by="agent").rows}
    models = count(tmp_path, by="model")

    assert (agents["Explore"].quality, agents["Explore"].model_calls) == ("lower_bound", 0)
    assert (agents["Explore"].cost_usd, agents["Explore"].sessions) == (0, 1)
    assert agents["(main thread)"].quality == "exact"
    assert [(row.quality, row.model_calls) for row in models.rows] == [("exact", 1)]
    assert models.totals.quality == "lower_bound"


def test_a_missing_run_counts_on_its_day_alone(tmp_path: Path) -> None:
    builder = session("long").assistant("Yes.").wait(2 * 24 * 60 * 60)
    builder.agent("Count", "Count all files", lambda run: run.assistant("Seven."))
    write_without_agent(tmp_path, builder)

    rows = count(tmp_path, by="day").rows
    earlier = count(tmp_path, by="day", filters=FilterSet(until=f"{rows[1].key}T00:00:00.000Z"))

    assert [row.quality for row in rows] == ["exact", "lower_bound"]
    assert earlier.totals.quality == "exact"


@pytest.mark.parametrize("version", ["1.0.128", "2.0.14", "2.0.76", "2.1.81"])
def test_a_run_whose_transcript_is_there_is_exact(tmp_path: Path, version: str) -> None:
    with_agent(version=version).write(tmp_path)

    assert count(tmp_path, by="session").totals.quality == "exact"


def test_old_clients_do_not_name_the_run_that_is_missing(tmp_path: Path) -> None:
    report = {"content": [], "totalTokens": 900, "totalToolUseCount": 4, "totalDurationMs": 8000}
    call = Call("Task", {"prompt": "Count", "description": "Count"}, "Seven.", report)
    builder = session("old", version="1.0.100").tools(call)

    assert count(tmp_path, builder, by="session").totals.quality == "lower_bound"


def test_a_result_that_cannot_be_read_plainly_still_names_its_run(tmp_path: Path) -> None:
    path = write_without_agent(tmp_path, with_agent())
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for row in lines:
        if "toolUseResult" in row:
            row["toolUseResult"]["totalTokens"] = "many"
    path.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in lines))

    assert count(tmp_path, by="session").totals.quality == "lower_bound"


def test_a_session_without_its_own_transcript_is_a_lower_bound(tmp_path: Path) -> None:
    with_agent().write(tmp_path).unlink()

    for by in KNOWN_GROUPS:
        assert count(tmp_path, by=by).totals.quality == "lower_bound"
    agents = {row.key: row.quality for row in count(tmp_path, by="agent").rows}
    assert agents == {"Explore": "exact", "(main thread)": "lower_bound"}


def test_a_missing_transcript_is_counted_where_no_call_is_left(tmp_path: Path) -> None:
    path = with_agent().write(tmp_path)
    path.unlink()
    (agent,) = path.parent.rglob("agent-*.jsonl")
    agent.write_bytes(agent.read_bytes().splitlines(keepends=True)[0])

    (row,) = count(tmp_path, by="session").rows

    assert (row.model_calls, row.cost_usd, row.quality) == (0, 0, "lower_bound")


def test_a_copied_run_is_missing_where_it_was_started(tmp_path: Path) -> None:
    builder = with_agent("elder")
    fork = builder.fork("fork").user("Again?").assistant("No.")
    write_without_agent(tmp_path, builder)
    write_without_agent(tmp_path, fork)

    rows = {row.key: row.quality for row in count(tmp_path, by="session").rows}

    assert rows == {builder.session_id: "lower_bound", fork.session_id: "exact"}


def test_every_surface_calls_such_a_session_a_lower_bound(tmp_path: Path) -> None:
    root = tmp_path / "root"
    path = write_without_agent(root, with_agent())
    conversation = load(path)

    with open_archive(tmp_path / "home") as archive:
        archive.sync([root], now=NOW)
        (listed,) = archive.sessions()
        (project,) = archive.projects()
        (run,) = archive.agent_runs()
        recent = archive.recent(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        (missing,) = archive.query("SELECT agent_run_id, is_inherited FROM missing_transcript").rows

    shown = json.loads(b"".join(render_json(conversation)))
    assert (listed.missing_runs, listed.usage.quality, project.quality) == (
        1,
        "lower_bound",
        "lower_bound",
    )
    assert (run.quality, run.cost_usd, recent.quality) == ("lower_bound", None, "lower_bound")
    assert missing == (run.id, 0)
    assert shown["totals"]["usage"]["quality"] == "lower_bound"
    assert [turn["usage"]["quality"] for turn in shown["turns"]] == ["lower_bound"]
    assert [lost["usage"]["quality"] for lost in shown["agent_runs"]] == ["lower_bound"]
    assert make_page(conversation, ViewOptions()).frame.header.spent.quality == "lower_bound"
    assert explain(conversation).totals.quality == "lower_bound"


def test_a_missing_run_is_no_call_of_an_hour_or_a_day(tmp_path: Path) -> None:
    root = tmp_path / "root"
    builder = session()
    builder.agent("Count", "Count all files", lambda run: run.wait(3600).assistant("Seven."))
    builder.write(root).unlink()

    with open_archive(tmp_path / "home") as archive:
        archive.sync([root], now=NOW)
        sums = list(open_any_version(archive.location).counted_calls(FilterSet(), 13))
    overview = make_overview(sums, dt.UTC, FilterSet(), {})
    hours = [hour for day in overview.hours for hour in day if hour.sessions]

    assert [(hour.calls, hour.sessions) for hour in hours] == [(1, 1)]
    assert [day.model for day in overview.days] == ["Opus 5.5"]
    groups = [
        UsageGroup("hour", "sun-09"),
        UsageGroup("hour", "sun-10"),
        UsageGroup("day", "2026-11-01"),
    ]
    counted = [sessions_in_groups(sums, [group], dt.UTC, FilterSet()) for group in groups]
    assert [len(sessions) for sessions in counted] == [0, 1, 1]


def test_what_is_whole_has_no_note_of_missing_transcripts(tmp_path: Path) -> None:
    report = count(tmp_path, answered(Usage(output=5)))

    assert not any("missing" in note for note in report.notes)


def test_an_agent_that_is_counted_apart_misses_nothing(tmp_path: Path) -> None:
    path = with_agent().write(tmp_path)
    (agent,) = path.parent.rglob("agent-*.jsonl")

    assert count_files(agent).totals.quality == "exact"
    assert count_files(agent.parent).totals.quality == "exact"


def test_a_transcript_that_cannot_be_read_is_missing(tmp_path: Path) -> None:
    path = with_agent().write(tmp_path)
    (agent,) = path.parent.rglob("agent-*.jsonl")
    agent.unlink()
    agent.symlink_to(agent.name)

    assert count_files(tmp_path).totals.quality == "lower_bound"


def test_runs_that_progress_rows_tell_of_are_not_missing(tmp_path: Path) -> None:
    agent_id, told = "a1b2c3", SessionBuilder("told").user("Count").assistant("Seven.")
    report = {"status": "completed", "agentId": agent_id, "totalTokens": 900}
    builder = session("progress", version="2.1.15")
    for row in told.rows:
        if row["type"] in ("user", "assistant"):
            told_row = {"type": row["type"], **row}
            builder.progress("agent_progress", call_id="c1", agentId=agent_id, message=told_row)
    builder.tools(Call("Task", {"prompt": "Count"}, "Seven.", report, id="c1"))

    assert count(tmp_path, builder, by="session").totals.quality == "exact"
