"""Contestants on a PostgreSQL server: rows by COPY, with the words of texts, several syncs at once.

The server is the one of the tests. Processor time is that of clew and of the server together: so
long would it take on one core.
"""

import atexit
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench.child import Given, children_cpu, own_cpu
from bench.contestant import Contestant, Limit, Run
from bench.process_tree import spent_by

# Imported inside, so that the memory of one contestant does not count for another.
# ruff: noqa: PLC0415

_TOGETHER: Final = 32
_PER_100_MB: Final = "CPU s per 100 MB"
_SYNC: Final = """
import datetime as dt, sys
from pathlib import Path
from clew.store import ArchiveAddress, find_location, sync
location = find_location(ArchiveAddress(*sys.argv[1:3]))
sync(location, [Path(sys.argv[3])], now=dt.datetime.now(dt.UTC), workers=1)
"""
_SIZES: Final = b"""
SELECT sum(pg_table_size(oid)) FILTER (WHERE relname NOT LIKE 'search_%'),
  sum(pg_indexes_size(oid)) FILTER (WHERE relname NOT LIKE 'search_%'),
  sum(pg_table_size(oid)) FILTER (WHERE relname LIKE 'search_%'),
  sum(pg_indexes_size(oid)) FILTER (WHERE relname LIKE 'search_%')
FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


class _Server:
    """A server that runs as long as this process, with one empty database."""

    def __init__(self) -> None:
        from tests.postgres_server import running_postgres

        stack = ExitStack()
        atexit.register(stack.close)
        self._server = stack.enter_context(running_postgres())
        self.url = self._server.make_database()

    def cpu_seconds(self) -> float:
        """Count the processor seconds of all its processes."""
        pid = (self._server.folder / "data" / "postmaster.pid").read_text("utf-8").split()[0]
        return spent_by(int(pid)).cpu_seconds

    def sizes(self) -> tuple[int, ...]:
        """Return the bytes of rows and their indexes, of words and their indexes."""
        import psycopg

        with psycopg.connect(self.url) as connection:
            found: Any = connection.execute(_SIZES).fetchone()
            return tuple(map(int, found))


def rows_alone() -> Run:
    """Write the rows of all sessions, without the words of their texts."""
    return _write_rows(with_words=False)


def rows_and_words() -> Run:
    """Write the rows of all sessions and the words of their texts."""
    return _write_rows(with_words=True)


def _write_rows(*, with_words: bool) -> Run:
    """Give the function that writes rows, which are derived before the clock that counts starts."""
    from clew.conversation import build
    from clew.sessions import gather, group_sessions
    from clew.source import discover
    from clew.store.inline_limits import SERVER_LIMITS
    from clew.store.postgres import open_postgres_for_writing
    from clew.store.rows import SessionRows, material_rows, to_rows

    server = _Server()

    def derive(folder: Path) -> list[SessionRows]:
        found = []
        for files in group_sessions(discover(folder).files):
            material = gather(files)
            rows = to_rows(material_rows(material), build(material), SERVER_LIMITS)
            rows.texts = rows.texts if with_words else []
            found.append(rows)
        return found

    def write(sessions: list[SessionRows]) -> None:
        from clew.store.ownership import find_related_sessions, resolve_ownership

        database = open_postgres_for_writing(server.url)
        for first in range(0, len(sessions), _TOGETHER):
            some = sessions[first : first + _TOGETHER]
            names = [rows.session_id for rows in some]
            with database.transaction():
                related = find_related_sessions(database, names)
                for rows in some:
                    database.write_session(rows)
                resolve_ownership(database, sorted({*names, *related}))
        database.close()

    def run(given: Given) -> dict[str, float]:
        sessions = derive(given.folder)
        return _measured(given, server, lambda: write(sessions))

    return run


def one_sync() -> Run:
    """Sync in one process."""
    return _sync(1)


def two_syncs() -> Run:
    """Sync the same folder in two processes at once."""
    return _sync(2)


def four_syncs() -> Run:
    """Sync the same folder in four processes at once."""
    return _sync(4)


def _sync(count: int) -> Run:
    server = _Server()
    blobs = Path(tempfile.mkdtemp(prefix="clew-bench-"))
    atexit.register(shutil.rmtree, blobs, ignore_errors=True)

    def work(folder: Path) -> None:
        command = [sys.executable, "-c", _SYNC, server.url, str(blobs), str(folder)]
        running = [subprocess.Popen(command) for _ in range(count)]  # noqa: S603
        if any([process.wait() for process in running]):  # noqa: C419 (all are waited for)
            raise RuntimeError("a sync failed")

    def run(given: Given) -> dict[str, float]:
        figures = _measured(given, server, lambda: work(given.folder))
        raw = _raw_bytes(given)
        names = ("rows share", "row index share", "words share", "word index share")
        sizes = zip(names, server.sizes(), strict=True)
        return figures | {name: size / raw for name, size in sizes}

    return run


def _measured(given: Given, server: _Server, work: Callable[[], None]) -> dict[str, float]:
    """Do the work, and say what it took here and in the server."""
    started, own, others = time.perf_counter(), own_cpu() + children_cpu(), server.cpu_seconds()
    work()
    seconds = time.perf_counter() - started
    own, others = own_cpu() + children_cpu() - own, server.cpu_seconds() - others
    megabytes = _raw_bytes(given) / 1e6
    return {
        "MB/s": megabytes / seconds,
        "MB per CPU s": megabytes / (own + others),
        _PER_100_MB: (own + others) / megabytes * 100,
        "client CPU s": own,
        "server CPU s": others,
    }


def _raw_bytes(given: Given) -> int:
    return sum(path.stat().st_size for path in given.paths)


POSTGRES: Final = (
    Contestant(
        "rows by COPY",
        "postgres",
        "write rows that are derived already",
        rows_alone,
        limits=(Limit(_PER_100_MB, 2.5),),
    ),
    Contestant(
        "rows and words by COPY",
        "postgres",
        "the same with the words of texts, and their index",
        rows_and_words,
        limits=(Limit(_PER_100_MB, 5),),
    ),
    Contestant("1 sync", "postgres", "first sync, in one process", one_sync),
    Contestant("2 syncs", "postgres", "two at once, of the same folder", two_syncs),
    Contestant("4 syncs", "postgres", "four at once, of the same folder", four_syncs),
)
