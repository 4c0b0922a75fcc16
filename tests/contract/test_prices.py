"""Stored costs follow the price table: archive and files never tell different dollars."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.analytics import ScanOptions, digest, price_table, scan, summarise
from clew.archive import Archive
from clew.store import Home, Location
from clew.store.postgres.archive import OutdatedPricesError
from tests.build import SessionBuilder, Usage
from tests.dump import execute, select

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
CALLS = "SELECT cost_nano_usd, is_partial, quality FROM model_call ORDER BY at"
EXACT = (1_000 * 4_000 + 100 * 20_000, 0, "exact")
UNPRICED = (None, 1, "lower_bound")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one session: a call that has a price, and one that has none."""
    root = tmp_path / "claude"
    session = SessionBuilder().model("claude-opus-5-5").user("go")
    session.assistant("done", usage=Usage(input=1_000, output=100))
    session.model("odd").user("and now?").assistant("done", usage=Usage(output=10))
    session.write(root / "projects" / "p" / f"{session.session_id}.jsonl")
    return root


@pytest.fixture
def archive(location: Location, root: Path) -> Iterator[Archive]:
    """An archive whose costs were stored when all prices were twice as high."""
    with Archive(location) as archive:
        archive.sync([root], now=NOW)
    execute(location, "UPDATE model_call SET cost_nano_usd = cost_nano_usd * 2, is_partial = 0")
    execute(location, "UPDATE price_table SET digest = 'of other prices', date = '2020-01-01'")
    with archive:
        yield archive


def tell(archive: Archive) -> tuple[Any, ...]:
    """Give what the archive tells of the cost of its one session, in several ways."""
    (session,) = archive.sessions()
    (project,) = archive.projects()
    (row,) = archive.usage(by="session").rows
    listed = (session.cost_usd, session.usage.quality)
    assert (project.cost_usd, project.quality) == (row.cost_usd, row.quality) == listed
    return listed


def test_costs_of_other_prices_are_never_shown(archive: Archive, root: Path) -> None:
    found = scan([root], ScanOptions())
    (counted,) = summarise(found.sums, "session", dt.UTC).rows

    if isinstance(archive.location, Home):
        assert tell(archive) == (counted.cost_usd, counted.quality)
        assert list(archive.query(CALLS).rows) == [EXACT, UNPRICED]
    else:
        with pytest.raises(OutdatedPricesError, match="run `clew sync`"):
            tell(archive)

    assert select(archive.location, CALLS)[0][0] == 2 * EXACT[0]


def test_a_sync_prices_all_calls_again_without_reading_a_transcript(
    archive: Archive, root: Path
) -> None:
    report = archive.sync([root], now=NOW)

    prices = "SELECT date, digest FROM price_table"
    assert (report.bytes_read, report.entries_decoded) == (0, 0)
    assert select(archive.location, CALLS) == [EXACT, UNPRICED]
    assert select(archive.location, prices) == [(str(price_table().date), digest())]


def test_costs_of_the_same_prices_are_read_as_they_are_stored(archive: Archive, root: Path) -> None:
    archive.sync([root], now=NOW)
    changed = "UPDATE model_call SET cost_nano_usd = 7 WHERE cost_nano_usd IS NOT NULL"
    execute(archive.location, changed)

    assert tell(archive) == (7e-9, "lower_bound")


def test_the_version_of_an_archive_changes_with_its_prices(tmp_path: Path, root: Path) -> None:
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([root], now=NOW)
    execute(archive.location, "UPDATE price_table SET digest = 'of other prices'")
    with archive:
        before = archive.version()
        archive.sync([root], now=NOW)

        assert archive.version() != before
