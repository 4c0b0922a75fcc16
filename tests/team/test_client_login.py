"""`clew login` and `clew logout` against a real server."""

import io
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.cli import main
from clew.protocol import LoginStart
from clew.push import LoginExpiredError, Logins, PushFiles, ServerLogin, log_in
from clew.server import device_login
from clew.server.device_login import confirm_device
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.team.laptop import TeamOfTests, running_team


@pytest.fixture
def server(
    team_location: PostgresLocation, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TeamOfTests]:
    monkeypatch.setattr(device_login, "_INTERVAL", 1)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with running_team(team_location) as team:
        yield team


def test_a_code_that_is_confirmed_logs_a_device_in(server: TeamOfTests, tmp_path: Path) -> None:
    member = server.join("ada")
    logins = Logins(PushFiles(tmp_path))

    def confirm(start: LoginStart) -> None:
        with open_team(server.location) as team:
            confirm_device(team, start.user_code.lower(), member)

    outcome = log_in(logins, server.address, on_code=confirm, device_name="my laptop")

    assert (outcome.member, outcome.organisation) == ("ada", "acme")
    assert outcome.may_be_read_by
    login = logins.find()
    assert (login.server, login.member) == (server.address, "ada")
    assert server.rows("SELECT name FROM device") == [("my laptop",)]
    assert login.token not in str(server.rows("SELECT * FROM credential"))


def test_a_code_that_nobody_confirms_expires(server: TeamOfTests, tmp_path: Path) -> None:
    def forget(_: LoginStart) -> None:
        server.rows("DELETE FROM device_request")

    with pytest.raises(LoginExpiredError, match="nobody confirmed"):
        log_in(Logins(PushFiles(tmp_path)), server.address, on_code=forget)
    assert not (tmp_path / "servers.toml").exists()


def test_a_wrong_address_is_to_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    assert main(["login", address, "--no-browser"]) == 1
    said = capsys.readouterr().err
    assert said == (
        f"clew: {address} cannot be reached (Connection refused); "
        "check the address, and whether the server runs\n"
    )


def test_without_a_server_each_command_says_what_matters_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    login = ServerLogin(server=address, member="ada", token="")
    Logins(PushFiles(tmp_path)).add(login, "token")

    said = []
    for command in (["pull", "--all"], ["logout"]):
        assert main(command) == 1
        said.append(capsys.readouterr().err)

    unreachable = f"{address} cannot be reached (Connection refused)"
    pulled, logged_out = said
    assert pulled == (
        f"clew: {unreachable}; what was pulled stays, the next `clew pull` fetches the rest\n"
    )
    assert logged_out == (
        f"clew: the token is deleted here, but not revoked: {unreachable}. "
        "Revoke the device on the server's page.\n"
    )


def test_a_token_logs_in_and_a_logout_revokes_it(
    server: TeamOfTests,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    token = server.device(server.join("ada"))
    words = ["--archive", str(tmp_path)]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{token}\n"))

    assert main([*words, "login", server.address, "--token", "-", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["member"], found["is_in_keyring"]) == ("ada", False)
    assert (tmp_path / "servers.toml").stat().st_mode & 0o777 == 0o600
    assert main([*words, "login"]) == 0
    assert f"{server.address} as ada (acme), default" in capsys.readouterr().out
    assert main([*words, "logout"]) == 0
    assert token not in (tmp_path / "servers.toml").read_text()
    assert server.rows("SELECT count(*) FROM device WHERE revoked_at IS NOT NULL") == [(1,)]
    assert main([*words, "login", server.address, "--token", token]) == 1
    assert "does not accept the token" in capsys.readouterr().err
    assert main([*words, "login", "http://clew.example.com"]) == 2
    assert "unencrypted" in capsys.readouterr().err
    assert main([*words, "push", "--no-sync"]) == 1
    assert "clew login URL" in capsys.readouterr().err
    assert main([*words, "push", "--background"]) == 0
