"""What a sync promises: only new bytes are read, nothing is lost, the order does not matter."""

import copy
import datetime as dt
import errno
import importlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest

from clew.archive import Archive
from clew.store import (
    ArchiveBusyError,
    FileExistsHereError,
    Home,
    Location,
    SyncProgress,
    frames,
    sync,
)
from clew.store.compare import COMPARED_BYTES
from clew.store.lock import writer_lock
from tests.build import SessionBuilder
from tests.dump import dump, execute, kept, tree
from tests.recordings import HERE

pytestmark = pytest.mark.slow

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
SAMPLES = (
    "2.1.325/tui-rewind",
    "2.1.325/subagent-nested",
    "2.1.325/tui-commands",
    "2.1.325/workflow",
    "1.0.30/resume",
    "2.0.76/subagent-types",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with sessions of several clients."""
    place = tmp_path / "claude"
    for sample in SAMPLES:
        if (HERE / sample / "root").is_dir():
            shutil.copytree(HERE / sample / "root", place, dirs_exist_ok=True)
    return place


def grow(path: Path, text: str) -> int:
    line = f'{{"type":"ai-title","aiTitle":"{text}","sessionId":"x"}}\n'.encode()
    with path.open("ab") as stream:
        stream.write(line)
    return len(line)


def session_file(root: Path) -> Path:
    return next(path for path in sorted(root.rglob("*.jsonl")) if len(path.stem) == 36)


def test_a_second_sync_reads_nothing(root: Path, location: Location) -> None:
    first = sync(location, [root], now=NOW)

    second = sync(location, [root], now=NOW)

    assert (second.bytes_read, second.rows_written) == (0, 0)
    assert second.files_unchanged == first.files_seen > 0


def test_an_append_reads_the_append_and_a_constant(root: Path, location: Location) -> None:
    sync(location, [root], now=NOW)
    added = grow(session_file(root), "grown")

    report = sync(location, [root], now=NOW)

    assert report.files_grown == 1
    assert added <= report.bytes_read <= added + COMPARED_BYTES


def test_every_byte_comes_back_after_the_source_is_gone(
    root: Path, location: Location, tmp_path: Path
) -> None:
    archive = Archive(location)
    archive.sync([root], now=NOW)
    source = tree(root)
    shutil.rmtree(root)

    assert not [found.fault for found in archive.verify() if found.fault]
    list(archive.restore(tmp_path / "back"))
    archive.close()

    assert {name: source[name] for name in tree(tmp_path / "back")} == tree(tmp_path / "back")
    assert {name for name in source if name.endswith(".jsonl")} <= set(tree(tmp_path / "back"))


def test_restoring_never_writes_over_a_file_unasked(
    root: Path, location: Location, tmp_path: Path
) -> None:
    archive = Archive(location)
    archive.sync([root], now=NOW)
    list(archive.restore(tmp_path / "back"))

    with pytest.raises(FileExistsHereError):
        list(archive.restore(tmp_path / "back"))
    archive.close()


def test_a_rewritten_file_starts_a_generation(root: Path, location: Location) -> None:
    sync(location, [root], now=NOW)
    path = session_file(root)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    report = sync(location, [root], now=NOW)

    assert report.files_rewritten == 1
    assert [row[3] for row in kept(location) if row[0].endswith(path.name)] == [2]


def test_rows_of_a_newer_version_stay_and_new_bytes_are_archived(
    root: Path, location: Location, tmp_path: Path
) -> None:
    sync(location, [root], now=NOW)
    execute(location, "UPDATE session SET parser_version = 1000")
    before = dump(location)
    path = session_file(root)
    grow(path, "grown")

    kept_only = sync(location, [root], now=NOW)
    again = sync(location, [root], now=NOW, rebuild=True)

    assert (kept_only.sessions_newer, kept_only.sessions_written) == (1, 0)
    assert (again.sessions_newer, again.sessions_written) == (0, 0)
    assert dump(location) == before
    assert [row[4] for row in kept(location) if row[0].endswith(path.name)] == [path.stat().st_size]
    # What the newer version does next.
    execute(location, "UPDATE session SET parser_version = 1")
    sync(location, [root], now=NOW)
    sync(Home(tmp_path / "whole"), [root], now=NOW)
    assert dump(location) == dump(Home(tmp_path / "whole"))


def test_a_vanished_source_stays_archived(root: Path, location: Location) -> None:
    sync(location, [root], now=NOW)
    before = dump(location)
    session_file(root).unlink()

    report = sync(location, [root], now=NOW)

    assert report.files_vanished == 1
    assert dump(location) == before


def test_rebuilding_from_the_kept_bytes_gives_identical_rows(
    root: Path, location: Location
) -> None:
    sync(location, [root], now=NOW)
    before = dump(location)
    shutil.rmtree(root)

    sync(location, [], now=NOW, rebuild=True)

    assert dump(location) == before


def test_a_kept_file_that_is_damaged_leaves_its_rows_and_all_others(
    root: Path, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    sync(home, [root], now=NOW)
    before = dump(home)
    blob = min(home.blobs.rglob("projects/*/*.jsonl.zst"))
    blob.write_bytes(b"")

    report = sync(home, [], now=NOW, rebuild=True)

    assert [fault for fault in report.faults if blob.name in fault]
    assert not report.errors
    assert dump(home) == before


def test_progress_counts_the_bytes_that_a_rebuild_goes_through(
    root: Path, location: Location
) -> None:
    report = sync(location, [root], now=NOW)
    seen: list[SyncProgress] = []

    sync(location, [], now=NOW, rebuild=True, on_progress=lambda p: seen.append(copy.copy(p)))

    done = [(p.done_bytes, p.sessions, p.committed_bytes, p.committed_sessions) for p in seen]
    assert len(done) == len(set(done)) > 4
    assert done == sorted(done)
    size = sum(row[4] for row in kept(location) if row[2])
    assert done[-1] == (size, report.sessions_total, size, report.sessions_total)
    assert {(p.total_bytes, p.total_sessions) for p in seen} == {(size, report.sessions_total)}


def test_committed_sessions_can_be_queried_at_once(root: Path, location: Location) -> None:
    seen: list[tuple[int, int]] = []

    def query(progress: SyncProgress) -> None:
        seen.append((progress.committed_sessions, len(dump(location)["session"])))

    report = sync(location, [root], now=NOW, on_progress=query)

    assert [committed for committed, _ in seen] == [archived for _, archived in seen]
    assert seen[-1][0] == report.sessions_total


@pytest.mark.parametrize("seed", range(4))
def test_syncing_in_pieces_gives_the_rows_of_syncing_at_once(
    root: Path, location: Location, tmp_path: Path, seed: int
) -> None:
    sync(Home(tmp_path / "whole"), [root], now=NOW)
    chance = random.Random(seed)  # noqa: S311 (a test's dice)
    partial = tmp_path / "partial"
    files = tree(root)

    for _ in range(3):
        for name, data in files.items():
            place = partial / name
            have = place.stat().st_size if place.exists() else 0
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("ab") as stream:
                stream.write(data[have : chance.randint(have, len(data))])
        sync(location, [partial], now=NOW)
    for name, data in files.items():
        (partial / name).write_bytes(data)
    sync(location, [partial], now=NOW)

    assert dump(location) == dump(Home(tmp_path / "whole"))


def test_other_processes_give_the_same_rows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("clew.store.job_runner"), "_WORTH_PROCESSES", 0)
    sync(Home(tmp_path / "two"), [root], now=NOW, workers=2)
    sync(Home(tmp_path / "one"), [root], now=NOW, workers=1)

    assert dump(Home(tmp_path / "two")) == dump(Home(tmp_path / "one"))


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")

    with writer_lock(home.lock), pytest.raises(ArchiveBusyError, match="in use by process"):
        sync(home, [], now=NOW)


def test_totals_do_not_change_when_a_fork_is_added(location: Location, tmp_path: Path) -> None:
    session = SessionBuilder().user("hi").assistant("hello").user("more").assistant("done")
    session.write(tmp_path / "claude")
    sync(location, [tmp_path / "claude"], now=NOW)
    before = total_tokens(location)

    session.fork("other").write(tmp_path / "claude")
    sync(location, [tmp_path / "claude"], now=NOW)

    assert total_tokens(location) == before > 0


def total_tokens(location: Location) -> int:
    rows = dump(location)["model_call"]
    return sum(row[8] for row in rows if row[20] == 0)


SCRIPT = """
import importlib, os, signal, sys, threading
from pathlib import Path
import clew
importlib.import_module("clew.store.sync")._WORTH_PROCESSES = 0
ended = threading.Event()
if sys.argv[3] == "threads":
    threading.Thread(target=ended.wait).start()
def end_here(progress):
    if sys.argv[4] == "killed" and progress.done_bytes:
        os.kill(os.getpid(), signal.SIGKILL)
with clew.open_archive(sys.argv[1]) as archive:
    report = archive.sync([Path(sys.argv[2])], workers=3, on_progress=end_here)
ended.set()
print(report.sessions_written)
"""


def run_script(home: Path, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Sync in other processes, copies of the first or, where it has threads, new ones."""
    command = [sys.executable, "-", str(home), str(root), *words]
    return subprocess.run(  # noqa: S603 (our own script)
        command, input=SCRIPT, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("threads", ["threads", "alone"])
def test_a_script_that_nobody_can_import_syncs_in_other_processes(
    root: Path, tmp_path: Path, threads: str
) -> None:
    done = run_script(tmp_path / "home", root, threads, "ends")
    sync(Home(tmp_path / "one"), [root], now=NOW, workers=1)

    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0
    assert dump(Home(tmp_path / "home")) == dump(Home(tmp_path / "one"))


@pytest.mark.parametrize("threads", ["threads", "alone"])
def test_other_processes_end_with_the_one_that_is_killed(
    root: Path, tmp_path: Path, threads: str
) -> None:
    # They hold its output open: a process that stays behind keeps the run from ending.
    done = run_script(tmp_path / "home", root, threads, "killed")
    sync(Home(tmp_path / "home"), [root], now=NOW, workers=1)
    sync(Home(tmp_path / "one"), [root], now=NOW, workers=1)

    assert done.returncode == -signal.SIGKILL
    assert dump(Home(tmp_path / "home")) == dump(Home(tmp_path / "one"))


def test_what_the_disk_does_not_take_gets_no_rows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space"):
        sync(Home(tmp_path / "home"), [root], now=NOW)

    assert kept(Home(tmp_path / "home")) == []


def test_what_the_disk_takes_only_in_part_is_kept_whole_by_the_next_sync(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, whole = Home(tmp_path / "home"), Home(tmp_path / "whole")
    monkeypatch.setattr(frames, "FRAME_BYTES", 64)
    written = os.write
    room = [200]

    def write(descriptor: int, data: bytes) -> int:
        if room[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        room[0] -= len(data)
        return written(descriptor, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        with pytest.raises(OSError, match="No space"):
            sync(home, [root], now=NOW, workers=1)
    left = kept(home)
    sync(home, [root], now=NOW, workers=1)
    sync(whole, [root], now=NOW, workers=1)

    assert left == []
    assert (kept(home), dump(home)) == (kept(whole), dump(whole))
    assert blob_tree(home) == blob_tree(whole)


def blob_tree(home: Home) -> dict[str, bytes]:
    """Give the blobs of an archive by their path."""
    return {
        path.relative_to(home.blobs).as_posix(): path.read_bytes()
        for path in home.blobs.rglob("*")
        if path.is_file()
    }


SYNC = """
import datetime as dt, sys
from pathlib import Path
from clew.store import Home, sync
sync(Home(Path(sys.argv[1])), [Path(sys.argv[2])], now=dt.datetime.now(dt.UTC), workers=1)
"""


def test_a_sync_that_is_killed_at_any_moment_is_completed_by_the_next(
    root: Path, tmp_path: Path
) -> None:
    sync(Home(tmp_path / "whole"), [root], now=NOW)
    whole = dump(Home(tmp_path / "whole"))
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", SYNC, tmp_path / "timed", root], check=True)  # noqa: S603
    length = time.monotonic() - started
    chance = random.Random(7)  # noqa: S311 (a test's dice)

    for number in range(50):
        home = tmp_path / "killed"
        process = subprocess.Popen([sys.executable, "-c", SYNC, home, root])  # noqa: S603
        try:
            process.wait(chance.uniform(0.3, 1.0) * length)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        if number % 5 == 4:
            sync(Home(home), [root], now=NOW)
            assert dump(Home(home)) == whole
            shutil.rmtree(home)
