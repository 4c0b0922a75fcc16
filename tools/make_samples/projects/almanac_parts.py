"""The parts into which the almanac is split."""

from typing import Final

STORE: Final = '''\
"""Plants and frosts, as they stand in the database."""

import sqlite3

from almanac.season import Plant


class Store:
    """One database, opened for reading."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)

    def plants(self) -> list[Plant]:
        """Give all plants by name."""
        rows = self._db.execute("SELECT name, first, last FROM plant ORDER BY name")
        return [Plant(*row) for row in rows]

    def plant(self, name: str) -> Plant | None:
        """Give one plant."""
        return next((plant for plant in self.plants() if plant.name == name), None)

    def frost(self, place: str) -> tuple[int, int] | None:
        """Give month and day of a place's last frost."""
        sql = "SELECT month, day FROM frost WHERE place = ?"
        found: tuple[int, int] | None = self._db.execute(sql, (place,)).fetchone()
        return found
'''

TEST_STORE: Final = """\
import sqlite3
from pathlib import Path

import pytest

from almanac.season import Plant
from almanac.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    path = tmp_path / "almanac.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE plant (name TEXT PRIMARY KEY, first INTEGER, last INTEGER)")
        db.execute("CREATE TABLE frost (place TEXT PRIMARY KEY, month INTEGER, day INTEGER)")
        db.executemany("INSERT INTO plant VALUES (?, ?, ?)", [("pea", -8, -2), ("bean", 0, 6)])
        db.execute("INSERT INTO frost VALUES ('Trier', 5, 4)")
    return Store(str(path))


def test_gives_plants_by_name(store: Store) -> None:
    assert store.plants() == [Plant("bean", 0, 6), Plant("pea", -8, -2)]


def test_gives_one_plant_or_none(store: Store) -> None:
    assert store.plant("pea") == Plant("pea", -8, -2)
    assert store.plant("yam") is None


def test_gives_the_last_frost_of_a_place(store: Store) -> None:
    assert store.frost("Trier") == (5, 4)
    assert store.frost("Atlantis") is None


def test_does_not_make_a_database(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        Store(str(tmp_path / "nothing.db"))
"""

SEASON: Final = '''\
"""Seasons: when a plant is sown, counted in weeks from the last frost."""

import datetime as dt
from typing import NamedTuple


class Plant(NamedTuple):
    """A plant, and the weeks from the last frost in which it is sown."""

    name: str
    first: int
    last: int


def days_left(plant: Plant, frost: tuple[int, int], day: dt.date) -> int | None:
    """Tell for how many days more a plant may be sown; None when it is not its time."""
    for year in (day.year, day.year + 1):
        last_frost = _date(year, *frost)
        begin = last_frost + dt.timedelta(weeks=plant.first)
        end = last_frost + dt.timedelta(weeks=plant.last)
        if begin <= day <= end:
            return (end - day).days
    return None


def _date(year: int, month: int, day: int) -> dt.date:
    return dt.date(year, month, day)
'''

TEST_SEASON: Final = """\
import datetime as dt

import pytest

from almanac.season import Plant, days_left

PEA = Plant("pea", -8, -2)
LEEK = Plant("leek", -12, -6)
MAY, JANUARY, LEAP = (5, 4), (1, 20), (2, 29)


@pytest.mark.parametrize(
    ("plant", "frost", "day", "left"),
    [
        (PEA, MAY, "2026-03-08", None),
        (PEA, MAY, "2026-03-09", 42),
        (PEA, MAY, "2026-04-20", 0),
        (PEA, MAY, "2026-04-21", None),
        # Where frost ends in January, sowing begins in the year before.
        (LEEK, JANUARY, "2026-11-13", 26),
        (PEA, LEAP, "2027-01-10", 36),
    ],
)
def test_counts_the_days_that_are_left(
    plant: Plant, frost: tuple[int, int], day: str, left: int | None
) -> None:
    assert days_left(plant, frost, dt.date.fromisoformat(day)) == left
"""

NEW_APP: Final = '''\
"""The almanac: what to sow, where and when, as a WSGI application."""

import datetime as dt
import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from almanac.season import days_left
from almanac.store import Store

DATABASE = "almanac.db"
Start = Callable[[str, list[tuple[str, str]]], object]


def app(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    """Answer one request."""
    path = environ["PATH_INFO"]
    query = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
    body = _answer(Store(DATABASE), path, query)
    status = "404 Not Found" if body is None else "200 OK"
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps({"error": f"nothing at {path}"} if body is None else body).encode()]


def _answer(store: Store, path: str, query: dict[str, str]) -> Any:
    match path.split("/")[1:]:
        case ["plants"]:
            return [{"name": p.name, "weeks": [p.first, p.last]} for p in store.plants()]
        case ["plants", name]:
            plant = store.plant(name)
            return plant and {"name": name, "weeks": [plant.first, plant.last]}
        case ["now"]:
            frost = store.frost(query.get("place", ""))
            return frost and _sowable(store, frost, _day(query))
        case _:
            return None


def _sowable(store: Store, frost: tuple[int, int], day: dt.date) -> list[dict[str, Any]]:
    left = {plant.name: days_left(plant, frost, day) for plant in store.plants()}
    return [{"name": name, "days_left": days} for name, days in left.items() if days is not None]


def _day(query: dict[str, str]) -> dt.date:
    return dt.date.fromisoformat(query.get("day") or dt.date.today().isoformat())
'''
