"""Worker processes: several at once, killed, stopped, without a database; sessions that fail."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import active_children
from pathlib import Path

import msgspec
import psycopg
import pytest

from clew.server.queue import MOST_ATTEMPTS, claim_next, retry_all, retry_session
from clew.server.work_report import WorkerReport
from clew.server.worker import Worker, WorkerSettings
from clew.server.worker_processes import WorkerRun, background_workers
from clew.store.postgres.team import open_team
from clew.store.session_tables import PARSER_VERSION
from tests.build import SessionBuilder
from tests.postgres_dump import dump_postgres, frame_gaps
from tests.team.pushed import PushedTeam

pytestmark = pytest.mark.slow

Start = Callable[..., subprocess.Popen[str]]
LIMIT = 90.0
LOWEST_PRIORITY = 19
LISTENING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
)
UNDONE = "SELECT count(*) FROM session_state WHERE head_seq > derived_seq"


def wait_until(is_true: Callable[[], object]) -> None:
    """Wait for something, for much longer than it should take."""
    until = time.monotonic() + LIMIT
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def start() -> Iterator[Start]:
    """Give a function that starts a command of a team; what still runs at the end is killed."""
    processes: list[subprocess.Popen[str]] = []

    def begin(team: PushedTeam, *words: str) -> subprocess.Popen[str]:
        location = team.location
        archive = {"CLEW_ARCHIVE": location.database_url, "CLEW_BLOBS": location.blobs}
        process = subprocess.Popen(  # noqa: S603 (our own command)
            [sys.executable, "-m", "clew", *words],
            env={**os.environ, **archive},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def push_many(team: PushedTeam, member: int, folder: Path, count: int, *, more: str = "") -> None:
    for number in range(count):
        session = SessionBuilder(f"talk {number}").user(f"Question {number}")
        session.assistant("An answer. " * 200).user(more or "Thanks").assistant("So.")
        session.write(folder)
    team.push(member, folder)


def test_killed_workers_leave_nothing_undone(
    pushed_anywhere: PushedTeam, tmp_path: Path, start: Start
) -> None:
    team = pushed_anywhere
    ada = team.add_member("ada")
    push_many(team, ada, tmp_path / "claude", 8)
    lease = WorkerSettings(lease_seconds=0.5)
    alive = [start(team, "worker") for _ in range(2)]
    for round_number in range(2):
        wait_until(lambda: team.value("SELECT count(*) FROM session_state WHERE claim IS NOT NULL"))
        victim = alive.pop(0)
        victim.kill()
        victim.communicate()
        team.rows("UPDATE session_state SET claimed_until = now() WHERE claim IS NOT NULL")
        alive.append(start(team, "worker"))
        push_many(team, ada, tmp_path / "claude", 8, more=f"Thanks {round_number}")
    for process in alive:
        process.kill()
        process.communicate()
    team.rows("UPDATE session_state SET claimed_until = now() WHERE claim IS NOT NULL")

    team.work(lease)

    assert team.value(UNDONE) == 0
    assert team.value("SELECT count(*) FROM session") == 8
    assert frame_gaps(team.location.database_url) == []
    assert len(team.restored(ada)) == 8
    rows = dump_postgres(team.location.database_url)
    team.rows("UPDATE session_state SET head_seq = head_seq + 1")
    assert team.work().sessions_derived == 8
    assert dump_postgres(team.location.database_url) == rows


def test_workers_share_what_is_due(pushed: PushedTeam, tmp_path: Path, start: Start) -> None:
    ada = pushed.add_member("ada")
    push_many(pushed, ada, tmp_path / "claude", 8)

    process = start(pushed, "worker", "--processes", "2", "--once", "--json")
    out, error = process.communicate(timeout=LIMIT)

    assert process.returncode == 0, error
    report = msgspec.json.decode(out, type=WorkerReport)
    assert report.sessions_derived == 8
    assert (report.sessions_failed, report.sessions_lost) == (0, 0)
    assert pushed.value(UNDONE) == 0


def test_a_worker_wakes_up_and_stops_when_it_is_told(
    pushed: PushedTeam, tmp_path: Path, start: Start
) -> None:
    ada = pushed.add_member("ada")
    with background_workers(WorkerRun(location=pushed.location, count=1)):
        pushed.push_talk(ada, tmp_path / "claude")
        pushed.rows("SELECT pg_notify('clew_work', '')")
        wait_until(lambda: pushed.value(UNDONE) == 0)
    process = start(pushed, "worker")
    assert process.stderr is not None
    assert "Waiting for sessions" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)

    out, _ = process.communicate(timeout=LIMIT)

    assert process.returncode == 0
    assert out.startswith("0 sessions")


def test_a_server_has_workers_of_its_own(pushed: PushedTeam, tmp_path: Path, start: Start) -> None:
    ada = pushed.add_member("ada")
    pushed.push_talk(ada, tmp_path / "claude")
    process = start(pushed, "server", "--port", "0", "--workers", "1")

    wait_until(lambda: pushed.value(UNDONE) == 0)
    wait_until(lambda: pushed.value(LISTENING))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=LIMIT)

    wait_until(lambda: not pushed.value(LISTENING))


def test_pages_go_before_the_workers_of_a_server(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    others = set(active_children())
    with background_workers(WorkerRun(location=pushed.location, count=1)):
        pushed.push_talk(ada, tmp_path / "claude")
        pushed.rows("SELECT pg_notify('clew_work', '')")
        wait_until(lambda: pushed.value(UNDONE) == 0)
        (worker,) = set(active_children()) - others
        priority = os.getpriority(os.PRIO_PROCESS, worker.pid or 0)

    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert priority == min(LOWEST_PRIORITY, own + 5)


def test_a_session_that_ends_its_workers_fails_after_five(
    pushed: PushedTeam, tmp_path: Path
) -> None:
    ada = pushed.add_member("ada")
    poison = pushed.push_talk(ada, tmp_path / "one", "This one ends its workers")
    for _ in range(MOST_ATTEMPTS):
        with open_team(pushed.location) as team:
            claimed = claim_next(team, "killed", lease=0)
        assert claimed is not None
    good = pushed.push_talk(ada, tmp_path / "two", "This one is fine")

    assert pushed.work().sessions_derived == 1

    ((session, attempts, reason),) = pushed.rows(
        "SELECT session_id, attempts, failed_reason FROM session_state "
        "WHERE claim IS NULL AND head_seq > derived_seq"
    )
    assert (session, attempts) == (poison, MOST_ATTEMPTS)
    assert "5 workers ended" in reason
    assert pushed.work().sessions_derived == 0
    with open_team(pushed.location) as team:
        assert retry_session(team, ada, good) is False
        assert retry_all(team) == 1
    assert pushed.work().sessions_derived == 1
    assert pushed.value(UNDONE) == 0


def test_a_session_that_cannot_be_written_says_why(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    session = pushed.push_talk(ada, tmp_path / "claude")
    pushed.rows("ALTER TABLE turn ADD CONSTRAINT refuse CHECK (message_count < 0)")
    for attempt in range(1, MOST_ATTEMPTS + 1):
        pushed.rows("UPDATE session_state SET due_at = now()")
        assert pushed.work().sessions_failed == (attempt == MOST_ATTEMPTS)

    ((reason, attempts),) = pushed.rows("SELECT failed_reason, attempts FROM session_state")
    assert attempts == MOST_ATTEMPTS
    assert reason.startswith("CheckViolation in ")
    assert pushed.value("SELECT count(*) FROM session") == 0
    pushed.rows("ALTER TABLE turn DROP CONSTRAINT refuse")
    assert pushed.work().sessions_derived == 0
    with open_team(pushed.location) as team:
        assert retry_session(team, ada, session) is True
    assert pushed.work().sessions_derived == 1


def test_growth_and_a_newer_parser_begin_anew(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    pushed.push_talk(ada, tmp_path / "claude")
    given_up = "UPDATE session_state SET attempts = 5, failed_reason = 'no', attempted_parser = %s"
    pushed.rows(given_up, PARSER_VERSION)
    assert pushed.work().sessions_derived == 0
    pushed.rows(given_up, PARSER_VERSION - 1)
    assert pushed.work().sessions_derived == 1
    pushed.rows("UPDATE session_state SET derived_parser = %s", PARSER_VERSION - 1)
    assert pushed.work().sessions_derived == 1
    pushed.rows("UPDATE session_state SET derived_parser = %s, head_seq = 5", PARSER_VERSION + 1)
    assert pushed.work().sessions_derived == 0


def test_a_worker_without_a_database_waits_and_goes_on(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    stop = threading.Event()
    worker = Worker(pushed.location, WorkerSettings(poll_seconds=0.1), stop)
    thread = threading.Thread(target=worker.run)
    thread.start()
    name = pushed.value("SELECT current_database()")
    wait_until(lambda: pushed.value(LISTENING))
    pushed.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = %s AND pid <> pg_backend_pid()",
        name,
    )
    pushed.push_talk(ada, tmp_path / "claude")

    wait_until(lambda: pushed.value(UNDONE) == 0)

    stop.set()
    thread.join(LIMIT)
    assert not thread.is_alive()
    assert worker.report.sessions_derived == 1


def test_a_long_session_is_kept_by_its_worker(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    pushed.push_talk(ada, tmp_path / "claude")
    worker = Worker(pushed.location, WorkerSettings(lease_seconds=0.3))
    working = threading.Thread(target=worker.run_once)
    claimed = "SELECT count(*) FROM session_state WHERE claim IS NOT NULL"
    with psycopg.connect(pushed.location.database_url) as other:
        # Nothing can be written for this member until the end of the transaction.
        other.execute("SELECT pg_advisory_xact_lock(1668048247, hashint8(%s))", [ada])
        working.start()
        wait_until(lambda: pushed.value(claimed))
        with open_team(pushed.location) as team:
            for _ in range(20):
                time.sleep(0.05)
                assert claim_next(team, "other") is None
    working.join(LIMIT)

    assert worker.report.sessions_derived == 1
