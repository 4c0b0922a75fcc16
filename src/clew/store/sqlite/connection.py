"""The embedded database: SQLite in WAL mode, opened, migrated, guarded."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import apsw

from clew.store.errors import NewerArchiveError, OlderArchiveError
from clew.store.migrations import common_migrations
from clew.store.queries import statement, statement_on
from clew.store.sqlite.prices import has_other_prices, price_when_read

_BUSY_MS: Final = 10_000
_SHORT_BUSY_MS: Final = 500
FULL_TEXT_TABLES: Final = ("prose_text", "result_text")


def open_for_writing(path: Path) -> apsw.Connection:
    """Open the database for the one writer, and bring its tables up to date."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    is_new = not path.exists()
    connection = apsw.Connection(str(path))
    if is_new:
        path.chmod(0o600)
        _configure(connection, "configure_new_database")
    connection.set_busy_timeout(_BUSY_MS)
    _configure(connection, "configure_writer")
    migrate(connection)
    return connection


def open_temporary_copy(path: Path) -> apsw.Connection:
    """Open a database for this process alone, with the rows of another one, if that exists.

    The rows of blocks and their texts stay behind: they are most of it.

    Raises:
        OlderArchiveError: The tables of the other one are not up to date.
    """
    # Without a name it is kept in memory, and on the disk what does not fit there.
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection("", flags=flags)
    _configure(connection, "configure_temporary_database")
    migrate(connection)
    if path.exists():
        _copy_rows(connection, path)
    return connection


def _copy_rows(connection: apsw.Connection, path: Path) -> None:
    other = _open_readonly(path)
    try:
        found, known = schema_version(other), len(migrations())
    finally:
        other.close()
    if found == 0:
        # Another process has only begun to make it.
        return
    if found > known:
        raise NewerArchiveError(found, known)
    if found < known:
        raise OlderArchiveError
    connection.execute(statement("attach_archive"), {"path": f"{path.absolute().as_uri()}?mode=ro"})
    with connection:
        for name, columns in connection.execute(statement("tables_to_copy")).fetchall():
            copy = statement_on("copy_table", str(name))
            connection.execute(copy.replace("$columns", str(columns)))
    connection.execute(statement("detach_archive"))


def open_for_update(path: Path) -> apsw.Connection:
    """Open a database for one small change, without waiting long for other writers."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(_SHORT_BUSY_MS)
    return connection


def open_for_reading(
    path: Path, prepare: Callable[[apsw.Connection], None] | None = None
) -> apsw.Connection:
    """Open the database so that nothing can be written.

    Args:
        path: The database.
        prepare: Adds what goes with the connection, such as temporary views.
    """
    connection = _open_readonly(path)
    connection.set_busy_timeout(_BUSY_MS)
    _configure(connection, "configure_temporary_tables")
    make_word_tables(connection)
    if has_other_prices(connection):
        price_when_read(connection)
    if prepare is not None:
        prepare(connection)
    _configure(connection, "configure_reader")
    return connection


def _configure(connection: apsw.Connection, name: str) -> None:
    # Settings that answer with a row hold back those behind them until it is read.
    connection.execute(statement(name)).fetchall()


def make_word_tables(connection: apsw.Connection) -> None:
    """Add temporary tables with the words of the full text."""
    for name in FULL_TEXT_TABLES:
        connection.execute(statement_on("create_word_table", name))


def _open_readonly(path: Path) -> apsw.Connection:
    """Readers need a place for their marks; where there is none, nobody else writes either."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(_BUSY_MS)
    try:
        schema_version(connection)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection.close()
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags)
    return connection


def migrate(connection: apsw.Connection) -> None:
    """Apply the migrations the database does not have yet, each in one transaction.

    A new database gets all of them in one: until then, readers see that there is none.
    """
    found = schema_version(connection)
    steps = migrations()
    if found > len(steps):
        raise NewerArchiveError(found, len(steps))
    with nullcontext() if found else connection:
        for number, text in enumerate(steps[found:], start=found + 1):
            _apply(connection, number, text)


def _apply(connection: apsw.Connection, number: int, text: str) -> None:
    with connection:
        connection.execute(text)
        if number == 1:
            for name in FULL_TEXT_TABLES:
                connection.execute(statement_on("create_full_text_table", name))
        connection.execute(statement_on("set_schema_version", number))


def migrations() -> list[str]:
    """Return the numbered migrations, in order."""
    return [step.text for step in common_migrations()]


def schema_version(connection: apsw.Connection) -> int:
    """Return how many migrations the database has."""
    return int(next(connection.execute(statement("schema_version")))[0])


def limit_memory(size_bytes: int) -> None:
    """Let all connections of this process together hold no more pages than fit in so many bytes.

    A query that needs more gets it.
    """
    apsw.soft_heap_limit(size_bytes)


def limit_time(connection: apsw.Connection, steps: int, is_over: Callable[[], bool]) -> None:
    """Stop a query once `is_over` says so, asked every so many steps of SQLite's machine."""
    connection.set_progress_handler(is_over, steps)
