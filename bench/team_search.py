"""Search in a team's archive of a million blocks, on a PostgreSQL server of the benchmark's own."""

import atexit
import datetime as dt
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.archives import PAGE, timed
from bench.child import Given
from bench.contestant import Contestant, Limit, Run
from bench.own_folders import scaled
from bench.peers import private_home
from bench.queries import QUERIES, REGEXES

if TYPE_CHECKING:
    from clew.store.postgres import PostgresDatabase

# Each function imports clew inside, so that the memory of one does not count for another.
# ruff: noqa: PLC0415

BLOCKS: Final = 1_000_000
GROUP: Final = "postgres-search"
# Of 250 scopes, a viewer has a tenth.
_VIEWED: Final = tuple(range(0, 250, 10))
_SETTINGS: Final = {"shared_buffers": "1GB", "max_wal_size": "8GB"}
_SIZES: Final = """
SELECT sum(pg_table_size(oid)) FILTER (WHERE relname = 'block'),
       sum(pg_indexes_size(oid)) FILTER (WHERE relname = 'block'),
       sum(pg_table_size(oid)) FILTER (WHERE relname LIKE 'search_text_%'),
       sum(pg_indexes_size(oid)) FILTER (WHERE relname LIKE 'search_text_%'),
       sum(pg_table_size(oid)) FILTER (WHERE relname = 'search_word'),
       sum(pg_indexes_size(oid)) FILTER (WHERE relname = 'search_word'),
       pg_database_size(current_database())
FROM pg_class WHERE relkind = 'r'
"""


def all_scopes() -> Run:
    """Ask as somebody who sees everything."""
    return _ask(QUERIES, None)


def some_scopes() -> Run:
    """Ask as somebody who sees some scopes."""
    return _ask(QUERIES, _VIEWED)


def regexes() -> Run:
    """Ask for regular expressions, whose letters an index of trigrams looks up."""
    return _ask(REGEXES, _VIEWED)


def regexes_without_trigrams() -> Run:
    """Ask for regular expressions, whose letters are looked for in all words."""
    ask = _ask(REGEXES, _VIEWED)

    def run(given: Given) -> int | dict[str, float]:
        with _opened(given.folder) as database, _without_trigrams(database):
            return ask(given)

    return run


def sizes() -> Run:
    """Weigh rows and indexes."""

    def run(given: Given) -> dict[str, float]:
        with _opened(given.folder) as database:
            found = database.connection.execute(_SIZES).fetchone() or ()
        names = ("block", "its indexes", "vectors", "their indexes", "words", "their index", "all")
        return {f"{name} MB": size / 1e6 for name, size in zip(names, found, strict=True)}

    return run


def _ask(queries: Sequence[str], scopes: tuple[int, ...] | None) -> Run:
    from clew.search import parse_query, search
    from clew.store.postgres import PostgresIndex, Viewer

    def run(given: Given) -> dict[str, float]:
        now = dt.datetime(2026, 11, 16, tzinfo=dt.UTC)
        with _opened(given.folder) as database:
            seen = database if scopes is None else database.scoped(Viewer(scopes))
            index = PostgresIndex(seen)

            def ask(text: str) -> None:
                search(index, parse_query(text, now=now), now=now, limit=PAGE)

            # The first query of a connection loads what the server knows of the tables.
            ask("warm up")
            return timed(queries, ask, _work_of(database))

    return run


def _work_of(database: "PostgresDatabase") -> Callable[[], float]:
    """Return a clock of the work of this process and of the server's for it."""
    spent = Path(f"/proc/{database.connection.info.backend_pid}/schedstat")

    def work() -> float:
        server = int(spent.read_text("utf-8").split()[0]) / 1e9 if spent.exists() else 0.0
        return time.process_time() + server

    return work


@contextmanager
def _opened(folder: Path) -> Iterator["PostgresDatabase"]:
    from clew.store.postgres import open_postgres

    database = open_postgres(_address(folder).read_text("utf-8"))
    try:
        yield database
    finally:
        database.close()


@contextmanager
def _without_trigrams(database: "PostgresDatabase") -> Iterator[None]:
    index = "search_word_letters"
    database.connection.execute(f"DROP INDEX IF EXISTS {index}".encode())
    try:
        yield
    finally:
        database.connection.execute(
            f"CREATE INDEX {index} ON search_word USING gin (word gin_trgm_ops)".encode()
        )


@cache
def _serve(folder: Path) -> None:
    """Start a server with an archive in it, for as long as this process runs."""
    from bench.team_rows import fill
    from clew.store.postgres import open_postgres_for_writing
    from tests.postgres_server import running_postgres

    stack = ExitStack()
    server = stack.enter_context(running_postgres(_SETTINGS))
    # After what the server registers, so that it ends before its folder goes.
    atexit.register(stack.close)
    url = server.make_database()
    database = open_postgres_for_writing(url)
    fill(database, scaled(BLOCKS))
    database.close()
    _address(folder).parent.mkdir(parents=True, exist_ok=True)
    _address(folder).write_text(url, "utf-8")


def _address(folder: Path) -> Path:
    return private_home(folder, "team") / "address"


_BUDGET: Final = (Limit("p50 ms", 60), Limit("p99 ms", 400))

TEAM_SEARCH: Final = (
    Contestant("all scopes", GROUP, f"{PAGE} hits with snippets", all_scopes, setup=_serve),
    Contestant(
        "a viewer",
        GROUP,
        "the same with a tenth of all scopes",
        some_scopes,
        setup=_serve,
        limits=_BUDGET,
    ),
    Contestant("regexes", GROUP, "letters by pg_trgm", regexes, setup=_serve),
    Contestant("no pg_trgm", GROUP, "the same without it", regexes_without_trigrams, setup=_serve),
    Contestant("sizes", GROUP, "rows and indexes", sizes, setup=_serve),
)
