"""`clew consent` against a real server: what is shown, asked, written and sent."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.cli import main
from clew.protocol import Tier
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash
from tests.team.laptop import Laptop, TeamOfTests, running_team

pytestmark = pytest.mark.slow


@pytest.fixture
def server(team_location: PostgresLocation) -> Iterator[TeamOfTests]:
    with running_team(team_location) as team:
        yield team


@pytest.fixture
def laptop(server: TeamOfTests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Laptop:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    laptop = Laptop(tmp_path / "laptop", server.address, server.device(server.join("ada")))
    laptop.logins.add(laptop.login, laptop.login.token)
    return laptop


def clew(laptop: Laptop, *words: str) -> int:
    return main(["--archive", str(laptop.home), *words])


def shown(laptop: Laptop, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    """Return what `clew consent` shows, by project."""
    capsys.readouterr()
    assert clew(laptop, "consent", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["problem"] == ""
    return {each["path"]: each for each in found["projects"]}


def test_a_decision_is_shown_written_and_sent(
    laptop: Laptop, server: TeamOfTests, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my-app"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text('[remote "origin"]\nurl = git@example.com:Me/App.git\n')
    session = SessionBuilder("one", cwd=str(folder)).user("a question to show")
    session.tools(bash("ls -la", "a.py")).write(laptop.root)
    laptop.sync()
    assert shown(laptop, capsys)[str(folder)]["tier"] == "nothing"
    assert server.rows("SELECT * FROM consent") == []

    assert clew(laptop, "consent", "set", "my-app", "everything", "--yes") == 0

    out = capsys.readouterr().out
    assert "nothing → everything" in out
    assert "a question to show" in out
    assert "ls -la" in out
    assert server.rows("SELECT tier, epoch, visibility FROM consent") == [
        ("everything", 1, "private")
    ]
    found = shown(laptop, capsys)[str(folder)]
    assert found["server_tier"] == "everything"
    assert found["server_project"] == "example.com/me/app"
    keys = server.rows("SELECT project_key FROM consent")
    assert "my-app" not in str(keys)
    for tier, is_shown in (("structure", False), ("redacted", True)):
        assert clew(laptop, "consent", "set", "my-app", tier, "--yes") == 0
        out = capsys.readouterr().out
        assert '"type":"user"' in out
        assert ("a question to show" in out) is is_shown
    assert clew(laptop, "consent") == 0
    assert "1 project of 1 may leave" in capsys.readouterr().out


def test_a_repository_is_not_named_where_names_stay_and_nothing_is_not_sent(
    laptop: Laptop, server: TeamOfTests, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my-app"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text('[remote "origin"]\nurl = git@example.com:Me/App.git\n')
    SessionBuilder("one", cwd=str(folder)).user("so").write(laptop.root)
    laptop.sync()
    requests = server.proxy.requests

    assert clew(laptop, "consent", "set", "my-app", "nothing", "--yes") == 0
    assert server.proxy.requests == requests
    assert clew(laptop, "consent", "set", "my-app", "structure", "--yes") == 0

    assert server.rows("SELECT tier, project_id FROM consent") == [("structure", None)]
    assert shown(laptop, capsys)[str(folder)]["server_project"] == ""
    assert clew(laptop, "consent", "set", "my-app", "nothing", "--yes") == 0
    assert server.rows("SELECT tier, epoch FROM consent") == [("nothing", 2)]


@pytest.mark.parametrize("tier", [Tier.REDACTED, Tier.EVERYTHING])
def test_a_session_is_deleted_and_revived(
    tier: Tier,
    laptop: Laptop,
    server: TeamOfTests,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = SessionBuilder("one").user("hi").assistant("Hello.")
    session.write(laptop.root)
    other = SessionBuilder("two").user("not here")
    other.write(laptop.root)
    laptop.allow(tier)
    laptop.push()
    deleted = "SELECT count(*) FROM session_state WHERE deleted_at IS NOT NULL"
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert clew(laptop, "consent", "delete", session.session_id) == 1
    assert server.rows(deleted) == [(0,)]

    assert clew(laptop, "consent", "delete", session.session_id[:8], "--yes") == 0

    assert server.rows(deleted) == [(1,)]
    session.user("more").write(laptop.root)
    refused = laptop.push()
    assert refused.files == 0
    assert f"clew consent revive {session.session_id[:8]}" in refused.notes[0]
    assert clew(laptop, "consent", "revive", session.session_id) == 0
    assert server.rows(deleted) == [(0,)]
    assert laptop.push().sessions == 1
    server.rows("DELETE FROM session_state")
    capsys.readouterr()
    assert clew(laptop, "consent", "delete", other.session_id, "--yes") == 3
    assert f"has no session {other.session_id} of yours" in capsys.readouterr().err


def test_members_of_a_project_need_its_name(
    laptop: Laptop, server: TeamOfTests, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SessionBuilder("one", cwd=str(tmp_path / "app")).user("hi").write(laptop.root)
    laptop.sync()
    words = ("consent", "set", "app", "everything", "--yes", "--visibility", "project")

    assert clew(laptop, *words) == 2

    assert capsys.readouterr().err.splitlines()[-1] == (
        "clew: no project on the server is named whose members are to see the sessions; name it "
        "with --server-project"
    )
    assert shown(laptop, capsys)[str(tmp_path / "app")]["tier"] == "nothing"
    assert server.rows("SELECT * FROM consent") == []
    assert clew(laptop, *words, "--server-project", "shop") == 0


def test_nothing_changes_without_an_answer_or_beyond_a_limit(
    laptop: Laptop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "capped"
    folder.mkdir()
    (folder / ".clew.toml").write_text('[team]\nmax_tier = "structure"\n')
    SessionBuilder("one", cwd=str(folder)).user("hi").write(laptop.root)
    laptop.sync()

    assert clew(laptop, "consent", "set", "capped", "everything", "--yes") == 2
    assert "allows structure at most" in capsys.readouterr().err
    (folder / ".clew.toml").unlink()
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert clew(laptop, "consent", "set", "capped", "everything") == 1
    assert "Nothing was changed" in capsys.readouterr().err
    assert clew(laptop, "consent", "set", "unknown", "everything") == 3

    assert laptop.consents.all() == []


def test_a_decision_that_the_server_refuses_is_undone(
    laptop: Laptop, capsys: pytest.CaptureFixture[str]
) -> None:
    SessionBuilder("one").user("hi").write(laptop.root)
    laptop.sync()
    name = "x" * 2_000

    words = ["consent", "set", "demo", "everything", "--server-project", name, "--yes"]
    assert clew(laptop, *words) == 1

    assert laptop.login.server in capsys.readouterr().err
    assert laptop.consents.all() == []


def test_a_decision_without_the_server_is_sent_with_the_next_push(
    laptop: Laptop, server: TeamOfTests, capsys: pytest.CaptureFixture[str]
) -> None:
    session = SessionBuilder("one").user("hi")
    session.write(laptop.root)
    laptop.allow()
    laptop.push()
    server.proxy.server_port, port = 1, server.proxy.server_port

    assert clew(laptop, "consent", "set", "demo", "nothing", "--yes") == 1

    assert "does not know of it yet" in capsys.readouterr().err
    server.proxy.server_port = port
    session.user("more").write(laptop.root)
    assert laptop.push().files == 0
    assert server.rows("SELECT tier, epoch FROM consent") == [("nothing", 2)]


@pytest.mark.parametrize("is_asked", [False, True])
def test_what_was_pushed_can_be_deleted_with_the_consent(
    laptop: Laptop,
    server: TeamOfTests,
    is_asked: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    SessionBuilder("one").user("hi").write(laptop.root)
    laptop.allow(Tier.EVERYTHING)
    laptop.push()

    monkeypatch.setattr("sys.stdin", io.StringIO("y\ny\n"))
    words = [] if is_asked else ["--purge", "--yes"]
    assert clew(laptop, "consent", "set", "demo", "nothing", *words) == 0

    rows = server.rows("SELECT deleted_at IS NOT NULL, may_return FROM session_state")
    assert rows == [(True, True)]
