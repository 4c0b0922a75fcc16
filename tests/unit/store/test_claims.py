"""Several syncs on one server: what one has claimed, what another has done, and what fails."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from clew.archive import Archive
from clew.errors import ClewError
from clew.store import ArchiveBusyError
from clew.store.claims import SharedClaims
from clew.store.errors import WriteConflictError
from clew.store.jobs import run_jobs
from clew.store.location import open_index_for_writing
from clew.store.lock import enter
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import Database
from clew.store.sync_jobs import make_jobs
from clew.store.sync_sources import find_changes
from clew.store.sync_state import SyncState
from tests.build import SessionBuilder
from tests.contract.answers import NOW
from tests.postgres_dump import dump_postgres, frame_gaps

# What a transaction meets when it writes a session, the first so many times.
_FAULTS: Final = """
CREATE SEQUENCE attempt;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('attempt') <= {times} THEN {fault}; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER fail BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION fail();
"""
_CONFLICT: Final = "RAISE EXCEPTION 'conflict' USING ERRCODE = '{}'"
_SERIALIZATION, _DEADLOCK = "40001", "40P01"
_LOSS: Final = "PERFORM pg_terminate_backend(pg_backend_pid())"


@pytest.fixture
def location(postgres_url: str, tmp_path: Path) -> PostgresLocation:
    """Give the place of an archive that has its tables."""
    location = PostgresLocation(postgres_url, str(tmp_path / "blobs"))
    open_index_for_writing(location).database.close()
    return location


@pytest.fixture
def other(location: PostgresLocation) -> Iterator[Database]:
    """Give another connection for writing."""
    database = open_index_for_writing(location).database
    yield database
    database.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a folder of two sessions."""
    for name in ("one", "two"):
        session(name).write(tmp_path / "root")
    return tmp_path / "root"


def session(name: str) -> SessionBuilder:
    return SessionBuilder(name).at("2026-11-10T09:00:00Z").user("hi").assistant("hello")


def execute(location: PostgresLocation, text: str) -> list[Any]:
    with psycopg.connect(location.database_url, autocommit=True) as connection:
        cursor = connection.execute(text.encode())
        return cursor.fetchall() if cursor.description else []


def count_sessions(location: PostgresLocation) -> int:
    return int(execute(location, "SELECT count(*) FROM session")[0][0])


def test_what_another_sync_has_claimed_is_left_to_it(
    location: PostgresLocation, other: Database, root: Path
) -> None:
    claimed = session("one").session_id
    assert list(other.rows("claim_names", {"names": [claimed]})) == [(claimed,)]
    with Archive(location) as archive:
        first = archive.sync([root], now=NOW)
        other.run("release_names", {"names": [claimed]})
        second = archive.sync([root], now=NOW)

    assert (first.sessions_written, first.sessions_busy) == (1, 1)
    assert (second.sessions_written, second.sessions_busy) == (1, 0)


def test_claims_end_with_the_sync(location: PostgresLocation, other: Database, root: Path) -> None:
    names = [session(name).session_id for name in ("one", "two")]
    with Archive(location) as archive:
        archive.sync([root], now=NOW)
    assert len(list(other.rows("claim_names", {"names": names}))) == len(names)


def plan(location: PostgresLocation, root: Path) -> SyncState:
    """Find what is to be done, as a sync does at its beginning."""
    state = SyncState(location, open_index_for_writing(location), NOW)
    state.found.update(find_changes(state, root))
    return state


def test_what_another_sync_has_done_is_not_done_again(
    location: PostgresLocation, root: Path
) -> None:
    late = plan(location, root)
    jobs = make_jobs(late, set())
    with Archive(location) as archive:
        archive.sync([root], now=NOW)
    session("two").user("more").assistant("sure").write(root)

    begun = SharedClaims(late).begin(jobs)

    # One of them has grown since, and goes on from what the other sync has archived.
    assert [job.session_id for job in begun] == [session("two").session_id]
    [task] = begun[0].files
    assert task.known is not None
    assert task.found is not None
    assert 0 < task.known.kept_bytes < task.found.size
    late.database.close()


