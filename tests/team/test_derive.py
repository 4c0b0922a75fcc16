"""Workers derive what was pushed: the rows of a local sync of the same files."""

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from clew.server.derive import derive_session
from clew.server.queue import LostClaimError, claim_next, retry_session
from clew.source import discover
from clew.store import sync
from clew.store.frames import compress
from clew.store.location import open_index_for_writing
from clew.store.postgres.database import PostgresDatabase
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash
from tests.postgres_dump import dump_postgres, frame_gaps
from tests.postgres_server import PostgresServer
from tests.recordings import HERE
from tests.team.pushed import PushedTeam

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
SCENARIOS = ("2.1.325/subagent-nested", "2.1.325/workflow", "2.1.47/autocompact")


@pytest.fixture
def second_url(postgres_server: PostgresServer) -> Iterator[str]:
    """Give the address of another empty database."""
    url = postgres_server.make_database()
    yield url
    postgres_server.drop_database(url)


def synced_rows(location: PostgresLocation, scope: int) -> dict[str, Any]:
    """Give the rows of an archive whose sessions are all in one scope."""
    database = open_index_for_writing(location).database
    assert isinstance(database, PostgresDatabase)
    with psycopg.connect(location.database_url) as connection:
        names = connection.execute("SELECT id FROM session").fetchall()
    with database.transaction():
        for (name,) in names:
            database.move_session(name, scope)
    database.close()
    return plain_rows(location.database_url)


def plain_rows(url: str) -> dict[str, Any]:
    """Give all rows, but for the names of roots and of blobs; the server has sessions only."""
    found = dump_postgres(url)
    files = sorted((row[1:] for row in found.pop("file") if row[3] is not None), key=repr)
    transcripts = [
        tuple("" if str(value).endswith(".zst") else value for value in row)
        for row in found.pop("transcript")
    ]
    return {**found, "files": files, "transcripts": transcripts}


def test_rows_are_those_of_a_sync(
    pushed_anywhere: PushedTeam, second_url: str, tmp_path: Path
) -> None:
    team = pushed_anywhere
    member, root = team.add_member("ada"), tmp_path / "claude"
    synced = PostgresLocation(second_url, str(tmp_path / "synced"), owner=member)

    def push_and_sync() -> int:
        changed = team.push(member, root)
        assert team.work().sessions_derived == len(changed)
        sync(synced, [root], now=NOW)
        return len(changed)

    for name in SCENARIOS:
        shutil.copytree(HERE / name / "root", root, dirs_exist_ok=True)
    talk = SessionBuilder().user("Look around").tools(bash("ls", "a\nb")).assistant("Two files.")
    path = talk.write(root)
    empty = root / f"{path.relative_to(root).with_suffix('')}" / "tool-results" / "empty.txt"
    empty.parent.mkdir(parents=True)
    empty.write_bytes(b"")
    assert push_and_sync() > len(SCENARIOS)
    talk.user("And now?").assistant("Nothing else, " * 5000)
    talk.write(root)
    assert push_and_sync() == 1
    path.write_bytes(path.read_bytes().replace(b"Nothing else", b"Something else"))
    assert push_and_sync() == 1

    expected = synced_rows(synced, team.scope_of(member))
    found = plain_rows(team.location.database_url)
    for table, rows in expected.items():
        assert found[table] == rows, table
    assert frame_gaps(team.location.database_url) == []
    assert team.restored(member) == pushed_files(root)
    waiting = (
        "SELECT count(*) FROM pushed_frame WHERE object_key IS NOT NULL OR lost_at IS NOT NULL"
    )
    assert team.value(waiting) == 0
    assert team.value("SELECT count(*) FROM doomed_object") == len(
        list(team.objects.keys("pushed/"))
    )
    assert team.rows("SELECT DISTINCT digest_skip, attempts, claim FROM session_state") == [
        ("off", 0, None)
    ]


def pushed_files(root: Path) -> dict[str, bytes]:
    return {
        file.relative: file.path.read_bytes()
        for file in discover(root).files
        if file.session_id is not None
    }


