"""The embedded database: SQLite in WAL mode, opened, migrated, guarded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final

import apsw

from clew.errors import ClewError
from clew.store.pricing import has_current_prices, price_when_read

_BUSY_MS: Final = 10_000
_CACHE_KIB: Final = 65_536
_TOKENIZER: Final = ("unicode61", ["remove_diacritics", "2", "categories", "L* N* Co So"])
_FULL_TEXT: Final = """
CREATE VIRTUAL TABLE IF NOT EXISTS {name} USING fts5 (
  text, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
"""
FULL_TEXT_TABLES: Final = ("prose_text", "result_text")


class NewerArchiveError(ClewError):
    """The archive was written by a newer version of clew."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"this archive has format {found}, this version of clew knows up to {known}; "
            "update clew to open it"
        )


def open_for_writing(path: Path) -> apsw.Connection:
    """Open the database for the one writer, and bring its tables up to date."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    is_new = not path.exists()
    connection = apsw.Connection(str(path))
    if is_new:
        path.chmod(0o600)
        connection.execute("PRAGMA page_size = 8192")
    connection.set_busy_timeout(_BUSY_MS)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute("PRAGMA temp_store = MEMORY")
    migrate(connection)
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
    connection.execute("PRAGMA temp_store = MEMORY")
    make_word_tables(connection)
    if not has_current_prices(connection):
        price_when_read(connection)
    if prepare is not None:
        prepare(connection)
    connection.execute("PRAGMA query_only = 1")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA mmap_size = {1 << 30}")
    return connection


def make_word_tables(connection: apsw.Connection) -> None:
    """Let the words of the full text be asked for; these tables go with the connection."""
    for name in FULL_TEXT_TABLES:
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name}_words "
            f"USING fts5vocab (main, {name}, row)"
        )


def index_words(connection: apsw.Connection, text: str) -> list[str]:
    """Cut a text into words exactly as the full-text tables do."""
    tokenize = connection.fts5_tokenizer(*_TOKENIZER)
    flags = apsw.FTS5_TOKENIZE_DOCUMENT
    words = tokenize(text.encode(), flags, None, include_offsets=False, include_colocated=False)
    return [str(word) for word in words]


def _open_readonly(path: Path) -> apsw.Connection:
    """Readers need a place for their marks; where there is none, nobody else writes either."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection.close()
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags)
    return connection


def migrate(connection: apsw.Connection) -> None:
    """Apply the migrations the database does not have yet, each in one transaction."""
    found = _version(connection)
    steps = migrations()
    if found > len(steps):
        raise NewerArchiveError(found, len(steps))
    for number, text in enumerate(steps, start=1):
        if number > found:
            with connection:
                connection.execute(text)
                if number == 1:
                    for name in FULL_TEXT_TABLES:
                        connection.execute(_FULL_TEXT.format(name=name))
                        connection.execute(
                            f"INSERT INTO {name} ({name}, rank) VALUES ('hashsize', ?)",  # noqa: S608
                            (32 << 20,),
                        )
                connection.execute(f"PRAGMA user_version = {number}")


def migrations() -> list[str]:
    """Give the numbered migrations, in order."""
    folder = resources.files("clew.store") / "schema"
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=_name)
    return [item.read_text("utf-8") for item in files]


def _name(item: Any) -> str:
    return str(item.name)


def _version(connection: apsw.Connection) -> int:
    return int(next(connection.execute("PRAGMA user_version"))[0])


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Write all or nothing; the lock is taken at once, so that nothing fails half-way."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def limit_memory(size_bytes: int) -> None:
    """Let all connections of this process together hold no more pages than fit in so many bytes.

    A query that needs more gets it.
    """
    apsw.soft_heap_limit(size_bytes)


def limit_time(connection: apsw.Connection, steps: int, is_over: Callable[[], bool]) -> None:
    """Stop a query once `is_over` says so, asked every so many steps of SQLite's machine."""
    connection.set_progress_handler(is_over, steps)
