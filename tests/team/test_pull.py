"""Pulling from a real server, and from one that lies."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from clew.archive import Archive
from clew.cli import main
from clew.protocol import Tier
from clew.push import pull
from clew.server.settings import TeamSettings
from clew.server.worker import Worker
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder
from tests.team.laptop import Laptop
from tests.team.people import NOW, People, fill, fill_team, session_of
from tests.team.team_server import serving_team, team_client

SESSION = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def people(team_location: PostgresLocation, tmp_path: Path) -> People:
    return fill_team(team_location, tmp_path / "team")


def archived(laptop: Laptop) -> dict[str, bytes]:
    """Return what is archived of pulled sessions, by path."""
    return {
        file.path: b"".join(laptop.archive.read_file(file))
        for file in laptop.archive.archived_files()
        if "pulled" in Path(file.root).parts
    }


def test_sessions_are_pulled_byte_for_byte_and_never_pushed(
    people: People, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = session_of("anna", "organisation")
    with serving_team(TeamSettings(location=people.location)) as address:
        laptop = Laptop(tmp_path / "bert", address, people.persons["bert"].token)
        report = pull(laptop.archive, laptop.login, (), {"member": "anna"})

        ids = {item.session_id for item in report.items}
        assert shared.session_id in ids
        assert session_of("anna", "private").session_id not in ids
        assert {item.member for item in report.items} == {"anna"}
        assert report.problems == []
        root = people.folder / "anna"
        found = archived(laptop)
        assert found == {path: (root / path).read_bytes() for path in found}
        assert sum("subagents" in path for path in found) > 0
        assert laptop.archive.conversation(shared.session_id).session.title

        again = pull(laptop.archive, laptop.login, (), {"member": "anna"})
        assert (again.sessions, again.sessions_unchanged) == (0, report.sessions)
        shared.user("one more").write(root)
        owner = msgspec.structs.replace(people.location, owner=people.persons["anna"].id)
        with Archive(owner) as archive:
            archive.sync([root], now=NOW, workers=1)
        grown = pull(laptop.archive, laptop.login, [shared.session_id])
        assert grown.sessions == 1
        assert b"one more" in archived(laptop)[f"{_path(shared.session_id, found)}"]
        assert not list((laptop.home / "pulled").rglob("*.jsonl"))

        for project in laptop.archive.projects():
            laptop.allow(Tier.EVERYTHING, project.project)
        assert laptop.push().files == 0

        laptop.logins.add(laptop.login, laptop.login.token)
        words = ["--archive", str(laptop.home), "pull"]
        assert main(words) == 2
        assert main([*words, "--member", "anna", "--since", "2000-01-01"]) == 0
        assert "Pulled 0 sessions" in capsys.readouterr().out
        assert main([*words, session_of("anna", "private").session_id]) == 1


def test_all_that_may_be_read_is_pulled(people: People, tmp_path: Path) -> None:
    quiet, hidden = SessionBuilder("quiet").custom_title("Q"), session_of("anna", "organisation")
    fill(people, "anna", [(quiet, people.scopes["organisation"])])
    with (
        serving_team(TeamSettings(location=people.location)) as address,
        team_client(address, people.persons["bert"].token) as bert,
    ):
        note = {"hidden": True}
        bert.post(f"/api/sessions/{hidden.session_id}/note", json=note).raise_for_status()
        listed = bert.get("/api/sessions").json()["sessions"]
        laptop = Laptop(tmp_path / "bert", address, people.persons["bert"].token)
        report = pull(laptop.archive, laptop.login)

    names = {quiet.session_id, hidden.session_id}
    assert names.isdisjoint(one["id"] for one in listed)
    assert names <= {item.session_id for item in report.items}


def test_own_sessions_are_left_alone(people: People, tmp_path: Path) -> None:
    shared = session_of("anna", "organisation")
    with serving_team(TeamSettings(location=people.location)) as address:
        laptop = Laptop(tmp_path / "anna's", address, people.persons["anna"].token)
        shared.write(laptop.root)
        laptop.sync()

        report = pull(laptop.archive, laptop.login, [shared.session_id])

    assert (report.sessions, report.sessions_own) == (0, 1)
    assert archived(laptop) == {}


@pytest.mark.parametrize("tier", [Tier.STRUCTURE, Tier.REDACTED])
def test_own_sessions_are_left_alone_under_their_other_names(
    tier: Tier, people: People, tmp_path: Path
) -> None:
    with serving_team(TeamSettings(location=people.location)) as address:
        token = people.persons["lena"].token
        laptop = Laptop(tmp_path / "lena's", address, token)
        laptop.allow(tier)
        SessionBuilder("of Lena").user("Look").assistant("So it is.").write(laptop.root)
        assert laptop.push().files == 1
        with open_team(people.location) as team:
            team.connection.execute("UPDATE session_state SET due_at = now()")
        assert Worker(people.location).run_once().sessions_derived == 1

        report = pull(laptop.archive, laptop.login, (), {"member": "lena"})
        another = Laptop(tmp_path / "another", address, token)
        pulled = pull(another.archive, another.login, (), {"member": "lena"})

    assert (report.sessions, report.sessions_own) == (0, 1)
    assert pulled.sessions == 1


def _path(session_id: str, found: dict[str, bytes]) -> str:
    return next(path for path in found if path.endswith(f"{session_id}.jsonl"))


class LyingServer(BaseHTTPRequestHandler):
    """Answers with whatever a test says."""

    file: ClassVar[dict[str, object]] = {}
    content = b"{}\n"

    def do_GET(self) -> None:
        listing = {"session_id": SESSION, "files": [self.file]}
        if self.path.startswith("/api/file"):
            body = self.content
        elif self.path.endswith("/raw"):
            body = json.dumps(listing).encode()
        else:
            body = json.dumps({"id": SESSION, "title": "x", "member": "../../eve"}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
        """Be silent."""


@pytest.fixture
def liar() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), LyingServer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "change",
    [
        {"path": f"../../../{SESSION}.jsonl"},
        {"path": f"/etc/{SESSION}.jsonl"},
        {"path": f"projects/..\\x/{SESSION}.jsonl"},
        {"path": "projects/x/99999999-2222-4333-8444-555555555555.jsonl"},
        {"path": f"projects/{'ä' * 200}/{SESSION}.jsonl"},
        {"url": "http://elsewhere.example.com/file"},
        {"size_bytes": 2},
        {"size_bytes": 4},
        {"sha256": "0" * 64},
        {},
    ],
    ids=lambda change: str(change)[:40],
)
def test_what_a_server_says_of_files_is_not_believed(
    change: dict[str, object], liar: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = {"path": f"projects/x/{SESSION}.jsonl", "size_bytes": 3, "url": "/api/file"}
    monkeypatch.setattr(LyingServer, "file", {**good, **change})
    laptop = Laptop(tmp_path / "laptop", liar, "token")

    report = pull(laptop.archive, laptop.login, [SESSION])

    assert len(report.problems) == (1 if change else 0)
    assert report.sessions == (0 if change else 1)
    assert not [path for path in tmp_path.rglob("*.jsonl*") if "home" not in path.parts]