def test_a_worker_that_is_late_writes_nothing(pushed_anywhere: PushedTeam, tmp_path: Path) -> None:
    team = pushed_anywhere
    member = team.add_member("ada")
    team.push_talk(member, tmp_path / "claude")
    with open_team(team.location) as database:
        late = claim_next(database, "late", lease=0)
    assert late is not None
    team.work()
    rows = dump_postgres(team.location.database_url)

    with pytest.raises(LostClaimError):
        derive_session(team.location, late)

    assert dump_postgres(team.location.database_url) == rows
    assert team.value("SELECT head_seq = derived_seq FROM session_state") is True


def test_growth_while_a_session_is_derived_is_not_lost(
    pushed_anywhere: PushedTeam, tmp_path: Path
) -> None:
    team = pushed_anywhere
    member = team.add_member("ada")
    team.push_talk(member, tmp_path / "claude")
    with open_team(team.location) as database:
        claimed = claim_next(database, "one")
    assert claimed is not None
    team.rows("UPDATE session_state SET head_seq = head_seq + 1")

    derive_session(team.location, claimed)

    assert team.rows("SELECT head_seq, derived_seq FROM session_state") == [(2, 1)]
    assert team.work().sessions_derived == 1


def test_a_lost_object_is_sent_again(pushed_anywhere: PushedTeam, tmp_path: Path) -> None:
    team = pushed_anywhere
    member = team.add_member("ada")
    session = team.push_talk(member, tmp_path / "claude")
    ((key, digest),) = team.rows("SELECT object_key, hash FROM pushed_frame")
    team.objects.delete([key])

    report = team.work()

    assert (report.sessions_waiting, report.sessions_failed) == (1, 0)
    ((attempts, failed, reason),) = team.rows(
        "SELECT attempts, failed_reason, waiting_reason FROM session_state"
    )
    assert (attempts, failed) == (0, None)
    assert "sent again" in reason
    assert team.value("SELECT lost_at IS NOT NULL AND object_key IS NULL FROM pushed_frame")

    ((packed, _),) = compress([team.contents[bytes(digest)]], 0, 0)
    team.objects.put("pushed/again", packed)
    team.rows("UPDATE pushed_frame SET lost_at = NULL, object_key = 'pushed/again'")
    with open_team(team.location) as database:
        retry_session(database, member, session)
    assert team.work().sessions_derived == 1


def test_a_damaged_archived_file_is_made_again(pushed: PushedTeam, tmp_path: Path) -> None:
    team = pushed
    member = team.add_member("ada")
    root = tmp_path / "claude"
    session = team.push_talk(member, root, "Look around " * 5000)
    team.work()
    (blob,) = Path(team.location.blobs, str(member)).rglob("*.zst")
    data = bytearray(blob.read_bytes())
    data[-10] ^= 1
    blob.write_bytes(data)
    team.rows("UPDATE session_state SET head_seq = head_seq + 1")

    assert team.work().sessions_waiting == 1

    lost = team.rows("SELECT id, hash FROM pushed_frame WHERE lost_at IS NOT NULL")
    assert len(lost) == 1
    ((packed, _),) = compress([team.contents[bytes(lost[0][1])]], 0, 0)
    team.objects.put("pushed/again", packed)
    team.rows(
        "UPDATE pushed_frame SET lost_at = NULL, object_key = 'pushed/again' WHERE id = %s",
        lost[0][0],
    )
    with open_team(team.location) as database:
        retry_session(database, member, session)
    assert team.work().sessions_derived == 1
    assert team.restored(member) == pushed_files(root)
    assert team.value("SELECT count(*) FROM damaged_blob") == 0


def test_frames_of_several_files_are_found_where_they_are(
    pushed_anywhere: PushedTeam, tmp_path: Path
) -> None:
    team = pushed_anywhere
    member = team.add_member("ada")
    root = tmp_path / "claude"
    SessionBuilder().user("Look around").assistant("So it is.").write(root)
    team.push(member, root, "one")
    team.work()
    team.push(member, root, "two")

    assert team.work().sessions_derived == 1
    assert team.value("SELECT count(*) FROM pushed_frame") == 1
    assert team.value("SELECT count(*) FROM frame") == 2
    assert team.restored(member) == pushed_files(root)
