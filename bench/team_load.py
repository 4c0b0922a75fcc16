"""`python -m bench.team_load`: devices push to a team server while others read there.

A server, its workers, PostgreSQL and all devices run on this machine; every device pushes as many
transcripts. Readers ask for home, lists, searches and sessions from the start until all is parsed.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec
import psycopg

from bench.generate import cache_folder, parse_size
from bench.load_report import exit_code, report
from bench.process_tree import spent_by
from bench.queries import QUERIES
from bench.readers import Question, get, read_all
from bench.team_devices import PushedLoad, Spending, make_devices, push_all
from bench.visits import Memory, Visited, measure_memory
from clew.store.postgres.team import prepare_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer, running_postgres
from tests.team.machines import CLEW, Machine, TeamPrograms

_MEGABYTE: Final = 1_000_000
_MORE_CONNECTIONS: Final = {"max_connections": "400"}
_KINDS: Final = ("home", "list", "search", "session")
_FILTERS: Final = ("", "?sort=cost", "?text=test", "?group=project")
_SECOND: Final = 1.0
_LONGEST_SECONDS: Final = 1_800.0
_UNPARSED: Final = "SELECT count(*) FROM session_state WHERE head_seq > derived_seq"
_FAILED: Final = "SELECT count(*) FROM session_state WHERE failed_reason IS NOT NULL"


class LoadScene(msgspec.Struct, frozen=True):
    """All that runs."""

    database: PostgresServer
    programs: TeamPrograms
    machines: list[Machine]
    synced: Spending

    def count(self, question: str) -> int:
        """Ask the database for a number."""
        with psycopg.connect(self.programs.location.database_url) as connection:
            ((number,),) = connection.execute(question.encode())
        return int(number)

    def spent(self) -> dict[str, float]:
        """Return how long the processors have worked for each part so far."""
        running = self.programs.running
        pid_file = self.database.folder / "data" / "postmaster.pid"
        ids = {name: process.pid for name, process in running.items()}
        ids["database"] = int(pid_file.read_text("utf-8").split()[0])
        return {name: spent_by(number).cpu_seconds for name, number in ids.items()}


class Loaded(msgspec.Struct, frozen=True):
    """What came of it: what was sent, when all was parsed, and what each part spent."""

    pushed: PushedLoad
    parsed_seconds: float
    spent: dict[str, float]
    visited: Visited
    again: PushedLoad


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and fail when an answer was wrong or something did not arrive."""
    options = _options(arguments)
    with load_scene(options) as scene:
        scene.programs.start_worker()
        found = asyncio.run(_load(scene, options))
    for line in (*_tell(scene, found, options), *report(found.visited)):
        sys.stdout.write(f"{line}\n")
    return exit_code(found.visited, is_strict=options.strict)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.team_load", description=__doc__)
    parser.add_argument("--size", type=parse_size, default="200MB", help="of all devices together")
    parser.add_argument("--devices", type=int, default=10)
    parser.add_argument("--readers", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pause", type=float, default=1, help="seconds for which a page is read")
    parser.add_argument("--strict", action="store_true", help="exit 4 when a budget is missed")
    return parser.parse_args(arguments)


@contextmanager
def load_scene(options: argparse.Namespace) -> Iterator[LoadScene]:
    """Start a server with its database, and let members join with devices; nothing is pushed."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=cache_folder(), ignore_cleanup_errors=True) as place,
        running_postgres(_MORE_CONNECTIONS) as database,
    ):
        folder = Path(place)
        location = PostgresLocation(database.make_database(), str(folder / "blobs"))
        prepare_team(location)
        worker = (*CLEW, "worker", "--processes", str(options.workers))
        programs = TeamPrograms(location, worker)
        programs.start_server()
        try:
            machines, synced = make_devices(programs, options.devices, options.size, folder)
            yield LoadScene(database, programs, machines, synced)
        finally:
            programs.stop()


async def _load(scene: LoadScene, options: argparse.Namespace) -> Loaded:
    observer = Observer(scene)
    before, started = scene.spent(), time.perf_counter()
    watching = asyncio.create_task(observer.watch())
    reading = asyncio.create_task(
        read_all(
            scene.programs.address,
            options.readers,
            options.pause,
            observer.choose,
            lambda: observer.is_over,
            tokens=[machine.token for machine in scene.machines],
        )
    )
    with ThreadPoolExecutor(1) as pool:
        pushed = await asyncio.get_running_loop().run_in_executor(pool, push_all, scene.machines)
    observer.is_pushed = True
    await watching
    parsed = time.perf_counter() - started
    answers = await reading
    spent = {name: used - before[name] for name, used in scene.spent().items()}
    again = push_all(scene.machines[:1])
    trouble = "some sessions failed" if scene.count(_FAILED) else ""
    visited = Visited(answers, observer.memory, observer.is_parsed, trouble)
    return Loaded(pushed, parsed, spent, visited, again)


class Observer:
    """Looks once a second at the latest sessions, at what is not parsed yet, and at memory."""

    def __init__(self, scene: LoadScene) -> None:
        self._scene = scene
        self.memory: list[Memory] = []
        self.ids: list[str] = []
        self.is_pushed = False
        self.is_parsed = False
        self.is_over = False

    async def watch(self) -> None:
        """Observe until all is parsed."""
        started = time.perf_counter()
        server = self._scene.programs.running["server"].pid
        while not self.is_over:
            elapsed = time.perf_counter() - started
            self.memory.append(measure_memory(server, elapsed))
            await self.find_latest()
            self.is_parsed = self.is_pushed and not self._scene.count(_UNPARSED)
            self.is_over = self.is_parsed or elapsed > _LONGEST_SECONDS
            await asyncio.sleep(0 if self.is_over else _SECOND)

    async def find_latest(self) -> None:
        """Find the latest sessions."""
        address, token = self._scene.programs.address, self._scene.machines[0].token
        found = msgspec.json.decode(await get(address, "/api/sessions?limit=20", token))
        self.ids = [quote(session["id"], safe="") for session in found["sessions"]]

    def choose(self, dice: random.Random) -> Question:
        """Pick what a reader asks next; of sessions, one of the latest."""
        kind = dice.choice(_KINDS if self.ids else ("home", "list", "search"))
        match kind:
            case "home":
                return kind, "/"
            case "list":
                return kind, f"/sessions{dice.choice(_FILTERS)}"
            case "search":
                return kind, f"/search?q={quote(dice.choice(QUERIES))}"
            case _:
                return kind, f"/sessions/{dice.choice(self.ids)}"


def _tell(scene: LoadScene, found: Loaded, options: argparse.Namespace) -> Iterable[str]:
    pushed, synced = found.pushed, scene.synced
    size = pushed.bytes / _MEGABYTE
    busy = os.getloadavg()[0]
    yield f"{options.devices} devices, {options.readers} readers; load of the machine {busy:.1f}"
    own = size / options.devices
    yield f"first sync of {own:.0f} MB: {synced.seconds:.1f} s, {synced.cpu_seconds:.1f} CPU s"
    sent = f"{pushed.packed_bytes / _MEGABYTE:.1f} MB in {pushed.frames:,} frames"
    yield f"pushed {size:.0f} MB as {sent} in {pushed.spent.seconds:.1f} s"
    yield f"parsed after {found.parsed_seconds:.1f} s"
    parts = {"devices": pushed.spent.cpu_seconds, **found.spent}
    for name, used in parts.items():
        yield f"  {name}: {used:.1f} CPU s, {used / size * 100:.1f} per 100 MB"
    again = found.again
    yield f"a repeat sends {again.frames} frames and takes {again.spent.seconds:.1f} s"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
