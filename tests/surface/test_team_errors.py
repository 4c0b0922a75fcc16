"""What can go wrong with a team's archive is said in one sentence, with what to do about it."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from clew.archive import open_archive
from clew.cli import main
from clew.store import ArchiveUnavailableError, SyncProgress
from clew.web import Settings
from tests.build import SessionBuilder
from tests.postgres_server import PASSWORD_ROLE, PostgresServer
from tests.surface.running import Ended
from tests.web.serving import client_for, serving

SECRET = "geh%2Feim"  # noqa: S105 (of a role that lives as long as a test)
TITLE = "Find the retry bug"


class Team(NamedTuple):
    """An archive on a server, and what makes it go wrong."""

    server: PostgresServer
    url: str
    blobs: Path

    @property
    def name(self) -> str:
        """The name of the database."""
        return self.url.partition("@/")[2].partition("?")[0]

    def execute(self, *statements: str) -> None:
        """Do something as the administrator."""
        self.server.execute(self.url, *statements)

    def url_of(self, role: str, rights: str = "") -> str:
        """Make a role and give the address under which it uses the archive."""
        name = f"{role}_{self.name}"
        self.execute(f"CREATE ROLE {name} LOGIN")
        if rights:
            self.execute(f"GRANT {rights} ON ALL TABLES IN SCHEMA public TO {name}")
        return self.url.replace("//postgres@", f"//{name}@")

    def drop_connections(self) -> None:
        """End all connections to the database."""
        ended = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname ="
        self.server.execute(self.server.url(), f"{ended} '{self.name}'")

    def allow_connections(self, *, is_allowed: bool) -> None:
        """Let nobody in any more, or everybody again."""
        name = f'ALTER DATABASE "{self.name}" ALLOW_CONNECTIONS {is_allowed}'
        self.server.execute(self.server.url(), name)

    def all_blobs(self) -> dict[str, bytes]:
        """Read all files of the archive."""
        found = (path for path in sorted(self.blobs.rglob("*")) if path.is_file())
        return {str(path): path.read_bytes() for path in found}


@pytest.fixture
def team(
    machine: Path,
    postgres_server: PostgresServer,
    postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Team:
    """Choose an archive with a session."""
    blobs = tmp_path / "blobs"
    monkeypatch.setenv("CLEW_ARCHIVE", postgres_url)
    monkeypatch.setenv("CLEW_BLOBS", str(blobs))
    SessionBuilder("one").user(TITLE).assistant("Found it.").write(machine)
    assert main(["sync"]) == 0
    return Team(postgres_server, postgres_url, blobs)


@pytest.fixture
def clew(capsys: pytest.CaptureFixture[str]) -> "Clew":
    """Run commands, and check what all errors have in common."""
    capsys.readouterr()
    return Clew(capsys)


class Clew:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str) -> Ended:
        """Run one; errors have one line, and no secret is in it."""
        self._capsys.readouterr()
        code = main(words)
        ended = Ended(code, *self._capsys.readouterr())
        assert "internal error" not in ended.err
        assert "geh" not in ended.err.replace("---", "")
        if code:
            assert len(ended.err.splitlines()) == 1, ended.err
        return ended


COMMANDS = (["list"], ["sync"], ["show"], ["search", "retry"], ["archive", "status"], ["serve"])


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_server_that_is_down(
    words: list[str], machine: Path, monkeypatch: pytest.MonkeyPatch, clew: Clew
) -> None:
    SessionBuilder("one").user(TITLE).write(machine)
    monkeypatch.setenv("CLEW_BLOBS", "/nowhere")

    ended = clew(*words, "--archive", f"postgresql://me:{SECRET}@127.0.0.1:1/db")

    assert ended.code == 1
    assert ended.err == (
        "clew: cannot connect to postgresql://me:***@127.0.0.1:1/db (Connection refused); start "
        "the server, or correct the address of the archive\n"
    )


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("address", "code", "problem"),
    [
        (f"me:{SECRET}@no.such.host.invalid/db", 1, "failed to resolve host 'no.such.host."),
        (f"me:{SECRET}@/db?host=/tmp/nowhere", 1, "(No such file or directory); start the server"),
        (f"me:{SECRET}@localhost:1/db", 1, "(Connection refused); start the server"),
        (f"me:{SECRET}@127.0.0.1:1/db?sslmode=no", 1, '(invalid sslmode value: "no"); correct it'),
        (f"me:{SECRET}@127.0.0.1:99999/db", 1, '(invalid port number: "99999"); correct it'),
        (f"me:{SECRET}@127.0.0.1:port/db", 2, "me:***@127.0.0.1:port/db is not a valid address"),
        (f"me:{SECRET}@host/db?none=1", 2, "is not a valid address"),
        ("me:geh/eim@host/db", 2, "me:***@host/db is not a valid address"),
        ("me:1/geheim@host/db", 2, "me:***@host/db is not a valid address"),
        ("me:geh@eim@host/db", 2, "(@ is %40, / is %2F)"),
        ("me:geh%zzeim@host/db", 2, "write special characters in a name or password as %XX"),
        ("me:geheim@ho st/db", 2, "is not a valid address"),
    ],
)
def test_an_address_that_leads_nowhere(
    address: str, code: int, problem: str, monkeypatch: pytest.MonkeyPatch, clew: Clew
) -> None:
    monkeypatch.setenv("CLEW_BLOBS", "/nowhere")

    ended = clew("list", "--no-sync", "--archive", f"postgresql://{address}")

    assert (ended.code, problem in ended.err) == (code, True), ended.err


@pytest.mark.usefixtures("machine")
def test_a_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, clew: Clew) -> None:
    monkeypatch.setenv("CLEW_BLOBS", "/nowhere")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        url = f"postgresql://me@127.0.0.1:{port}/db?connect_timeout=1"
        ended = clew("list", "--no-sync", "--archive", url)

    assert ended.code == 1
    assert "(connection timeout expired); start the server" in ended.err


def test_a_user_who_is_not_let_in(team: Team, clew: Clew) -> None:
    known = team.url_of("known")
    name = known.partition("//")[2].partition("@")[0]
    team.execute(f"ALTER ROLE {name} PASSWORD '{name}'", f"GRANT {PASSWORD_ROLE} TO {name}")
    wrong = known.replace("@/", f":{SECRET}@/")
    right = known.replace("@/", f":{name}@/")
    unknown = team.url.replace("//postgres@", f"//nobody:{SECRET}@")

    ended = [clew("list", "--archive", url) for url in (known, wrong, unknown, right)]

    assert [each.code for each in ended] == [1, 1, 1, 1]
    asked = "correct user and password: in the address, in PGPASSWORD or in ~/.pgpass"
    assert "no password supplied" in ended[0].err
    assert asked in ended[0].err
    assert f'(password authentication failed for user "{name}"); {asked}' in ended[1].err
    assert '(role "nobody" does not exist); create the user, or correct it' in ended[2].err
    assert f"no permission in {known.replace('@/', ':***@/')} (" in ended[3].err


def test_a_database_that_does_not_exist(team: Team, clew: Clew) -> None:
    ended = clew("sync", "--archive", team.server.url("missing"))

    assert ended.code == 1
    assert '(database "missing" does not exist); create the database, or correct' in ended.err


def test_a_user_who_may_only_read(team: Team, machine: Path, clew: Clew) -> None:
    reader = team.url_of("reader", "SELECT")
    SessionBuilder("two").user("Written later").write(machine)
    before = team.all_blobs()

    synced = clew("sync", "--archive", reader)
    listed = clew("list", "--archive", reader)
    quiet = clew("list", "--no-sync", "--archive", reader)
    shown = clew("show", SessionBuilder("one").session_id, "--archive", reader, "--no-sync")

    assert (synced.code, synced.out) == (1, "")
    assert "may only read); use another user, or grant it to this one" in synced.err
    assert listed.err.startswith("clew: not synced, showing the archive as it is: no permission")
    assert (listed.code, TITLE in listed.out, "later" in listed.out) == (0, True, False)
    assert (quiet.code, quiet.err, quiet.out) == (0, "", listed.out)
    assert "Found it." in shown.out
    assert team.all_blobs() == before


def test_a_user_who_may_write_but_not_make_tables(team: Team, machine: Path, clew: Clew) -> None:
    writer = team.url_of("writer", "SELECT, INSERT, UPDATE, DELETE")
    name = writer.partition("//")[2].partition("@")[0]
    team.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {name}")
    SessionBuilder("two").user("Written later").write(machine)

    synced = clew("sync", "--archive", writer)
    team.execute("UPDATE schema_version SET number = number - 1")
    older = clew("sync", "--archive", writer)

    assert (synced.code, synced.err) == (0, "")
    assert (older.code, "no permission in" in older.err) == (1, True)


def test_tables_of_another_version(team: Team, clew: Clew) -> None:
    team.execute("UPDATE schema_version SET number = number - 1")
    older = clew("list", "--no-sync")
    team.execute("UPDATE schema_version SET number = number + 2")
    newer = [clew("list", "--no-sync"), clew("list"), clew("sync")]

    assert older.code == 1
    assert "earlier version of clew; run `clew sync` to upgrade it" in older.err
    assert {(each.code, "; upgrade clew" in each.err) for each in newer} == {(1, True)}


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("disk_full", "no space left in "),
        ("query_canceled", " failed ("),
        ("data_corrupted", " is damaged ("),
        ("admin_shutdown", "the connection to "),
    ],
)
def test_a_server_that_fails_while_it_writes(
    code: str, problem: str, team: Team, machine: Path, clew: Clew
) -> None:
    team.execute(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$BEGIN RAISE EXCEPTION 'no luck' USING ERRCODE = '{code}'; END$$",
        "CREATE TRIGGER fail BEFORE INSERT ON session EXECUTE FUNCTION fail()",
    )
    SessionBuilder("two").user("Written later").write(machine)

    synced, listed = clew("sync"), clew("list")
    team.execute("DROP TRIGGER fail ON session")
    again = clew("sync")

    assert (synced.code, problem in synced.err) == (1, True), synced.err
    assert "(no luck)" in synced.err
    assert (listed.code, TITLE in listed.out, "later" in listed.out) == (0, True, False)
    assert "clew: not synced, showing the archive as it is:" in listed.err
    assert (again.code, "1 new" in again.out) == (0, True)
    assert clew("archive", "verify").code == 0


def test_a_sync_that_loses_its_connection(team: Team, machine: Path, clew: Clew) -> None:
    for number in range(30):
        SessionBuilder(f"n{number}").user(f"Number {number}").assistant("x" * 9_999).write(machine)

    def drop(_progress: SyncProgress) -> None:
        team.drop_connections()

    with open_archive() as archive:
        with pytest.raises(ArchiveUnavailableError, match="run this again: nothing that was"):
            archive.sync([machine], on_progress=drop, workers=1)
        archive.sync([machine], workers=1)
        assert archive.count("sessions") == 31
    assert clew("archive", "verify").out.endswith("31 of 31 files intact\n")


def test_a_reader_that_lost_its_connection_makes_another(team: Team) -> None:
    with open_archive() as archive:
        before = list(archive.sessions())
        team.drop_connections()
        assert list(archive.sessions()) == before


def test_the_web_app_goes_on_when_the_server_is_back(team: Team) -> None:
    settings = Settings(port=0, location=open_archive().location, is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        assert _titles(client) == [TITLE]
        team.drop_connections()
        assert _titles(client) == [TITLE]
        team.allow_connections(is_allowed=False)
        team.drop_connections()
        down = client.get("/api/tool-calls")
        page = client.get("/usage", headers={"accept": "text/html"})
        team.allow_connections(is_allowed=True)
        up = client.get("/api/tool-calls")

    assert (down.status_code, down.json()["error"]["code"]) == (503, "unavailable")
    assert "is not currently accepting connections); try again" in down.json()["error"]["message"]
    assert (page.status_code, "The archive is not available" in page.text) == (503, True)
    assert up.status_code == 200


def _titles(client: httpx.Client) -> list[str]:
    return [session["title"] for session in client.get("/api/sessions").json()["sessions"]]


def test_blobs_of_another_archive(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clew: Clew
) -> None:
    monkeypatch.setenv("CLEW_BLOBS", str(tmp_path / "other"))

    synced, listed = clew("sync"), clew("list")

    assert synced.code == 1
    assert f"clew: {tmp_path / 'other'} has none of the 1 file that" in synced.err
    assert "; correct CLEW_BLOBS, or restore the files from a backup" in synced.err
    assert (listed.code, TITLE in listed.out) == (0, True)
    assert not (tmp_path / "other").exists()
    monkeypatch.setenv("CLEW_BLOBS", str(team.blobs))
    assert "no changes" in clew("sync").out


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("CLEW_BLOBS", "s3://missing/blobs", "there is no bucket 'missing'"),
        ("AWS_SECRET_ACCESS_KEY", "wrong", "is denied (SignatureDoesNotMatch); check AWS_"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:1", "; check the network, AWS_ENDPOINT_URL"),
    ],
)
def test_a_bucket_that_cannot_be_used(
    variable: str,
    value: str,
    problem: str,
    team: Team,
    machine: Path,
    s3_address: str,
    monkeypatch: pytest.MonkeyPatch,
    clew: Clew,
) -> None:
    team.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    monkeypatch.setenv("CLEW_BLOBS", f"{s3_address}?retries=0")
    assert clew("sync").code == 0
    monkeypatch.setenv(variable, f"{value}?retries=0" if value.startswith("s3:") else value)

    synced, listed = clew("sync"), clew("list")
    exported = clew("archive", "restore", "-o", str(machine.parent / "restored"))

    assert (synced.code, problem in synced.err) == (1, True), synced.err
    assert (listed.code, TITLE in listed.out) == (0, True)
    assert listed.err.startswith("clew: not synced, showing the archive as it is:")
    assert (exported.code, problem in exported.err) == (1, True), exported.err
    assert not list((machine.parent / "restored").rglob("*.jsonl"))


def test_a_bucket_that_is_missing_from_the_start(
    machine: Path, postgres_url: str, s3_address: str, monkeypatch: pytest.MonkeyPatch, clew: Clew
) -> None:
    SessionBuilder("one").user(TITLE).write(machine)
    monkeypatch.setenv("CLEW_ARCHIVE", postgres_url)
    monkeypatch.setenv("CLEW_BLOBS", s3_address.replace("//test", "//missing"))

    synced, listed = clew("sync"), clew("list")

    assert (synced.code, "there is no bucket" in synced.err) == (1, True)
    assert (listed.code, listed.err) == (1, synced.err)
    assert clew("list", "--no-sync").code == 3


@pytest.mark.parametrize(
    ("package", "problem"),
    [("psycopg", "archives in PostgreSQL require psycopg"), ("obstore", "require obstore")],
)
def test_packages_that_are_not_installed(
    package: str, problem: str, machine: Path, postgres_url: str
) -> None:
    SessionBuilder("one").user(TITLE).write(machine)
    without = f"import sys; sys.modules['{package}'] = None"
    command = [sys.executable, "-c", f"{without}; from clew.cli import main; sys.exit(main())"]
    ended = subprocess.run(  # noqa: S603 (our own module)
        [*command, "list", "--archive", postgres_url],
        env={**os.environ, "CLEW_BLOBS": "s3://bucket/x"},
        capture_output=True,
        check=False,
        text=True,
    )

    assert ended.returncode == 1
    assert problem in ended.stderr
    assert "pip install 'clew[team]'" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
