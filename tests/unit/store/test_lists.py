"""Lists: the columns of each statement are the fields of its struct."""

import datetime as dt
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.analytics import FilterSet, UsageGroup
from clew.archive import Archive, Order
from clew.store import (
    SORTS,
    AgentRunOverview,
    FileOverview,
    FileUse,
    Home,
    ProjectOverview,
    ToolCallOverview,
    open_any_version,
)
from clew.store.filters import filter_parameters
from tests.build import SessionBuilder, Usage, read

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Give an archive with a session, and a fork of it that adds nothing; all tests only read."""
    folder = tmp_path_factory.mktemp("lists")
    session = SessionBuilder("first").user("hi").tools(read("/home/dev/a.py", "x"))
    session.agent("Look", "Look.", lambda run: run.assistant("Seen."), agent="Explore")
    session.assistant("ok", usage=Usage(output=50)).write(folder / "root")
    session.fork("fork", marked=True).user("Again").write(folder / "root")
    archive = Archive(Home(folder / "home"))
    archive.sync([folder / "root"], now=NOW)
    return archive


@pytest.mark.parametrize(
    ("name", "kind", "own"),
    [
        ("list_projects", ProjectOverview, ()),
        ("list_tool_calls", ToolCallOverview, ()),
        ("list_agent_runs", AgentRunOverview, ("duration_ms",)),
        ("list_files", FileOverview, ()),
        ("list_file_uses", FileUse, ()),
    ],
)
def test_the_columns_of_a_statement_are_the_fields_of_its_struct(
    archive: Archive, name: str, kind: type[msgspec.Struct], own: tuple[str, ...]
) -> None:
    database = open_any_version(archive.location).database
    order = {"sort": "when", "limit": 1, "with_hidden": 0, "paths": None}

    row = next(database.records(name, {**filter_parameters(database, FilterSet()), **order}))

    assert list(row) == [field for field in kind.__struct_fields__ if field not in own]


def test_the_tools_of_a_session_of_warm_ups_are_counted(tmp_path: Path) -> None:
    session = SessionBuilder("warm").user("Hi")
    session.agent("Warm", "Warmup", lambda run: run.tools(read("/home/dev/a.py", "x")))
    session.write(tmp_path / "root").write_bytes(b"")
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)

        assert [(stats.tool, stats.calls) for stats in archive.tool_stats()] == [("Read", 1)]


@pytest.mark.parametrize(("what", "sort"), [(w, s) for w, sorts in SORTS.items() for s in sorts])
def test_every_sort_lists_the_same_in_some_order(archive: Archive, what: str, sort: str) -> None:
    lists = {
        "sessions": archive.sessions,
        "projects": archive.projects,
        "tool_calls": archive.tool_calls,
        "agent_runs": archive.agent_runs,
        "files": archive.files,
    }

    found = list(lists[what](order=Order(sort)))

    assert sorted(map(repr, found)) == sorted(map(repr, lists[what]()))
    assert found


@pytest.mark.parametrize("sort", SORTS["sessions"])
def test_a_limit_lists_the_first_of_all_with_the_same_figures(archive: Archive, sort: str) -> None:
    everything = list(archive.sessions(order=Order(sort)))

    assert list(archive.sessions(order=Order(sort, limit=1))) == everything[:1]


@pytest.mark.parametrize(
    "filters",
    [FilterSet(), FilterSet(tool="Read"), FilterSet(agent="Explore"), FilterSet(model="no")],
)
@pytest.mark.parametrize("order", [Order(), Order(with_hidden=True)])
@pytest.mark.parametrize("what", [*SORTS, "file_uses"])
def test_as_many_are_counted_as_are_listed(
    archive: Archive, what: str, order: Order, filters: FilterSet
) -> None:
    path = "/home/dev/a.py" if what == "file_uses" else None
    lists: dict[str, Any] = {
        "sessions": archive.sessions,
        "projects": archive.projects,
        "tool_calls": archive.tool_calls,
        "agent_runs": archive.agent_runs,
        "files": archive.files,
        "file_uses": partial(archive.file_uses, path or ""),
    }

    listed = list(lists[what](filters, order))

    assert archive.count(what, filters, msgspec.structs.replace(order, limit=1), path) == len(
        listed
    )


def test_a_fork_is_not_charged_for_what_it_copied(archive: Archive) -> None:
    [fork, first] = sorted(archive.sessions(), key=lambda session: session.total_tokens)

    assert (fork.forked_from, fork.total_tokens, fork.cost_usd) == (first.id, 0, 0)
    assert (fork.usage.quality, first.usage.quality) == ("inherited", "exact")


def test_a_session_that_lasted_is_found_by_any_moment_of_it(archive: Archive) -> None:
    [later, _] = archive.sessions()

    assert list(archive.sessions(FilterSet(since=later.ended_at, until=later.ended_at))) == [later]
    assert list(archive.sessions(FilterSet(until=later.started_at))) == []


def test_a_limit_in_the_archive_is_kept(archive: Archive) -> None:
    assert len(list(archive.sessions(order=Order(limit=1)))) == 1


def test_tools_are_counted_as_the_filters_say(archive: Archive) -> None:
    [fork] = [session for session in archive.sessions() if session.forked_from]

    def tools(**asked: str) -> dict[str, int]:
        return {stats.tool: stats.calls for stats in archive.tool_stats(FilterSet(**asked))}

    everything = tools()
    assert everything.keys() > {"Read"}
    assert sum(tools(session=fork.id).values()) < sum(everything.values())
    assert tools(tool="Read") == {"Read": everything["Read"]}
    assert tools(session="none") == tools(model="none") == tools(branch="none") == {}


def test_the_sessions_of_a_tool_are_those_it_is_counted_in(archive: Archive) -> None:
    for stats in archive.tool_stats():
        found = archive.sessions_in_groups([UsageGroup("tool", stats.tool)])

        assert len(found) == stats.sessions
        assert archive.sessions_in_groups([UsageGroup("failed", stats.tool)]) == frozenset()


def test_sessions_are_counted_where_all_groups_count_them(archive: Archive) -> None:
    called = archive.sessions_in_groups([UsageGroup("any")])
    [first] = [session.id for session in archive.sessions() if not session.forked_from]

    assert first in called
    assert archive.sessions_in_groups([UsageGroup("any"), UsageGroup("tool", "Read")]) == {first}
    assert (
        archive.sessions_in_groups([UsageGroup("any"), UsageGroup("tool", "None")]) == frozenset()
    )
    assert archive.sessions_in_groups([]) == frozenset()
