"""Databases of earlier versions are brought up to date, with all that is in them."""

from typing import Any, Final

import apsw
import pytest

from clew.store.sqlite import migrate, migrations, schema_version

BEFORE_OWNERS: Final = 12
CHANGED: Final = ("project", "session", "source_file", "stale_session")


def columns(connection: apsw.Connection, table: str) -> dict[str, str]:
    rows = connection.execute(f"PRAGMA table_info({table})")
    return {row[1]: row[2] for row in rows}


def indexes(connection: apsw.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'")
    return {str(row[0]) for row in rows if not str(row[0]).startswith("sqlite_")}


def fill(connection: apsw.Connection, table: str, number: int) -> None:
    """Insert a row with a different value in every column."""
    values: dict[str, Any] = {
        name: {"INTEGER": number + place, "BLOB": b"%d" % place}.get(kind, f"{name} {number}")
        for place, (name, kind) in enumerate(columns(connection, table).items())
    }
    marks = ", ".join(f":{name}" for name in values)
    sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})"  # noqa: S608
    connection.execute(sql, values)


def rows(connection: apsw.Connection, table: str) -> list[tuple[Any, ...]]:
    return list(connection.execute(f"SELECT * FROM {table}"))  # noqa: S608


@pytest.fixture
def older() -> apsw.Connection:
    """Give a database from before sessions had owners, with rows."""
    connection = apsw.Connection(":memory:")
    for text in migrations()[:BEFORE_OWNERS]:
        connection.execute(text)
    connection.execute(f"PRAGMA user_version = {BEFORE_OWNERS}")
    for table in CHANGED:
        fill(connection, table, 1000)
        fill(connection, table, 5000)
    return connection


def test_all_rows_indexes_and_numbers_stay(older: apsw.Connection) -> None:
    before = {table: rows(older, table) for table in CHANGED}
    names = {table: list(columns(older, table)) for table in CHANGED}
    known = indexes(older)

    migrate(older)

    assert schema_version(older) == len(migrations())
    assert known <= indexes(older)
    for table in CHANGED:
        old = ", ".join(names[table])
        assert list(older.execute(f"SELECT {old} FROM {table}")) == before[table]  # noqa: S608
        assert {row[0] for row in older.execute(f"SELECT owner FROM {table}")} == {0}  # noqa: S608


@pytest.mark.parametrize("table", CHANGED)
def test_another_owner_may_have_the_same(older: apsw.Connection, table: str) -> None:
    migrate(older)
    number = "session_id" if table == "stale_session" else next(iter(columns(older, table)))
    own = ", ".join(name for name in columns(older, table) if name not in (number, "owner"))
    if table == "stale_session":
        own = f"session_id, {own}"
    copy = f"INSERT INTO {table} (owner, {own}) SELECT :owner, {own} FROM {table} WHERE owner = 0"  # noqa: S608

    older.execute(copy, {"owner": 1})
    with pytest.raises(apsw.ConstraintError):
        older.execute(copy, {"owner": 0})


def test_an_older_database_has_the_tables_of_a_new_one(older: apsw.Connection) -> None:
    migrate(older)
    new = apsw.Connection(":memory:")
    migrate(new)
    for table in CHANGED:
        assert columns(older, table) == columns(new, table)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT key FROM session WHERE id = 'x' AND owner = 0",
        "SELECT key FROM session WHERE id = 'x'",
        "SELECT id FROM project WHERE path = 'x' AND owner = 0",
        "SELECT id FROM source_file WHERE root = 'x' AND path = 'y' AND owner = 0",
        "SELECT id FROM source_file WHERE session_id = 'x'",
        "SELECT since FROM stale_session WHERE session_id = 'x' AND owner = 0",
    ],
)
def test_sessions_files_and_projects_are_found_by_an_index(
    older: apsw.Connection, sql: str
) -> None:
    migrate(older)
    plan = " ".join(str(row[3]) for row in older.execute(f"EXPLAIN QUERY PLAN {sql}"))
    assert plan.startswith("SEARCH")
