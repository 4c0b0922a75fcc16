"""`python -m bench.team_workers`: what parsing costs with one worker process, and with several.

The same pushed transcripts are parsed by each number of processes, from a copy of the database that
has only received them.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import psycopg

from bench.generate import cache_folder, parse_size
from bench.process_tree import spent_by
from bench.team_devices import children_cpu, make_devices, push_all
from clew.store.postgres import pool
from clew.store.postgres.team import prepare_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer, running_postgres
from tests.team.machines import CLEW, TeamPrograms, plain_environ

_MEGABYTE: Final = 1_000_000
_DUE: Final = "UPDATE session_state SET due_at = now()"


def main(arguments: Sequence[str]) -> int:
    """Measure each number of processes, and print a line for each."""
    options = _options(arguments)
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=cache_folder(), ignore_cleanup_errors=True) as place,
        running_postgres() as database,
    ):
        folder = Path(place)
        pushed = _push(options, database, folder)
        first = 0.0
        for count in options.workers:
            blobs = folder / f"blobs of {count}"
            shutil.copytree(pushed.blobs, blobs)
            url = database.make_database(like=pushed.database_url)
            location = PostgresLocation(url, str(blobs))
            make_all_due(location)
            first = _measure(database, location, count, first)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.team_workers", description=__doc__)
    parser.add_argument("--size", type=parse_size, default="100MB", help="of all devices together")
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    return parser.parse_args(arguments)


def _push(options: argparse.Namespace, database: PostgresServer, folder: Path) -> PostgresLocation:
    """Fill a server that has no worker."""
    location = PostgresLocation(database.make_database(), str(folder / "blobs"))
    prepare_team(location)
    programs = TeamPrograms(location)
    programs.start_server()
    try:
        machines, _ = make_devices(programs, options.devices, options.size, folder)
        push_all(machines)
    finally:
        programs.stop()
        pool.clear()
    return location


class Parsed(msgspec.Struct, frozen=True):
    """What it took to parse all that was pushed."""

    megabytes: float
    seconds: float
    worker_cpu_seconds: float
    database_cpu_seconds: float

    @property
    def cpu_seconds(self) -> float:
        """How long processors worked in all."""
        return self.worker_cpu_seconds + self.database_cpu_seconds


def parse_all(database: PostgresServer, location: PostgresLocation, count: int) -> Parsed:
    """Parse all that is due, in so many worker processes."""
    environ = {"CLEW_ARCHIVE": location.database_url, "CLEW_BLOBS": location.blobs}
    server = int((database.folder / "data" / "postmaster.pid").read_text("utf-8").split()[0])
    before, used, started = spent_by(server).cpu_seconds, children_cpu(), time.perf_counter()
    done = subprocess.run(  # noqa: S603 (our own module)
        [*CLEW, "worker", "--once", "--processes", str(count), "--json"],
        env={**plain_environ(), **environ},
        stdout=subprocess.PIPE,
        check=True,
    )
    seconds = time.perf_counter() - started
    size = msgspec.json.decode(done.stdout)["bytes_read"] / _MEGABYTE
    return Parsed(size, seconds, children_cpu() - used, spent_by(server).cpu_seconds - before)


def make_all_due(location: PostgresLocation) -> None:
    """Let workers parse all sessions now, however young they are."""
    with psycopg.connect(location.database_url) as connection:
        connection.execute(_DUE)


def _measure(
    database: PostgresServer, location: PostgresLocation, count: int, first: float
) -> float:
    """Parse all, print what it took, and return the CPU seconds per 100 MB."""
    parsed = parse_all(database, location, count)
    size, both = parsed.megabytes, parsed.cpu_seconds
    per_100 = both / size * 100
    more = f", {per_100 / first - 1:+.0%}" if first else ""
    sys.stdout.write(
        f"{count} processes: {size:.0f} MB in {parsed.seconds:.1f} s; "
        f"{parsed.worker_cpu_seconds:.1f} CPU s of workers, "
        f"{parsed.database_cpu_seconds:.1f} of the database: {per_100:.1f} per 100 MB{more}; "
        f"{size / both:.0f} MB per CPU second\n"
    )
    return first or per_100


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
