"""What is deleted for good, when, and what survives."""

import sys
from pathlib import Path

import psycopg
import pytest

from clew.server.collect import collect_forgotten, delete_doomed, sweep_frames
from clew.server.deletion import purge_session, replay_deletions
from clew.server.holds import set_held
from clew.server.place import FramePlacer
from clew.server.received import read_plans
from clew.server.retention import expire_sessions
from clew.server.seal import seal_idle_files
from clew.server.verify_team import verify_team
from clew.server.worker import WorkerSettings
from clew.store.location import blobs_of
from clew.store.postgres.database import open_owner_database
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.session_tables import SESSION_TABLES
from tests.build import SessionBuilder
from tests.team.pushed import PushedTeam

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

AT_ONCE = WorkerSettings(quarantine_days=-1)
TABLES = (*SESSION_TABLES, "session", "search_text", "source_file", "frame", "received_file")
DIGEST = """INSERT INTO digest (session_id, receipt, model, prompt_version, made_at, title, outcome,
  text, json, claims_quoted, claims_dropped, cost_nano_usd, owner)
  VALUES (%s, '', 'm', 1, '', 'Secret plan', 'done', '', '{}', 0, 0, 0, %s)"""
CALL = """INSERT INTO digest_call (id, session_id, model, reserved_at, expires_at,
  reserved_nano_usd, owner) VALUES (%s, %s, 'm', '', '', 7, %s)"""
TOMBSTONE = "UPDATE session_state SET deleted_at = now() WHERE session_id = %s"


def count_rows(team: PushedTeam) -> int:
    return sum(team.value(f"SELECT count(*) FROM {table}") for table in TABLES)  # noqa: S608


def test_a_deleted_session_leaves_nothing(pushed_anywhere: PushedTeam, tmp_path: Path) -> None:
    team = pushed_anywhere
    ada, grace = team.add_member("ada"), team.add_member("grace")
    session = team.push_talk(ada, tmp_path / "claude")
    team.push(grace, tmp_path / "claude")
    team.work()
    for number, owner in enumerate((ada, grace)):
        team.rows(DIGEST, session, owner)
        team.rows(CALL, str(number), session, owner)
    team.rows(TOMBSTONE + " AND owner = %s", session, ada)

    assert team.work().sessions_deleted == 1

    assert team.rows("SELECT owner FROM digest") == [(grace,)]
    assert team.value("SELECT sum(reserved_nano_usd) FROM digest_call") == 14
    assert team.rows("SELECT owner FROM digest_call WHERE session_id <> ''") == [(grace,)]
    assert team.rows("SELECT owner FROM session") == [(grace,)]
    assert team.rows("SELECT DISTINCT member_id FROM pushed_frame") == [(grace,)]
    assert team.restored(ada) == {}
    assert list(team.objects.keys(f"{ada}/"))
    assert team.work(AT_ONCE).objects_deleted > 0
    assert list(team.objects.keys(f"{ada}/")) == []
    assert list(team.objects.keys("pushed/")) == []
    assert len(team.restored(grace)) == 1
    assert team.value("SELECT count(*) FROM doomed_object") == 0


def test_a_session_that_returns_is_safe_from_late_deletes(
    pushed: PushedTeam, tmp_path: Path
) -> None:
    ada = pushed.add_member("ada")
    session = pushed.push_talk(ada, tmp_path / "claude")
    pushed.work()
    pushed.rows(TOMBSTONE, session)
    pushed.work()
    pushed.rows("UPDATE session_state SET deleted_at = NULL")
    pushed.push(ada, tmp_path / "claude")
    assert pushed.work().sessions_derived == 1

    pushed.work(AT_ONCE)

    assert len(pushed.restored(ada)) == 1
    assert pushed.value("SELECT count(*) FROM session") == 1


