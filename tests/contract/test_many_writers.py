"""Four syncs at once on one archive, killed at random moments, make of it what one sync makes.

Each is a process of its own. They find the same files, some of which grow meanwhile, and some of
which copy answers of others.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from clew.archive import Archive
from clew.store import ArchiveAddress, find_location
from tests.build import SessionBuilder, Usage, bash
from tests.contract.answers import NOW
from tests.dump import tree
from tests.postgres_dump import dump_postgres, frame_gaps
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.slow

WRITERS: Final = 4
IS_LONG: Final = bool(os.environ.get("CLEW_TEST_ALL"))
SESSIONS: Final = 120 if IS_LONG else 24
KILLS: Final = 100 if IS_LONG else 6
# Small bundles and transactions: a writer is killed between any two of them.
SCRIPT: Final = """
import datetime as dt, importlib, sys, time
from pathlib import Path
from clew.store import ArchiveAddress, find_location, job_order, sync
runner = importlib.import_module("clew.store.job_runner")
runner._WORTH_PROCESSES = 0
runner._FIRST_BATCH_BYTES = runner._BATCH_BYTES = 256 << 10
job_order.BUNDLE_BYTES = 64 << 10
url, blobs, root, stop, workers = sys.argv[1:]
location = find_location(ArchiveAddress(url, blobs))
print("started", flush=True)
is_last = False
while not is_last:
    is_last = Path(stop).exists()
    now = dt.datetime.now(dt.UTC)
    report = sync(location, [Path(root)], now=now, workers=int(workers))
    for problem in (*report.errors, *report.faults):
        print(problem)
    time.sleep(0.02)
"""


class Writer:
    """A process that syncs again and again, until it is told to stop."""

    def __init__(self, arguments: list[str]) -> None:
        self._command = [sys.executable, "-c", SCRIPT, *arguments]
        self.begin()

    def begin(self) -> None:
        """Start the process, and wait until it has imported what it needs."""
        self.process = subprocess.Popen(  # noqa: S603
            self._command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "started\n"

    def kill(self) -> None:
        """Kill the process, and begin again."""
        assert self.process.poll() is None, self.process.communicate()
        self.process.kill()
        assert self.process.communicate()[0] == ""
        self.begin()

    def finish(self) -> None:
        """Wait for the end of the process."""
        written, errors = self.process.communicate(timeout=300)
        assert (self.process.returncode, written) == (0, ""), errors


def make_sessions() -> Iterator[SessionBuilder]:
    """Give sessions, some with an agent, and copies of some of them that go on in another way."""
    for number in range(SESSIONS):
        session = SessionBuilder(f"session {number}").at("2026-11-10T09:00:00Z").wait(number)
        for turn in range(8):
            session.user(f"fix the error in file {turn}")
            session.tools(bash("pytest", f"failed {number} {turn} " * 200))
            session.assistant("the test is done", usage=Usage(100, 10 + turn))
        if number % 5 == 1:
            session.agent("Look", "Look.", lambda run: run.assistant("Seen."))
        yield session
        if number % 3 == 0:
            copied = session.fork(f"copy {number}").wait(60)
            yield copied.user("another way").assistant("as you like", usage=Usage(20, 20))


def grow(path: Path, step: int) -> None:
    """Append some lines to a session, as a client does."""
    more = SessionBuilder(f"{path.stem} {step}").at("2026-11-11T09:00:00Z").wait(60 * step)
    more.user("and more").assistant("sure " * 50, usage=Usage(50, 500))
    own = more.content().replace(more.session_id.encode(), path.stem.encode())
    with path.open("ab") as file:
        file.write(own)


def sync_alone(url: str, blobs: str, root: Path) -> None:
    """Sync once, with nobody else about."""
    with Archive(find_location(ArchiveAddress(url, blobs))) as archive:
        report = archive.sync([root], now=NOW, workers=1)
        assert (report.sessions_busy, report.errors, report.faults) == (0, [], [])


@pytest.fixture
def other_url(postgres_server: PostgresServer) -> Iterator[str]:
    """Give the address of a second empty database."""
    url = postgres_server.make_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=["folder", "s3"] if IS_LONG else ["folder"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the address of empty blobs."""
    if request.param == "s3":
        return str(request.getfixturevalue("s3_address"))
    return str(tmp_path / "blobs")


@pytest.mark.timeout(3_600 if IS_LONG else 300)
def test_four_writers_that_are_killed_make_the_archive_of_one(
    tmp_path: Path, postgres_url: str, other_url: str, blobs: str
) -> None:
    root = tmp_path / "root"
    sessions = [session.write(root) for session in make_sessions()]
    dice = random.Random(1)  # noqa: S311 (a test's dice)
    stop = tmp_path / "stop"
    arguments = [postgres_url, blobs, str(root), str(stop)]
    writers = [Writer([*arguments, str(1 + number % 2)]) for number in range(WRITERS)]
    for step in range(KILLS):
        time.sleep(dice.uniform(0, 0.3))
        dice.choice(writers).kill()
        for path in sessions[step % 2 :: 2]:
            grow(path, step)
    stop.touch()
    for writer in writers:
        writer.finish()
    # What one of them had left to another that was killed.
    sync_alone(postgres_url, blobs, root)
    sync_alone(other_url, str(tmp_path / "other"), root)

    assert frame_gaps(postgres_url) == []
    found, expected = dump_postgres(postgres_url), dump_postgres(other_url)
    assert [name for name in expected if found[name] != expected[name]] == []
    with Archive(find_location(ArchiveAddress(postgres_url, blobs))) as archive:
        assert [file.fault for file in archive.verify(sources=True) if file.fault] == []
        assert not [file.fault for file in archive.restore(tmp_path / "restored") if file.fault]
    assert tree(tmp_path / "restored") == tree(root)
