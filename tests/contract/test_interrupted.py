"""An interrupted first sync: the newest sessions are complete, and the next sync does the rest.

What is promised: sessions are begun newest first and committed whole, in batches, as they are done.
So of the sessions that are newer than the oldest archived one, only those are missing that other
workers had at that moment: at most one bundle for each of the others. A session longer than a
bundle may come before its turn, so that nobody waits for it in the end.
"""

import datetime as dt
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from clew.archive import Archive
from clew.store import Home, job_order, sync
from tests.build import SessionBuilder
from tests.dump import dump, kept

pytestmark = pytest.mark.slow

NOW: Final = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
SESSIONS: Final = 240
LONG: Final = 200
"""The place of a session that is longer than a bundle, among the oldest."""
BUNDLE: Final = 256 << 10
LEAST_WEIGHT: Final = 32 << 10
SCRIPT: Final = f"""
import datetime as dt, importlib, sys
from pathlib import Path
from clew.store import Home, job_order
from clew.store.sync import sync
module = importlib.import_module("clew.store.sync")
module._WORTH_PROCESSES = 0
module._FIRST_BATCH_BYTES = module._BATCH_BYTES = 1 << 20
job_order.BUNDLE_BYTES = {BUNDLE}
def show(progress):
    print(progress.committed_sessions, flush=True)
home, root, workers = sys.argv[1:]
now = dt.datetime.now(dt.UTC)
sync(Home(Path(home)), [Path(root)], now=now, workers=int(workers), on_progress=show)
"""
Dump = dict[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions of several kilobytes, each written to a minute before the one before it."""
    place = tmp_path_factory.mktemp("sources")
    for number in range(SESSIONS):
        session = SessionBuilder(f"session {number}")
        for turn in range(600 if number == LONG else 6):
            session.user(f"fix the error in file {turn}").assistant("the test is done " * 20)
        written = NOW.timestamp() - 60 * number
        os.utime(session.write(place), (written, written))
    return place


@pytest.fixture(scope="module")
def newest(root: Path) -> list[str]:
    """The ids of all sessions, the newest first."""
    files = sorted(root.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)
    return [path.stem for path in files]


@pytest.fixture(scope="module")
def whole(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """An archive of all sessions, made without interruption."""
    home = Home(tmp_path_factory.mktemp("whole"))
    sync(home, [root], now=NOW)
    return home


def archived(home: Home) -> set[str]:
    """Give the ids of the archived sessions; none as long as there is no database."""
    try:
        connection = apsw.Connection(str(home.database), flags=apsw.SQLITE_OPEN_READONLY)
        return {str(row[0]) for row in connection.execute("SELECT id FROM session")}
    except (apsw.CantOpenError, apsw.SQLError, apsw.BusyError):
        return set()


def rows_of(rows: Dump, sessions: set[str]) -> Dump:
    """Give the rows that belong to some sessions."""
    places = {"session": 1, "index": 2}
    return {
        table: [row for row in found if row[places.get(table, 0)] in sessions]
        for table, found in rows.items()
    }


def passed_over(newest: list[str], present: set[str]) -> set[str]:
    """Give the missing sessions that are newer than the oldest archived one.

    The long one comes before its turn and does not count.
    """
    in_turn = [name for name in newest if name != newest[LONG]]
    oldest = max((place for place, name in enumerate(in_turn) if name in present), default=0)
    return set(in_turn[:oldest]) - present


def sync_and_kill(home: Home, root: Path, workers: int, seed: int) -> None:
    """Kill a first sync at some moment after it has committed some sessions."""
    dice = random.Random(seed)  # noqa: S311 (a test's dice)
    enough = dice.randint(1, SESSIONS * 3 // 4)
    words = [sys.executable, "-c", SCRIPT, str(home.folder), str(root), str(workers)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= enough:
                break
        time.sleep(dice.uniform(0, 0.05))
        process.kill()
        # Its workers end right after it, and have its output and its lock until then.
        process.stdout.read()


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_killed_first_sync_leaves_the_newest_sessions_complete(
    root: Path, newest: list[str], whole: Home, tmp_path: Path, seed: int, workers: int
) -> None:
    home = Home(tmp_path / "home")
    sync_and_kill(home, root, workers, 10 * workers + seed)
    present = archived(home)

    assert len(passed_over(newest, present)) <= (workers - 1) * (BUNDLE // LEAST_WEIGHT)
    assert dump(home) == rows_of(dump(whole), present)


@pytest.mark.parametrize("seed", range(2))
def test_the_next_sync_completes_a_killed_one(
    root: Path, whole: Home, tmp_path: Path, seed: int
) -> None:
    home = Home(tmp_path / "home")
    sync_and_kill(home, root, 2, seed)
    before = archived(home)

    report = sync(home, [root], now=NOW)

    assert report.sessions_written == SESSIONS - len(before)
    assert (kept(home), dump(home)) == (kept(whole), dump(whole))
    archive = Archive(home)
    assert not [found.fault for found in archive.verify() if found.fault]
    archive.close()


def test_ctrl_c_leaves_what_is_committed_and_exits_cleanly(
    root: Path, newest: list[str], whole: Home, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    words = [sys.executable, "-m", "clew", "sync", "--root", str(root)]
    environ = {**os.environ, "CLEW_HOME": str(home.folder)}
    pipe = subprocess.PIPE
    # Ctrl-C reaches all processes of a terminal's job.
    with subprocess.Popen(  # noqa: S603
        words, env=environ, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as process:
        while not archived(home) and process.poll() is None:
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    present = archived(home)

    assert (process.returncode, "Traceback" in errors) == (130, False)
    bundle = job_order.BUNDLE_BYTES // LEAST_WEIGHT
    assert len(passed_over(newest, present)) <= ((os.cpu_count() or 1) - 1) * bundle
    assert len(present) < SESSIONS
    assert dump(home) == rows_of(dump(whole), present)
    sync(home, [root], now=NOW)
    assert dump(home) == dump(whole)
