"""almanac: a small web service that tells what to sow, where and when."""

from typing import Final

ROOT: Final = "/home/mira/code/almanac"

APP: Final = '''\
"""The almanac: what to sow, where and when, as a WSGI application."""

import datetime as dt
import json
import sqlite3
from urllib.parse import parse_qs

DATABASE = "almanac.db"


def app(environ, start_response):
    path = environ["PATH_INFO"]
    query = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
    db = sqlite3.connect(DATABASE)
    status, body = "200 OK", None
    if path == "/plants":
        rows = db.execute("SELECT name, first, last FROM plant ORDER BY name")
        body = [{"name": row[0], "weeks": [row[1], row[2]]} for row in rows]
    elif path.startswith("/plants/"):
        sql = "SELECT name, first, last FROM plant WHERE name = ?"
        row = db.execute(sql, (path.removeprefix("/plants/"),)).fetchone()
        if row is not None:
            body = {"name": row[0], "weeks": [row[1], row[2]]}
    elif path == "/now":
        day = dt.date.fromisoformat(query.get("day") or dt.date.today().isoformat())
        sql = "SELECT month, day FROM frost WHERE place = ?"
        found = db.execute(sql, (query.get("place", ""),)).fetchone()
        if found is not None:
            frost = dt.date(day.year, found[0], found[1])
            body = []
            for row in db.execute("SELECT name, first, last FROM plant ORDER BY name"):
                begin = frost + dt.timedelta(weeks=row[1])
                end = frost + dt.timedelta(weeks=row[2])
                if begin <= day <= end:
                    body.append({"name": row[0], "days_left": (end - day).days})
    if body is None:
        status, body = "404 Not Found", {"error": f"nothing at {path}"}
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(body).encode()]
'''

TEST_APP: Final = """\
import json
import sqlite3
from pathlib import Path

import pytest

from almanac import app as module


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "almanac.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE plant (name TEXT PRIMARY KEY, first INTEGER, last INTEGER)")
        db.execute("CREATE TABLE frost (place TEXT PRIMARY KEY, month INTEGER, day INTEGER)")
        db.executemany("INSERT INTO plant VALUES (?, ?, ?)", [("bean", 0, 6), ("pea", -8, -2)])
        db.execute("INSERT INTO frost VALUES ('Trier', 5, 4)")
    monkeypatch.setattr(module, "DATABASE", str(path))


def get(path: str, query: str = "") -> tuple[str, object]:
    statuses = []
    environ = {"PATH_INFO": path, "QUERY_STRING": query}
    [body] = module.app(environ, lambda status, headers: statuses.append(status))
    return statuses[0][:3], json.loads(body)


def test_lists_plants() -> None:
    assert get("/plants") == (
        "200",
        [{"name": "bean", "weeks": [0, 6]}, {"name": "pea", "weeks": [-8, -2]}],
    )


def test_knows_what_to_sow_now() -> None:
    assert get("/now", "place=Trier&day=2026-04-01") == (
        "200",
        [{"name": "pea", "days_left": 19}],
    )


@pytest.mark.parametrize("path", ["/", "/plants/yam", "/now"])
def test_says_what_is_not_there(path: str) -> None:
    assert get(path)[0] == "404"
"""

IMPORT_FROST: Final = '''\
"""Read last frosts from a table: place, month and day on each line."""

import csv
import sqlite3
import sys

from almanac.app import DATABASE


def main(path: str) -> None:
    """Replace all frosts in the database by those of a file."""
    with open(path, newline="") as stream, sqlite3.connect(DATABASE) as db:
        db.execute("DELETE FROM frost")
        db.executemany("INSERT INTO frost VALUES (?, ?, ?)", csv.reader(stream))


if __name__ == "__main__":
    main(sys.argv[1])
'''

PYPROJECT: Final = """\
[project]
name = "almanac"
version = "1.3.0"
requires-python = ">=3.12"

[tool.pytest.ini_options]
pythonpath = ["src"]

[tool.ruff]
line-length = 100
"""

FILES: Final = {
    "pyproject.toml": PYPROJECT,
    "src/almanac/__init__.py": '"""What to sow, where and when."""\n',
    "src/almanac/app.py": APP,
    "src/almanac/import_frost.py": IMPORT_FROST,
    "tests/test_app.py": TEST_APP,
}
