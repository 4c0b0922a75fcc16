from pathlib import Path

import pytest

from clew.push import Logins, NotLoggedInError, PushFiles, ServerLogin, keyring_store
from clew.push.push_files import UnreadablePushFileError

SERVER = "https://clew.example.com"
LOGIN = ServerLogin(server=SERVER, member="ada", organisation='The "Analysts"')


def use_keyring(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes use a keyring of `keyrings`."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", f"keyrings.{name}")
    monkeypatch.setenv("TEST_KEYRING", str(folder / "keyring.json"))


@pytest.fixture
def logins(tmp_path: Path) -> Logins:
    return Logins(PushFiles(tmp_path / "home"))


def test_the_keyring_has_the_token(
    logins: Logins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_keyring("WorkingKeyring", tmp_path, monkeypatch)

    assert logins.add(LOGIN, "secret-1")

    text = (tmp_path / "home" / "servers.toml").read_text()
    assert "secret-1" not in text
    assert logins.find() == LOGIN
    assert logins.token_of(logins.find(SERVER + "/")) == "secret-1"
    logins.remove(LOGIN)
    assert "secret-1" not in (tmp_path / "keyring.json").read_text()
    with pytest.raises(NotLoggedInError, match="clew login"):
        logins.find()


@pytest.mark.parametrize("name", ["BrokenKeyring", "ForgetfulKeyring", "AskingKeyring", "Missing"])
def test_a_private_file_has_it_where_no_keyring_works(
    name: str, logins: Logins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_keyring(name, tmp_path, monkeypatch)

    assert not logins.add(LOGIN, "secret-1")

    path = tmp_path / "home" / "servers.toml"
    assert path.stat().st_mode & 0o777 == 0o600
    assert logins.token_of(logins.find()) == "secret-1"
    assert logins.find().organisation == 'The "Analysts"'
    logins.remove(logins.find())
    assert "secret-1" not in path.read_text()


def test_a_keyring_that_does_not_answer_is_not_waited_for(
    logins: Logins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_keyring("SilentKeyring", tmp_path, monkeypatch)
    monkeypatch.setattr(keyring_store, "_SECONDS", 0.5)

    assert not logins.add(LOGIN, "secret-1")


def test_several_servers(logins: Logins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_keyring("BrokenKeyring", tmp_path, monkeypatch)
    other = ServerLogin(server="http://localhost:8000", member="ada", is_insecure=True)

    logins.add(LOGIN, "secret-1")
    logins.add(other, "secret-2")

    assert [login.server for login in logins.all()] == [other.server, SERVER]
    assert logins.token_of(logins.find(SERVER)) == "secret-1"
    assert logins.token_of(logins.find()) == "secret-2"
    assert logins.find().is_insecure


def test_a_file_that_was_damaged_is_named(logins: Logins, tmp_path: Path) -> None:
    path = tmp_path / "home" / "servers.toml"
    path.parent.mkdir()
    for text in ("default = ", 'servers = "none"', "[servers.x]\nmember = 3"):
        path.write_text(text)
        with pytest.raises(UnreadablePushFileError, match=r"servers\.toml cannot be used"):
            logins.all()
