"""`python -m bench.s3`: what blobs on S3 cost, against blobs in a folder.

The database is PostgreSQL each time. The S3 server runs on this machine, once as it is and once at
the end of a line that delays every request.
"""

import argparse
import datetime as dt
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.table import Table

from bench.generate import generated, parse_size
from clew.archive import Archive
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import running_postgres
from tests.s3_servers import S3Server, running_rclone
from tests.slow_proxy import SlowProxy, slow_proxy

_MEGABYTE: Final = 1_000_000


class Measured(msgspec.Struct, frozen=True):
    """How long something took, how much of it was work of ours, and how many requests it made."""

    what: str
    seconds: float
    cpu_seconds: float
    requests: int


def main(arguments: Sequence[str]) -> int:
    """Measure all places, and print a table."""
    options = _parse(arguments)
    source = generated(options.size, 0)
    with running_postgres() as database, running_rclone() as server:
        os.environ.update(server.environment)
        table = Table("blobs", "what", "s", "CPU s", "requests")
        for name, delay in (("folder", None), ("S3", 0.0), ("S3, far", options.delay_ms / 1000)):
            with _place(server, delay) as (address, proxy):
                location = PostgresLocation(database.make_database(), address)
                for found in _measure(location, source, proxy):
                    figures = f"{found.seconds:.2f}", f"{found.cpu_seconds:.2f}"
                    table.add_row(name, found.what, *figures, str(found.requests))
        Console().print(table)
    return 0


@contextmanager
def _place(server: S3Server, delay: float | None) -> Iterator[tuple[str, SlowProxy | None]]:
    """Give the address of empty blobs: in a folder, or so many seconds away."""
    if delay is None:
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
            yield folder, None
        return
    bucket = server.make_bucket()
    with slow_proxy(server.port, delay) as proxy:
        yield f"s3://{bucket}/blobs?endpoint={proxy.endpoint}", proxy
    server.drop_bucket(bucket)


def _measure(
    location: PostgresLocation, source: Path, proxy: SlowProxy | None
) -> Iterator[Measured]:
    now = dt.datetime.now(dt.UTC)
    with Archive(location) as archive:
        yield _timed("first sync", proxy, lambda: archive.sync([source], now=now))
        yield _timed("sync again", proxy, lambda: archive.sync([source], now=now))
        sizes = {name: _size(archive, name) for name in archive.session_versions()}
        longest = max(sizes, key=lambda name: sizes[name])
        told = f"open a session of {sizes[longest] / _MEGABYTE:.0f} MB"
        yield _timed(told, proxy, lambda: archive.conversation(longest))
        yield _timed("open it again", proxy, lambda: archive.conversation(longest))
        yield _timed("verify all files", proxy, lambda: list(archive.verify()))


def _size(archive: Archive, session_id: str) -> int:
    return sum(file.kept_bytes for file in archive.session_files(session_id))


def _timed(what: str, proxy: SlowProxy | None, work: Callable[[], object]) -> Measured:
    before = proxy.requests if proxy else 0
    started, used = time.perf_counter(), _cpu_seconds()
    work()
    seconds, cpu = time.perf_counter() - started, _cpu_seconds() - used
    return Measured(what, seconds, cpu, (proxy.requests if proxy else 0) - before)


def _cpu_seconds() -> float:
    """Return how long this process and those it has waited for have worked."""
    return sum(os.times()[:4])


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.s3", description=__doc__)
    parser.add_argument("--size", type=parse_size, default=parse_size("100MB"))
    parser.add_argument("--delay-ms", type=float, default=30.0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
