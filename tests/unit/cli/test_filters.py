"""The common filters."""

import datetime as dt

import pytest

from clew.cli.filters import matches, matches_model, matches_project, parse_since, parse_until

ZONE = dt.timezone(dt.timedelta(hours=2))
NOW = dt.datetime(2026, 11, 15, 10, 30, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2026-11-14", "2026-11-14T00:00", "2026-11-15T00:00"),
        ("today", "2026-11-15T00:00", "2026-11-16T00:00"),
        ("Yesterday", "2026-11-14T00:00", "2026-11-15T00:00"),
        ("12h", "2026-11-14T22:30", "2026-11-14T22:30"),
        ("7d", "2026-11-08T10:30", "2026-11-08T10:30"),
        ("2w", "2026-11-01T10:30", "2026-11-01T10:30"),
        ("2026-11-14T09:00", "2026-11-14T09:00", "2026-11-14T09:00"),
        ("2026-11-14T09:00Z", "2026-11-14T11:00", "2026-11-14T11:00"),
    ],
)
def test_a_time_is_read_in_the_zone_of_now_and_a_day_lasts_a_day(
    text: str, since: str, until: str
) -> None:
    found = (parse_since(text, NOW), parse_until(text, NOW))

    assert found == tuple(dt.datetime.fromisoformat(f"{time}+02:00") for time in (since, until))


@pytest.mark.parametrize("text", ["", "soon", "7x", "2026-13-01", "d", "99999w99", "2026-11-1x"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert parse_since(text, NOW) is None


def test_a_time_before_all_time_is_none() -> None:
    assert parse_since("99999w", NOW.replace(year=100)) is None


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [(None, True), ("bash", True), ("mcp__*", True), ("mcp", False), ("Re?d", False)],
)
def test_a_name_matches_whole_or_by_a_pattern(pattern: str | None, *, expected: bool) -> None:
    assert matches(pattern, ["Bash", "mcp__linear__get"]) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("opus", True), ("Opus 5.5", True), ("opus-5", True), ("haiku", False)],
)
def test_a_model_matches_by_part_of_its_id_or_name(pattern: str, *, expected: bool) -> None:
    assert matches_model(pattern, ["claude-opus-5-5"]) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("uploader", True),
        ("UP", True),
        ("/home/dev", True),
        ("/home/dev/uploader", True),
        ("/home/dev/uploader/", True),
        ("/home/dev/up", False),
    ],
)
def test_a_project_matches_by_a_part_or_by_a_folder_above(pattern: str, *, expected: bool) -> None:
    assert matches_project(pattern, "/home/dev/uploader") is expected


def test_a_dot_is_where_we_are(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path_factory.mktemp("here").resolve()
    monkeypatch.chdir(here)

    assert matches_project(".", str(here))
    assert not matches_project(".", str(here.parent))
