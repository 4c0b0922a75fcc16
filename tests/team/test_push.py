"""Pushes from a laptop to a real server: what arrives, what does not, and what happens between."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import apsw
import pytest

from clew.cli import main
from clew.protocol import Tier
from clew.push import (
    LoginRefusedError,
    PushBusyError,
    PushReport,
    ServerRefusedError,
    ServerUnreachableError,
    push,
    server_heads,
)
from clew.server.accounts import require_member, set_quota
from clew.store.blob_names import root_folder
from clew.store.lock import writer_lock
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash
from tests.postgres_server import PostgresServer
from tests.recordings import HERE
from tests.team.laptop import PROJECT, Laptop, TeamOfTests, running_team

_numbers = count(1)


@pytest.fixture(scope="module")
def server(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TeamOfTests]:
    url = postgres_server.make_database(like=prepared_database)
    location = PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    with running_team(location) as team:
        yield team


@pytest.fixture
def name() -> str:
    return f"member{next(_numbers)}"


@pytest.fixture
def member(server: TeamOfTests, name: str) -> int:
    return server.join(name)


@pytest.fixture
def laptop(server: TeamOfTests, member: int, tmp_path: Path) -> Laptop:
    return Laptop(tmp_path / "laptop", server.address, server.device(member))


def talk(name: str = "session", turns: int = 2) -> SessionBuilder:
    session = SessionBuilder(name)
    for number in range(turns):
        session.user(f"question {number} of {name}").tools(bash("ls", "a.py")).assistant("done")
    return session


def own_files(laptop: Laptop) -> dict[str, bytes]:
    """Return the files of sessions, which are those that a push sends."""
    stays = ("history.jsonl", "memory/", "plans/")
    return {
        path: content
        for path, content in laptop.files().items()
        if content and not any(part in path for part in stays)
    }


def test_all_files_of_sessions_arrive_and_a_repeat_sends_nothing(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    recording = HERE / "2.1.325" / "subagent-nested" / "root"
    shutil.copytree(recording, laptop.root, dirs_exist_ok=True)
    (laptop.root / "history.jsonl").write_text('{"display":"a secret plan"}\n')
    laptop.sync()
    for project in laptop.archive.projects():
        laptop.allow(path=project.project)
    would = laptop.preview()

    report = laptop.push()

    assert report.problems == []
    assert server.received(member) == own_files(laptop)
    assert any("subagents" in path for path in server.received(member))
    assert [item.path for item in would.items] == [item.path for item in report.items]
    assert (would.frames, would.bytes) == (report.frames, report.bytes)
    before = server.proxy.requests
    assert laptop.push().files == 0
    assert laptop.preview().files == 0
    assert server.proxy.requests == before + 1


def test_growth_is_one_frame_and_a_rewritten_file_another_generation(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    laptop.allow()
    session = talk()
    path = session.write(laptop.root)
    laptop.push()
    session.user("go on").assistant("yes").write(laptop.root)

    grown = laptop.push()

    assert (grown.files, grown.frames) == (1, 1)
    assert server.received(member) == own_files(laptop)
    path.write_bytes(path.read_bytes().replace(b"question", b"querying"))
    assert laptop.push().files == 1
    assert server.received(member) == own_files(laptop)
    rows = server.rows("SELECT generation FROM received_file WHERE member_id = %s", member)
    assert rows == [(2,)]


def test_nothing_leaves_that_was_not_allowed(
    laptop: Laptop, server: TeamOfTests, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    (folder / "inner" / ".git").mkdir(parents=True)
    capped = tmp_path / "capped"
    capped.mkdir()
    (capped / ".clew.toml").write_text('[team]\nmax_tier = "nothing"\n')
    SessionBuilder("plain", cwd=str(folder)).user("hi").write(laptop.root)
    SessionBuilder("other", cwd=str(folder)).user("hi").cwd("/etc").user("x").write(laptop.root)
    inner = SessionBuilder("inner", cwd=str(folder)).user("hi")
    inner.cwd(str(folder / "inner")).user("secret").write(laptop.root)
    SessionBuilder("capped", cwd=str(capped)).user("hi").write(laptop.root)
    before, requests = server.changes(), server.proxy.requests

    assert laptop.push().files == 0
    laptop.allow(Tier.NOTHING, str(folder))
    assert laptop.push().files == 0

    assert (server.changes(), server.proxy.requests) == (before, requests)
    laptop.allow(path=str(folder))
    laptop.allow(path=str(capped))
    report = laptop.push()
    assert report.sessions == 1
    assert report.items[0].session_id == SessionBuilder("plain").session_id
    reasons = " ".join(held.reason for held in report.held_back)
    assert "/etc" in reasons
    assert str(folder / "inner") in reasons


def test_a_dry_run_sends_nothing(
    laptop: Laptop, server: TeamOfTests, capsys: pytest.CaptureFixture[str]
) -> None:
    laptop.allow()
    talk().write(laptop.root)
    laptop.logins.add(laptop.login, laptop.login.token)
    before, requests = server.changes(), server.proxy.requests

    words = ["--archive", str(laptop.home), "push", "--dry-run", "--root", str(laptop.root)]
    assert main(words) == 0

    out = capsys.readouterr().out
    assert "Would push 1 file of 1 session" in out
    assert "everything" in out
    assert (server.changes(), server.proxy.requests) == (before, requests)


def test_a_push_that_was_killed_goes_on(laptop: Laptop, server: TeamOfTests, member: int) -> None:
    laptop.allow()
    for number in range(30):
        talk(f"session {number}").write(laptop.root)
    laptop.sync()
    laptop.logins.add(laptop.login, laptop.login.token)
    server.proxy.seconds = 0.2
    command = [sys.executable, "-m", "clew", "--archive", str(laptop.home), "push", "--no-sync"]
    process = subprocess.Popen(command, env={**os.environ, "HOME": str(laptop.home)})  # noqa: S603
    wait_for(lambda: server.frames(member) >= 3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    server.proxy.seconds = 0
    sent = server.frames(member)
    assert 3 <= sent < 30

    report = laptop.push()

    assert report.files == 30
    assert server.received(member) == own_files(laptop)
    assert server.frames(member) == 30


def test_a_server_that_is_down_loses_nothing(laptop: Laptop, server: TeamOfTests) -> None:
    laptop.allow()
    talk().write(laptop.root)
    server.proxy.server_port, port = 1, server.proxy.server_port
    try:
        with pytest.raises(ServerUnreachableError, match="nothing is lost"):
            laptop.push()
    finally:
        server.proxy.server_port = port

    assert laptop.push().files == 1


@pytest.mark.parametrize("status", [408, 503])
def test_a_busy_server_is_asked_again(
    laptop: Laptop, server: TeamOfTests, member: int, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr("clew.push.team_client._FIRST_PAUSE", 0.01)
    monkeypatch.setattr(server.proxy, "refusal_status", status)
    laptop.allow()
    for number in range(6):
        talk(f"session {number}").write(laptop.root)
    server.proxy.refuse_each(3)
    try:
        report = laptop.push()
    finally:
        server.proxy.refuse_each(0)

    assert report.files == 6
    assert server.proxy.refused > 0
    assert server.received(member) == own_files(laptop)


def test_tokens_that_are_wrong_or_revoked_are_refused(
    laptop: Laptop, server: TeamOfTests, member: int, tmp_path: Path
) -> None:
    laptop.allow()
    talk().write(laptop.root)
    stranger = Laptop(tmp_path / "stranger", server.address, "clew_wrong")
    stranger.allow()
    talk().write(stranger.root)

    with pytest.raises(LoginRefusedError, match="clew login"):
        stranger.push()
    assert laptop.push().files == 1
    server.rows("UPDATE device SET revoked_at = now() WHERE member_id = %s", member)
    talk(turns=3).write(laptop.root)
    with pytest.raises(LoginRefusedError, match="revoked"):
        laptop.push()


def test_a_quota_stops_a_push_until_it_is_larger(
    laptop: Laptop, server: TeamOfTests, member: int, name: str
) -> None:
    laptop.allow()
    for number in range(3):
        talk(f"session {number}").write(laptop.root)
    size = min(map(len, own_files(laptop).values()))
    with open_team(server.location) as team:
        set_quota(team, require_member(team, name), size // 2)

    with pytest.raises(ServerRefusedError, match="no storage is left"):
        laptop.push()

    with open_team(server.location) as team:
        set_quota(team, require_member(team, name), None)
    laptop.push()
    assert server.received(member) == own_files(laptop)


def test_a_server_of_another_version_is_named(
    laptop: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop.allow()
    talk().write(laptop.root)
    monkeypatch.setattr(server_heads, "PROTOCOL_VERSION", 99)

    with pytest.raises(ServerRefusedError, match="ask for a newer server"):
        laptop.push()


def copy_of(laptop: Laptop, folder: Path) -> Laptop:
    """Return a machine that has the same files and the same archive."""
    other = Laptop(folder, laptop.login.server, laptop.login.token)
    shutil.copytree(laptop.home, other.home)
    shutil.copytree(laptop.root, other.root, dirs_exist_ok=True)
    # The same root, wherever it is.
    with apsw.Connection(str(other.home / "archive.db")) as connection:
        connection.execute("UPDATE root_id SET root = ?", (str(other.root),))
        connection.execute("UPDATE source_file SET root = ?", (str(other.root),))
        for blob in (other.home / "files").iterdir():
            blob.rename(blob.with_name(root_folder(str(other.root))))
    return other


def test_two_devices_push_the_same_session_at_once(
    laptop: Laptop, server: TeamOfTests, member: int, tmp_path: Path
) -> None:
    laptop.allow()
    session = talk()
    session.write(laptop.root)
    laptop.push()
    other = copy_of(laptop, tmp_path / "other")
    session.user("on both").write(other.root)
    other.sync()
    session.user("on the first").write(laptop.root)
    reports: list[PushReport] = []

    def push_other(_: object) -> None:
        if not reports:
            reports.append(push(other.archive, other.login))

    report = laptop.push(on_progress=push_other)

    assert [each.files for each in (report, *reports)] == [1, 1]
    assert [each.problems for each in (report, *reports)] == [[], []]
    assert server.received(member) == own_files(laptop)
    rows = server.rows("SELECT generation FROM received_file WHERE member_id = %s", member)
    assert rows == [(2,)]
    assert laptop.push().files == 0


def test_one_process_pushes_at_a_time(laptop: Laptop) -> None:
    laptop.allow()
    talk().write(laptop.root)

    with writer_lock(laptop.home / "push.lock"), pytest.raises(PushBusyError):
        laptop.push()


def test_a_server_that_was_restored_is_filled_again(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    laptop.allow()
    session = talk()
    session.write(laptop.root)
    laptop.push()
    tables = ("received_frame", "received_file", "session_state", "pushed_frame", "consent")
    for table in tables:
        server.rows("CREATE TABLE saved_$ AS SELECT * FROM $".replace("$", table))
    session.user("later").write(laptop.root)
    talk("another").write(laptop.root)
    laptop.push()
    laptop.allow(Tier.EVERYTHING)
    laptop.push()
    expected = server.received(member)

    for table in tables:
        server.rows("DELETE FROM $".replace("$", table))
    for table in reversed(tables):
        insert = "INSERT INTO $ OVERRIDING SYSTEM VALUE SELECT * FROM saved_$"
        server.rows(insert.replace("$", table))
        server.rows("DROP TABLE saved_$".replace("$", table))
    assert server.received(member) != expected

    report = laptop.push()

    assert report.problems == []
    assert server.received(member) == expected == own_files(laptop)


def test_lost_frames_are_sent_again(laptop: Laptop, server: TeamOfTests, member: int) -> None:
    laptop.allow()
    talk().write(laptop.root)
    laptop.push()
    keys = server.rows("SELECT object_key FROM pushed_frame WHERE member_id = %s", member)
    server.objects.delete(key for (key,) in keys)
    server.rows(
        "UPDATE pushed_frame SET lost_at = now(), object_key = NULL WHERE member_id = %s", member
    )

    laptop.push()

    assert server.received(member) == own_files(laptop)


def test_a_deleted_session_is_not_sent_again(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    laptop.allow()
    session = talk()
    session.write(laptop.root)
    laptop.push()
    server.rows("UPDATE session_state SET deleted_at = now() WHERE owner = %s", member)
    frames = server.frames(member)
    session.user("more").write(laptop.root)

    report = laptop.push()
    session.user("and more").write(laptop.root)
    again = laptop.push()

    assert "was deleted on the server" in report.notes[0]
    assert again.problems == []
    assert server.frames(member) == frames + 1


def test_a_root_that_was_moved_keeps_its_id(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    laptop.allow()
    session = talk()
    session.write(laptop.root)
    laptop.push()
    laptop.root = laptop.root.rename(laptop.root.with_name("moved"))
    session.user("after the move").write(laptop.root)

    report = laptop.push()

    assert report.frames == 1
    assert server.received(member) == own_files(laptop)


def test_a_database_that_was_lost_changes_nothing(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    laptop.allow()
    session = talk()
    session.write(laptop.root)
    laptop.push()
    laptop.archive.close()
    for path in laptop.home.glob("archive.db*"):
        path.unlink()
    session.user("later").write(laptop.root)

    assert laptop.push().frames == 1

    assert server.received(member) == own_files(laptop)
    rows = server.rows("SELECT count(*) FROM received_file WHERE member_id = %s", member)
    assert rows == [(len(own_files(laptop)),)]


def test_hashes_of_early_versions_are_completed(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    laptop.allow(path=PROJECT)
    talk().write(laptop.root)
    laptop.sync()
    with apsw.Connection(str(laptop.home / "archive.db")) as connection:
        connection.execute("UPDATE frame SET hash = substr(hash, 1, 16)")

    laptop.archive.close()
    push(laptop.archive, laptop.login)

    assert server.received(member) == own_files(laptop)


def test_a_file_of_very_many_frames_is_cut_anew(
    laptop: Laptop, server: TeamOfTests, member: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.push.outgoing_files._MOST_FRAMES", 3)
    laptop.allow()
    session = talk()
    generations = []
    for number in range(6):
        session.user(f"step {number}").write(laptop.root)
        assert laptop.push().files == 1
        assert server.received(member) == own_files(laptop)
        rows = server.rows("SELECT generation FROM received_file WHERE member_id = %s", member)
        generations.append(rows[0][0])

    assert generations[:3] == [1, 1, 1]
    assert generations[-1] == 2
    assert laptop.push().files == 0


def test_one_project_at_a_time_and_watching(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    laptop.allow()
    laptop.allow(path="/home/dev/other")
    SessionBuilder("other", cwd="/home/dev/other").user("hi").write(laptop.root)
    session = talk()
    session.write(laptop.root)
    laptop.logins.add(laptop.login, laptop.login.token)
    words = ["--archive", str(laptop.home), "push", "--root", str(laptop.root)]
    empty = laptop.home.parent / "empty"
    empty.mkdir()

    assert main([*words, "--project", "other"]) == 0
    assert len(server.received(member)) == 1
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", *words, "--watch"],
        env={**os.environ, "HOME": str(empty), "CLAUDE_CONFIG_DIR": ""},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: len(server.received(member)) == 2)
        session.user("while it watches").write(laptop.root)
        wait_for(lambda: server.received(member) == own_files(laptop))
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)
