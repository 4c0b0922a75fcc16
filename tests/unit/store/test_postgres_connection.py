"""Connections to PostgreSQL, and its tables."""

from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import psycopg
import pytest

from clew.store import NewerArchiveError, OlderArchiveError
from clew.store.migrations import common_migrations
from clew.store.postgres.connection import (
    ConnectionPool,
    connect,
    migrate,
    pool,
    require_current,
    run,
    schema_version,
)
from clew.store.postgres.database import PostgresDatabase, open_postgres_for_writing
from clew.store.postgres.scopes import are_ready
from clew.store.session_tables import SESSION_TABLES


def test_an_empty_database_gets_all_tables_once(postgres_url: str) -> None:
    with connect(postgres_url) as connection:
        assert schema_version(connection) == 0
        migrate(connection)
        migrate(connection)
        assert schema_version(connection) == len(common_migrations())
        tables = {row[0] for row in PostgresDatabase(connection).rows("table_names")}
    assert {*SESSION_TABLES, "session", "source_file", "frame"} <= tables


def test_several_processes_that_come_first_make_the_tables_once(postgres_url: str) -> None:
    def prepare(_: int) -> tuple[int, bool]:
        database = open_postgres_for_writing(postgres_url)
        found = schema_version(database.connection), are_ready(database.connection)
        database.close()
        return found

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(prepare, range(8))) == {(len(common_migrations()), True)}


def test_archives_of_other_versions_are_refused(postgres_url: str) -> None:
    with connect(postgres_url) as connection:
        with pytest.raises(OlderArchiveError):
            require_current(connection)
        migrate(connection)
        require_current(connection)
        run(connection, "set_schema_version", number=len(common_migrations()) + 1)
        with pytest.raises(NewerArchiveError, match="upgrade clew"):
            require_current(connection)
        with pytest.raises(NewerArchiveError, match="upgrade clew"):
            migrate(connection)


def test_text_is_ordered_by_its_bytes(postgres_url: str) -> None:
    with connect(postgres_url) as connection:
        migrate(connection)
        database = PostgresDatabase(connection)
        names = ["b", "B", "a", "é", "Z"]
        for name in names:
            database.run("add_project", {"path": name, "name": name})
        found = connection.execute("SELECT path FROM project ORDER BY path").fetchall()
    assert [row[0] for row in found] == sorted(names)


def test_a_copy_of_this_process_makes_its_own_connections(postgres_url: str) -> None:
    first = pool.take(postgres_url)
    number = first.info.backend_pid
    pool.give(postgres_url, first)
    with get_context("fork").Pool(1) as copies:
        other = copies.apply(_take_and_clear, (postgres_url,))
    again = pool.take(postgres_url)

    assert other != number
    assert again.info.backend_pid == number
    again.close()


def _take_and_clear(url: str) -> int:
    connection = pool.take(url)
    number = connection.info.backend_pid
    pool.give(url, connection)
    pool.clear()
    return number


def test_a_connection_is_used_again_if_it_works(postgres_url: str) -> None:
    own = ConnectionPool()
    first = own.take(postgres_url)
    number = first.info.backend_pid
    own.give(postgres_url, first)
    second = own.take(postgres_url)
    assert second.info.backend_pid == number
    own.give(postgres_url, second)
    with connect(postgres_url) as other:
        # It returns when the other connection has ended.
        other.execute("SELECT pg_terminate_backend(%s, 20000)", (number,))
    third = own.take(postgres_url)
    assert third.info.backend_pid != number
    third.execute("BEGIN")
    own.give(postgres_url, third)
    with own.take(postgres_url) as last:
        assert last.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_a_lost_connection_leaves_nothing_of_a_transaction(postgres_url: str) -> None:
    with connect(postgres_url) as other:
        migrate(other)
        database = PostgresDatabase(connect(postgres_url))
        number = database.connection.info.backend_pid
        with pytest.raises(psycopg.OperationalError), database.transaction():  # noqa: PT012
            database.run("add_project", {"path": "a", "name": "a"})
            other.execute("SELECT pg_terminate_backend(%s)", (number,))
            database.run("add_project", {"path": "b", "name": "b"})
        assert list(PostgresDatabase(other).rows("find_project", {"path": "a"})) == []
