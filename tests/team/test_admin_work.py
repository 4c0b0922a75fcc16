"""`clew admin status`, `retry`, `hold`, `release`, and what `verify` finds is made again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.cli.app import main
from clew.server.queue import claim_next
from clew.server.work_status import read_work_status
from clew.store.frames import compress
from clew.store.location import blobs_address
from clew.store.postgres.team import open_team
from clew.store.s3 import open_bucket
from tests.team.pushed import PushedTeam

Admin = Callable[..., tuple[int, str, str]]


@pytest.fixture
def admin(
    pushed_anywhere: PushedTeam,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Admin:
    """Give a function that runs `clew admin`, and returns its exit code and output."""
    monkeypatch.setenv("CLEW_ARCHIVE", pushed_anywhere.location.database_url)
    monkeypatch.setenv("CLEW_BLOBS", pushed_anywhere.location.blobs)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["admin", *words])
        out, error = capsys.readouterr()
        return code, out, error

    return run


def read_status(admin: Admin) -> Any:
    code, out, _ = admin("status", "--json")
    assert code == 0
    return json.loads(out)


def test_status_says_what_is_where_and_why(
    pushed_anywhere: PushedTeam, admin: Admin, tmp_path: Path
) -> None:
    team = pushed_anywhere
    ada = team.add_member("ada")
    team.push_talk(ada, tmp_path / "parsed", "parsed")
    team.work()
    failed = team.push_talk(ada, tmp_path / "failed", "failed")
    team.rows(
        "UPDATE session_state SET failed_reason = 'MemoryError', attempts = 5, "
        "attempted_parser = 99 WHERE session_id = %s",
        failed,
    )
    dead = team.push_talk(ada, tmp_path / "dead", "dead")
    with open_team(team.location) as database:
        claim_next(database, "host-1", lease=-1)
    working = team.push_talk(ada, tmp_path / "working", "working")
    team.rows(
        "UPDATE session_state SET due_at = now() + interval '1 h' WHERE session_id = %s", dead
    )
    with open_team(team.location) as database:
        claim_next(database, "host-2")
    due = team.push_talk(ada, tmp_path / "due", "due")

    found = read_status(admin)

    assert {each["session_id"]: each["state"] for each in found["listed"]} == {
        failed: "failed",
        dead: "overrun",
        working: "working",
        due: "due",
    }
    counts = {name: found[name] for name in ("sessions", "working", "lease_overruns", "failed")}
    assert counts == {"sessions": 1, "working": 1, "lease_overruns": 1, "failed": 1}
    assert (found["due"], found["listed"][0]["reason"]) == (1, "MemoryError")
    assert found["content_bytes"] > 0
    by_id = {each["session_id"]: each["worker"] for each in found["listed"]}
    assert by_id[working] == "host-2"
    code, out, _ = admin("status")
    assert code == 0
    assert "1 failed" in out
    assert "MemoryError" in out
    with open_team(team.location) as database:
        assert read_work_status(database, team.organisation + 1).listed == []


def test_retry_revives_failed_sessions(
    pushed_anywhere: PushedTeam, admin: Admin, tmp_path: Path
) -> None:
    team = pushed_anywhere
    ada, grace = team.add_member("ada"), team.add_member("grace")
    session = team.push_talk(ada, tmp_path / "claude")
    team.push(grace, tmp_path / "claude")
    team.rows("UPDATE session_state SET failed_reason = 'no', attempts = 5, attempted_parser = 99")

    assert admin("retry")[0] == 2
    assert admin("retry", "nothing")[0] == 3
    code, _, error = admin("retry", session[:8])
    assert code == 2
    assert "ada, grace" in error
    assert admin("retry", session[:8], "--member", "ada")[:2] == (
        0,
        f"{session} will be tried again\n",
    )
    assert admin("retry", session[:8], "--member", "ada")[:2] == (0, f"{session} has not failed\n")
    assert admin("retry", "--all")[:2] == (0, "1 session will be tried again\n")


def test_a_session_is_held_and_released(
    pushed_anywhere: PushedTeam, admin: Admin, tmp_path: Path
) -> None:
    team = pushed_anywhere
    session = team.push_talk(team.add_member("ada"), tmp_path / "claude")

    assert admin("hold", session)[:2] == (0, f"{session} is held\n")
    assert team.value("SELECT held FROM session_state") is True
    assert admin("hold", session)[0] == 0
    assert admin("release", session)[:2] == (0, f"{session} can be deleted\n")
    assert team.value("SELECT held FROM session_state") is False
    assert team.rows("SELECT action FROM audit_event ORDER BY id") == [
        ("session.hold",),
        ("session.release",),
    ]


def test_verify_finds_what_is_missing_and_it_is_filled_again(
    pushed_anywhere: PushedTeam, admin: Admin, tmp_path: Path
) -> None:
    team = pushed_anywhere
    ada = team.add_member("ada")
    team.push_talk(ada, tmp_path / "one", "archived " * 5000)
    team.work()
    waiting = team.push_talk(ada, tmp_path / "two", "waiting")
    assert admin("verify")[0] == 0
    before = team.restored(ada)
    archived = list(team.objects.keys(f"{ada}/"))
    upload = team.value("SELECT object_key FROM pushed_frame WHERE object_key IS NOT NULL")
    team.objects.delete([archived[-1], upload])

    forget_frames(team, ada)

    code, out, _ = admin("verify", "--json")

    assert code == 4
    found = json.loads(out)["report"]
    assert (found["frames_lost"], found["sessions_redone"]) == (1, 1)
    assert team.work().sessions_derived == 0
    assert send_lost(team) >= 2
    assert team.work().sessions_derived == 2
    forget_frames(team, ada)
    assert admin("verify")[0] == 0
    after = team.restored(ada)
    assert {path: after[path] for path in before} == before
    assert any(waiting in path for path in after)


def forget_frames(team: PushedTeam, member: int) -> None:
    """Read frames anew, as another process does."""
    address = blobs_address(team.as_owner(member))
    if address.startswith("s3://"):
        open_bucket(address).cache.clear()


def send_lost(team: PushedTeam) -> int:
    """Send all lost frames again, as devices do."""
    lost = team.rows("SELECT id, hash FROM pushed_frame WHERE lost_at IS NOT NULL")
    for frame, digest in lost:
        ((packed, _),) = compress([team.contents[bytes(digest)]], 0, 0)
        team.objects.put(f"pushed/again/{frame}", packed)
        team.rows(
            "UPDATE pushed_frame SET lost_at = NULL, object_key = %s WHERE id = %s",
            f"pushed/again/{frame}",
            frame,
        )
    team.rows("UPDATE session_state SET head_seq = head_seq + 1, due_at = now(), attempts = 0")
    return len(lost)
