"""Exports to Parquet: the same tables from a server as from a folder."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from clew.archive import Archive
from clew.samples import samples_root
from clew.store import Home
from clew.store.parquet import TABLES
from clew.store.postgres.table_rows import ViewerExportError
from clew.store.postgres_location import PostgresLocation
from tests.contract.answers import NOW
from tests.postgres_server import PostgresServer

# Numbers of an archive's own rows, when they were written, and how much of a text they have.
_OWN: Final = {
    "id", "session_key", "project_id", "key", "first_seen_at", "text", "is_cut", "cwd", "input"
}  # fmt: skip
_SESSIONS: Final = 16


@pytest.fixture(scope="module")
def archives(
    postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Archive, Archive]]:
    """Give an archive in a folder and one on a server, with the samples."""
    url = postgres_server.make_database()
    laptop = Archive(Home(tmp_path_factory.mktemp("laptop")))
    team = Archive(PostgresLocation(url, str(tmp_path_factory.mktemp("blobs"))))
    with laptop, team:
        for archive in (laptop, team):
            archive.sync([samples_root()], now=NOW, workers=1)
        yield laptop, team
    postgres_server.drop_database(url)


def test_tables_are_the_same(archives: tuple[Archive, Archive], tmp_path: Path) -> None:
    for number, archive in enumerate(archives):
        exported = list(archive.export_parquet(tmp_path / str(number)))
        assert [(table.table, table.faults) for table in exported] == [(t, ()) for t in TABLES]

    for table in TABLES:
        laptop, team = (read(tmp_path / str(number) / f"{table}.parquet") for number in (0, 1))
        assert team[0] == laptop[0], table
        assert team[1] == laptop[1], table


def test_inputs_are_whole(archives: tuple[Archive, Archive], tmp_path: Path) -> None:
    found = []
    for number, archive in enumerate(archives):
        list(archive.export_parquet(tmp_path / str(number)))
        found.append(values(tmp_path / str(number) / "tool_call.parquet", "call_id", "input"))

    assert found[0] == found[1]


def test_a_data_set_is_written_from_a_server(
    archives: tuple[Archive, Archive], tmp_path: Path
) -> None:
    _, team = archives

    first = team.export_lake(str(tmp_path / "lake"), now=NOW)
    second = team.export_lake(str(tmp_path / "lake"), now=NOW)

    assert (first.written, first.faults) == (_SESSIONS, [])
    assert (second.written, second.unchanged) == (0, _SESSIONS)


def test_a_viewer_exports_nothing(archives: tuple[Archive, Archive], tmp_path: Path) -> None:
    location = archives[1].location
    assert isinstance(location, PostgresLocation)
    viewer = PostgresLocation(location.database_url, location.blobs, scopes=(0,))

    with Archive(viewer) as archive, pytest.raises(ViewerExportError):
        list(archive.export_parquet(tmp_path))


def read(path: Path) -> tuple[Any, list[str]]:
    """Return the columns of a file with their types, and its rows in one order."""
    table: Any = import_module("pyarrow.parquet").read_table(path)
    names = sorted((field.name, str(field.type)) for field in table.schema)
    rows = (
        {name: plain(value) for name, value in sorted(row.items()) if name not in _OWN}
        for row in table.to_pylist()
    )
    return names, sorted(map(repr, rows))


def plain(value: Any) -> Any:
    """Make a value comparable: sums may be added up in another order."""
    return round(value, 9) if isinstance(value, float) else value


def values(path: Path, *columns: str) -> list[tuple[Any, ...]]:
    """Return some columns of a file, in one order."""
    table: Any = import_module("pyarrow.parquet").read_table(path, columns=list(columns))
    return sorted(tuple(row.values()) for row in table.to_pylist())
