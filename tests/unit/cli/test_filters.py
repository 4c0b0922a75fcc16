"""The common filters."""

import datetime as dt

import click
import click.testing
import pytest

from clew.analytics import FILTERS, Filter, FilterSet
from clew.cli.filters import FilteredCommand, filter_options
from clew.clock import parse_since, parse_until

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


def test_a_dot_is_where_we_are(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path_factory.mktemp("here").resolve()
    monkeypatch.chdir(here)

    assert _parse("--project", ".") == FilterSet(project=str(here))
    assert _parse("--project", "here") == FilterSet(project="here")


@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.name)
def test_every_filter_is_an_option(each: Filter) -> None:
    values = {"WHEN": "2026-11-14T00:00:00.000Z", "OUTCOME": "done", "[yes|no]": "yes"}
    value = values.get(each.metavar, "2.1")

    assert _parse(f"--{each.word}", value) == FilterSet(**{each.name: value})


def test_help_lists_filters_apart() -> None:
    text = click.testing.CliRunner().invoke(_command(), ["--help"]).output

    filters, options = text.split("Filters:")[1].split("Options:")
    assert [line.split()[0] for line in filters.splitlines() if line.startswith("  --")] == [
        f"--{each.word}" for each in FILTERS
    ]
    assert options.split() == ["--help", "Show", "this", "message", "and", "exit."]


def test_a_value_that_cannot_be_read_is_wrong_use() -> None:
    with pytest.raises(click.BadParameter, match="'soon' is not a time; write it as 2026-11-14"):
        _parse("--since", "soon")


def _parse(*words: str) -> FilterSet:
    found: list[FilterSet] = []
    _command(found).main(list(words), standalone_mode=False)
    return found[0]


def _command(found: list[FilterSet] | None = None) -> click.Command:
    @click.command(cls=FilteredCommand)
    @filter_options
    def command(filters: FilterSet) -> None:
        (found if found is not None else []).append(filters)

    return command