def test_deletions_are_done_again_after_a_restore(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    deleted = pushed.push_talk(ada, tmp_path / "one", "This one goes")
    kept = pushed.push_talk(ada, tmp_path / "two", "This one returns")
    pushed.work()
    for session in (deleted, kept):
        pushed.rows(TOMBSTONE, session)
    pushed.work()
    pushed.rows("DELETE FROM session_state WHERE session_id = %s", deleted)
    pushed.rows("UPDATE session_state SET deleted_at = NULL WHERE session_id = %s", kept)
    pushed.push(ada, tmp_path / "one")
    pushed.push(ada, tmp_path / "two")
    pushed.rows(
        "UPDATE session_state SET grown_at = now() - interval '1 day' WHERE session_id = %s",
        deleted,
    )
    pushed.work()

    assert replay_deletions(pushed.location) == 1
    assert replay_deletions(pushed.location) == 0

    pushed.work()
    assert pushed.rows("SELECT id FROM session") == [(kept,)]
    refused = "SELECT deleted_at IS NOT NULL FROM session_state WHERE session_id = %s"
    assert pushed.value(refused, deleted) is True


def test_a_held_session_stays(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    session = pushed.push_talk(ada, tmp_path / "claude")
    pushed.work()
    pushed.rows("UPDATE organisation SET retention_days = 1")
    pushed.rows("UPDATE session_state SET held = true, grown_at = now() - interval '2 days'")
    assert expire_sessions(pushed.location) == 0
    pushed.rows(TOMBSTONE, session)

    assert purge_session(pushed.location, ada, session) is False
    assert pushed.work().sessions_deleted == 0
    assert pushed.value("SELECT count(*) FROM session") == 1


def test_a_held_session_keeps_what_was_replaced_until_it_is_released(
    pushed: PushedTeam, tmp_path: Path
) -> None:
    ada = pushed.add_member("ada")
    root = tmp_path / "claude"
    path = SessionBuilder().user("The password is hunter2").assistant("Noted.").write(root)
    pushed.push(ada, root)
    pushed.rows("UPDATE received_file SET tier = 'redacted'")
    pushed.work()
    pushed.rows(DIGEST, path.stem, ada)
    with open_team(pushed.location) as team:
        set_held(team, ada, path.stem, is_held=True)
    path.write_bytes(path.read_bytes().replace(b"hunter2", b"[secret 1]"))
    pushed.push(ada, root)
    pushed.work(AT_ONCE)

    assert stored_content(pushed, ada).count(b"hunter2") == 1
    assert b"hunter2" not in b"".join(pushed.restored(ada).values())
    assert pushed.rows("SELECT title FROM digest") == []
    assert verify_team(pushed.location).is_whole

    with open_team(pushed.location) as team:
        set_held(team, ada, path.stem, is_held=False)
    assert pushed.work(AT_ONCE).sessions_derived == 1
    pushed.work(AT_ONCE)

    assert b"hunter2" not in stored_content(pushed, ada)
    with open_team(pushed.location) as team:
        set_held(team, ada, path.stem, is_held=True)
        set_held(team, ada, path.stem, is_held=False)
    assert pushed.work().sessions_derived == 0


def stored_content(pushed: PushedTeam, member: int) -> bytes:
    """Return what all objects with archived files of a member have."""
    return b"".join(
        zstd.decompress(pushed.objects.get(key)) for key in pushed.objects.keys(f"{member}/")
    )


def test_retention_is_that_of_the_project_or_the_organisation(
    pushed: PushedTeam, tmp_path: Path
) -> None:
    ada = pushed.add_member("ada")
    project = pushed.value(
        "INSERT INTO team_project (organisation_id, name, retention_days) VALUES (%s, 'p', 30) "
        "RETURNING id",
        pushed.organisation,
    )
    old = pushed.push_talk(ada, tmp_path / "one", "An old one")
    longer = pushed.push_talk(ada, tmp_path / "two", "One that is kept for longer")
    pushed.work()
    pushed.rows("UPDATE session_state SET grown_at = now() - interval '10 days'")
    pushed.rows("UPDATE session_state SET project_id = %s WHERE session_id = %s", project, longer)
    assert expire_sessions(pushed.location) == 0
    pushed.rows("UPDATE organisation SET retention_days = 7")

    changes = "SELECT number FROM archive_change WHERE owner = %s"
    before = pushed.value(changes, ada)
    assert expire_sessions(pushed.location) == 1
    # Lists leave them out at once, not only when a worker has deleted them.
    assert pushed.value(changes, ada) > before

    pushed.work()
    assert pushed.rows("SELECT id FROM session") == [(longer,)]
    assert pushed.rows("SELECT action, session_id, actor FROM audit_event") == [
        ("session.expire", old, None)
    ]


def test_forgotten_uploads_are_collected_after_a_while(pushed: PushedTeam) -> None:
    ada = pushed.add_member("ada")
    frame = pushed.add_frame(ada, b"sent and never named")
    pushed.rows("UPDATE pushed_frame SET committed_at = NULL")
    (key,) = pushed.objects.keys("pushed/")

    assert collect_forgotten(pushed.location) == 0
    assert sweep_frames(pushed.location) == 0
    assert pushed.value("SELECT id FROM pushed_frame") == frame
    assert collect_forgotten(pushed.location, hours=0) == 1
    assert pushed.rows("SELECT object_key FROM doomed_object") == [(key,)]
    assert delete_doomed(pushed.location) == 0
    assert pushed.objects.get(key)
    assert delete_doomed(pushed.location, days=-1) == 1
    assert list(pushed.objects.keys("pushed/")) == []


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_frame_that_a_file_gets_meanwhile_survives(
    pushed: PushedTeam, tmp_path: Path, *, is_committed: bool
) -> None:
    ada = pushed.add_member("ada")
    pushed.push_talk(ada, tmp_path / "claude")
    frame = pushed.add_frame(ada, b"named just now")
    pushed.rows("UPDATE pushed_frame SET committed_at = NULL WHERE id = %s", frame)
    file = pushed.value("SELECT id FROM received_file")
    name_it = "INSERT INTO received_frame VALUES (%s, 1, 99, %s)"
    with (
        psycopg.connect(pushed.location.database_url) as pushing,
        open_team(pushed.location) as team,
        team.transaction(),
    ):
        pushing.execute(name_it, [file, frame])
        if is_committed:
            # A file may get it after it was chosen, and before it is locked.
            pushing.commit()
        else:
            assert team.rows("lock_forgotten_frames", {"hours": 0, "most": 10}) == []
            pushing.commit()
        team.run("delete_unused_frames", {"ids": [frame]})

    assert pushed.value("SELECT count(*) FROM pushed_frame WHERE id = %s", frame) == 1
    assert pushed.value("SELECT count(*) FROM doomed_object") == 0


def test_nobody_names_a_frame_while_it_is_collected(pushed: PushedTeam, tmp_path: Path) -> None:
    ada = pushed.add_member("ada")
    pushed.push_talk(ada, tmp_path / "claude")
    frame = pushed.add_frame(ada, b"named too late")
    pushed.rows("UPDATE pushed_frame SET committed_at = NULL WHERE id = %s", frame)
    with open_team(pushed.location) as team, team.transaction():
        assert team.rows("lock_forgotten_frames", {"hours": 0, "most": 10}) == [(frame,)]
        with pytest.raises(psycopg.errors.LockNotAvailable):
            pushed.rows(
                "INSERT INTO received_frame SELECT id, 1, 99, %s FROM received_file "
                "WHERE set_config('lock_timeout', '50ms', true) <> ''",
                frame,
            )
        team.run("delete_unused_frames", {"ids": [frame]})

    assert pushed.value("SELECT count(*) FROM pushed_frame WHERE id = %s", frame) == 0


def test_below_everything_only_the_present_generation_stays(
    pushed: PushedTeam, tmp_path: Path
) -> None:
    ada = pushed.add_member("ada")
    root = tmp_path / "claude"
    path = SessionBuilder().user("The password is hunter2").assistant("Noted.").write(root)
    pushed.push(ada, root)
    pushed.rows("UPDATE received_file SET tier = 'redacted'")
    pushed.work()
    path.write_bytes(path.read_bytes().replace(b"hunter2", b"[secret 1]"))
    pushed.push(ada, root)

    pushed.work(AT_ONCE)
    pushed.work(WorkerSettings(quarantine_days=-1, grace_hours=0))
    pushed.work(AT_ONCE)

    assert pushed.value("SELECT count(DISTINCT generation) FROM frame") == 1
    assert pushed.value("SELECT count(*) FROM pushed_frame") == 1
    kept = [pushed.objects.get(key) for key in pushed.objects.keys(f"{ada}/")]
    assert len(kept) == 1
    assert b"hunter2" not in b"".join(pushed.restored(ada).values())
    assert verify_team(pushed.location).is_whole
    assert list(pushed.objects.keys("pushed/")) == []


def place_only(pushed: PushedTeam, member: int, session: str) -> None:
    """Do what a worker has done that is killed before it writes any row."""
    own = pushed.as_owner(member)
    database = open_owner_database(own.database_url, member)
    team = TeamDatabase(database.connection)
    FramePlacer(team, pushed.objects, blobs_of(own)).place(read_plans(database, session))
    database.close()


def test_what_a_killed_worker_has_written_is_deleted_with_its_session(
    pushed_anywhere: PushedTeam, tmp_path: Path
) -> None:
    team = pushed_anywhere
    ada = team.add_member("ada")
    session = team.push_talk(ada, tmp_path / "claude")
    place_only(team, ada, session)
    assert list(team.objects.keys(f"{ada}/"))
    team.rows(TOMBSTONE, session)

    team.work()
    team.work(AT_ONCE)

    assert list(team.objects.keys(f"{ada}/")) == []
    assert list(team.objects.keys("pushed/")) == []


def test_what_a_killed_worker_has_written_of_an_earlier_generation_is_deleted(
    pushed_anywhere: PushedTeam, tmp_path: Path
) -> None:
    team = pushed_anywhere
    ada = team.add_member("ada")
    root = tmp_path / "claude"
    path = SessionBuilder().user("The password is hunter2").assistant("Noted.").write(root)
    team.push(ada, root)
    place_only(team, ada, path.stem)
    path.write_bytes(path.read_bytes().replace(b"hunter2", b"[secret 1]"))
    team.push(ada, root)
    team.rows("UPDATE received_file SET tier = 'redacted'")

    team.work()
    team.work(AT_ONCE)

    (key,) = team.objects.keys(f"{ada}/")
    assert ".g2." in key
    assert b"hunter2" not in b"".join(team.restored(ada).values())


def test_idle_files_become_one_object(pushed_anywhere: PushedTeam, tmp_path: Path) -> None:
    team = pushed_anywhere
    ada = team.add_member("ada")
    team.push_talk(ada, tmp_path / "claude", "A long question " * 5000)
    team.work()
    before = team.restored(ada)
    assert seal_idle_files(team.location) == 0

    assert seal_idle_files(team.location, idle=-1) == 1

    assert seal_idle_files(team.location, idle=-1) == 0
    assert len(list(team.objects.keys(f"{ada}/"))) == 1
    assert team.restored(ada) == before