def test_sessions_without_current_rows_are_derived_by_one_sync(
    location: PostgresLocation, root: Path
) -> None:
    with Archive(location) as archive:
        archive.sync([root], now=NOW)
    one, two = (session(name).session_id for name in ("one", "two"))
    execute(location, f"DELETE FROM session WHERE id = '{one}'")  # noqa: S608
    execute(location, f"UPDATE session SET parser_version = 0 WHERE id = '{two}'")  # noqa: S608
    late = plan(location, root)
    jobs = make_jobs(late, {one, two})
    claims = SharedClaims(late)
    assert [job.session_id for job in claims.begin(jobs[:1])] == [jobs[0].session_id]
    with Archive(location) as archive:
        archive.sync([root], now=NOW, rebuild=True)

    assert claims.begin(jobs[1:]) == []
    late.database.close()


def test_a_sync_that_lost_its_claims_writes_nothing_over_what_another_has_written(
    location: PostgresLocation, root: Path, postgres_url: str
) -> None:
    with Archive(location) as archive:
        archive.sync([root], now=NOW)
    session("one").user("more").assistant("sure").write(root)
    lost = plan(location, root)
    claims = SharedClaims(lost)
    begun = claims.begin(make_jobs(lost, set()))
    results = run_jobs(begun)
    lost.database.run("release_all")
    session("one").user("more").assistant("sure").user("and more").assistant("yes").write(root)
    with Archive(location) as archive:
        assert archive.sync([root], now=NOW).sessions_written == 1
    expected = dump_postgres(postgres_url)

    claims.commit(list(zip(begun, results, strict=True)))

    assert lost.report.sessions_busy == 1
    assert dump_postgres(postgres_url) == expected
    assert frame_gaps(postgres_url) == []
    lost.database.close()


def test_whoever_has_to_be_alone_keeps_syncs_out(
    location: PostgresLocation, other: Database, root: Path
) -> None:
    enter(other, is_alone=True)
    with Archive(location) as archive:
        with pytest.raises(ArchiveBusyError):
            archive.sync([root], now=NOW)
        other.run("release_all")
        enter(other)
        archive.sync([root], now=NOW)
    third = open_index_for_writing(location).database
    with pytest.raises(ArchiveBusyError):
        enter(third, is_alone=True)
    third.close()


@pytest.mark.parametrize("code", [_SERIALIZATION, _DEADLOCK])
def test_a_sync_begins_anew_after_a_conflict(
    location: PostgresLocation, root: Path, code: str
) -> None:
    execute(location, _FAULTS.format(times=2, fault=_CONFLICT.format(code)))
    with Archive(location) as archive:
        report = archive.sync([root], now=NOW)

    assert (report.sessions_written, count_sessions(location)) == (2, 2)


def test_a_conflict_that_stays_is_an_error(location: PostgresLocation, root: Path) -> None:
    execute(location, _FAULTS.format(times=1_000, fault=_CONFLICT.format(_DEADLOCK)))
    with Archive(location) as archive, pytest.raises(WriteConflictError):
        archive.sync([root], now=NOW)
    assert count_sessions(location) == 0


def test_a_lost_connection_leaves_nothing_half_written(
    location: PostgresLocation, root: Path
) -> None:
    execute(location, _FAULTS.format(times=1, fault=_LOSS))
    with Archive(location) as archive:
        with pytest.raises(ClewError, match=r"connection to .* was lost .* run this again"):
            archive.sync([root], now=NOW)
        tables = [count_sessions(location), *execute(location, "SELECT count(*) FROM source_file")]
        assert tables == [0, (0,)]
        archive.sync([root], now=NOW)
    assert count_sessions(location) == 2


def test_the_number_of_changes_grows_with_whatever_anybody_writes(
    location: PostgresLocation, other: Database, root: Path
) -> None:
    before = other.version()
    with Archive(location) as archive:
        archive.sync([root], now=NOW)
        written = other.version()
        assert written != before
        archive.sync([root], now=NOW)
    assert other.version() == written
    someone = open_index_for_writing(
        PostgresLocation(location.database_url, location.blobs, owner=7)
    ).database
    with someone.transaction():
        someone.run("add_stale_session", {"session": "x", "now": ""})
    someone.close()
    assert other.version() != written
