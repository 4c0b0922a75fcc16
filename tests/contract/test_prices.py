"""Stored costs follow the price table: archive and files never tell different dollars."""

import datetime as dt
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.analytics import ScanOptions, digest, price_table, scan, summarise
from clew.archive import Archive, open_archive
from tests.build import SessionBuilder, Usage

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
CALLS = "SELECT cost_nano_usd, is_partial, quality FROM model_call ORDER BY rowid"
OWN_CALLS = "SELECT cost_nano_usd, is_partial, quality FROM model_call ORDER BY at"
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
def home(tmp_path: Path, root: Path) -> Path:
    """An archive whose costs were stored when all prices were twice as high."""
    home = tmp_path / "home"
    with open_archive(home) as archive:
        archive.sync([root], now=NOW)
    write(home, "UPDATE model_call SET cost_nano_usd = cost_nano_usd * 2, is_partial = 0")
    write(home, "UPDATE price_table SET digest = 'of other prices', date = '2020-01-01'")
    return home


def write(home: Path, statement: str) -> None:
    with closing(apsw.Connection(str(home / "archive.db"))) as connection:
        connection.execute(statement)


def stored(home: Path, query: str) -> list[Any]:
    with closing(apsw.Connection(str(home / "archive.db"))) as connection:
        return list(connection.execute(query))


def tell(archive: Archive) -> tuple[Any, ...]:
    """Give what the archive tells of the cost of its one session, in several ways."""
    (session,) = archive.sessions()
    (project,) = archive.projects()
    (row,) = archive.usage(by="session").rows
    listed = (session.cost_usd, session.usage.quality)
    assert (project.cost_usd, project.quality) == (row.cost_usd, row.quality) == listed
    return listed


def test_costs_of_other_prices_are_never_shown(home: Path, root: Path) -> None:
    found = scan([root], ScanOptions())
    (counted,) = summarise(found.sums, "session", dt.UTC).rows

    with open_archive(home) as archive:
        assert tell(archive) == (counted.cost_usd, counted.quality)
        assert list(archive.query(OWN_CALLS).rows) == [EXACT, UNPRICED]

    assert stored(home, CALLS)[0][0] == 2 * EXACT[0]


def test_a_sync_prices_all_calls_again_without_reading_a_transcript(home: Path, root: Path) -> None:
    with open_archive(home) as archive:
        report = archive.sync([root], now=NOW)

    assert (report.bytes_read, report.entries_decoded) == (0, 0)
    assert stored(home, CALLS) == [EXACT, UNPRICED]
    assert stored(home, "SELECT * FROM price_table") == [(str(price_table().date), digest())]


def test_costs_of_the_same_prices_are_read_as_they_are_stored(home: Path, root: Path) -> None:
    with open_archive(home) as archive:
        archive.sync([root], now=NOW)
    write(home, "UPDATE model_call SET cost_nano_usd = 7 WHERE cost_nano_usd IS NOT NULL")

    with open_archive(home) as archive:
        assert tell(archive) == (7e-9, "lower_bound")


def test_the_version_of_an_archive_changes_with_its_prices(home: Path, root: Path) -> None:
    with open_archive(home) as archive:
        before = archive.version()
        archive.sync([root], now=NOW)

        assert archive.version() != before
