"""Filters as statements take them, and which files a path means."""

import datetime as dt
from pathlib import Path

import pytest

from clew.analytics import FilterSet
from clew.archive import Archive
from clew.store import Home, open_any_version
from clew.store.filters import choose_paths, filter_parameters
from tests.build import SessionBuilder, read

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Give an archive with two projects, two models and a branch."""
    first = SessionBuilder("first", cwd="/home/dev/alpha", branch="Fix/A").user("hi")
    first.tools(read("/home/dev/alpha/a.py", "x")).assistant("ok").write(tmp_path / "root")
    second = SessionBuilder("second", cwd="/home/dev/beta").model("claude-haiku-4-5")
    second.user("hi").assistant("ok").write(tmp_path / "root")
    archive = Archive(Home(tmp_path / "home"))
    archive.sync([tmp_path / "root"], now=NOW)
    return archive


def test_without_filters_everything_is_let_through(archive: Archive) -> None:
    assert set(
        filter_parameters(open_any_version(archive.location).database, FilterSet()).values()
    ) == {None}


@pytest.mark.parametrize(
    ("filters", "name", "expected"),
    [
        (FilterSet(branch="fix/*"), "branch", ["Fix/A"]),
        (FilterSet(model="Haiku 4.5"), "model", ["claude-haiku-4-5"]),
        (FilterSet(tool="re*"), "tool", ["Read"]),
        (FilterSet(tool="nothing"), "tool", []),
        (FilterSet(agent="explore"), "agent", []),
    ],
)
def test_a_filter_becomes_the_values_that_are_meant(
    archive: Archive, filters: FilterSet, name: str, expected: list[str]
) -> None:
    chosen = filter_parameters(open_any_version(archive.location).database, filters)

    assert chosen[name] == expected


def test_a_project_becomes_its_number(archive: Archive) -> None:
    database = open_any_version(archive.location).database

    numbers = filter_parameters(database, FilterSet(project="BETA"))["project"]
    assert isinstance(numbers, list)

    paths = [(path,) for number, path, _ in database.rows("known_project") if number in numbers]
    assert paths == [("/home/dev/beta",)]


def test_paths_are_chosen_among_those_that_were_touched(archive: Archive) -> None:
    database = open_any_version(archive.location).database

    assert choose_paths(database, "a.py") == ["/home/dev/alpha/a.py"]
    assert choose_paths(database, "b.py") == []


@pytest.mark.parametrize("name", ["a*.py", "[a]*?.py", "a?.py", "[id].ts", "b\x00*.py"])
def test_a_file_with_signs_of_a_pattern_in_its_name_is_found_alone(
    tmp_path: Path, name: str
) -> None:
    paths = [f"/home/dev/{name}", "/home/dev/ab.py", "/home/dev/i.ts", "/home/dev/b\x00b.py"]
    session = SessionBuilder("names").user("hi")
    for path in paths:
        session.tools(read(path, "x"))
    session.assistant("ok").write(tmp_path / "root")
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)

        uses = list(archive.file_uses(paths[0]))

        assert [use.path for use in uses] == [paths[0].replace("\x00", " ")]
