"""Resuming a session from its page: the command, the reasons, and a terminal for this machine."""

import html
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from clew.archive import open_archive
from clew.store import Home
from clew.web import Settings
from tests.build import SessionBuilder
from tests.web.serving import PATIENCE, client_for, serving

HTML = {"accept": "text/html"}
TERMINAL = '#!/bin/sh\npwd > "$OUT"\nprintf "%s\\n" "$@" >> "$OUT"\nmv "$OUT" "$OUT.done"\n'


class Place:
    """A session of a directory that exists, archived."""

    def __init__(self, folder: Path) -> None:
        self.cwd = folder / "work"
        self.cwd.mkdir()
        built = SessionBuilder("resumed", cwd=str(self.cwd)).user("Go").assistant("Gone.")
        self.id = built.session_id
        self.transcript = built.write(folder / "claude")
        self.home = Home(folder / "home")
        with open_archive(self.home) as archive:
            archive.sync([folder / "claude"])

    @contextmanager
    def served(self, **more: bool) -> Iterator[httpx.Client]:
        settings = Settings(port=0, location=self.home, is_followed=False, **more)  # type: ignore[arg-type]
        with serving(settings) as app, client_for(app) as client:
            yield client


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A terminal and a client on the path; gives the file that the terminal writes."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("xdg-terminal-exec", "claude"):
        (folder / name).write_text(TERMINAL, "utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("OUT", str(tmp_path / "out"))
    return tmp_path / "out.done"


def test_the_page_and_the_api_have_the_command(place: Place) -> None:
    with place.served() as client:
        page = html.unescape(client.get(f"/sessions/{place.id}", headers=HTML).text)
        answer = client.get(f"/api/sessions/{place.id}/resume").json()

    assert answer["can_resume"]
    assert f"cd {place.cwd} && " in answer["command"]
    assert f"claude --resume {place.id}" in answer["command"]
    assert f'data-resume="{answer["command"]}"' in page
    assert "data-resume-open" not in page
    assert answer["can_open"] is False


def test_a_transcript_that_is_deleted_disables_the_button_at_once(place: Place) -> None:
    with place.served() as client:
        before = client.get(f"/sessions/{place.id}", headers=HTML).text
        place.transcript.unlink()
        after = html.unescape(client.get(f"/sessions/{place.id}", headers=HTML).text)
        answer = client.get(f"/api/sessions/{place.id}/resume").json()

    assert "data-resume=" in before
    assert 'disabled aria-describedby="resume-reason">Copy resume command</button>' in after
    assert "Claude Code has deleted it" in after
    assert (answer["can_resume"], answer["command"]) == (False, "")


def test_terminals_are_off_by_default(place: Place, programs: Path) -> None:
    with place.served() as client:
        answer = client.post(f"/api/sessions/{place.id}/terminal")

    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden"
    assert not programs.exists()


def test_a_reader_on_this_machine_opens_a_terminal(place: Place, programs: Path) -> None:
    with place.served(opens_terminal=True) as client:
        page = html.unescape(client.get(f"/sessions/{place.id}", headers=HTML).text)
        answer = client.post(f"/api/sessions/{place.id}/terminal")
    deadline = time.monotonic() + PATIENCE
    while not programs.exists() and time.monotonic() < deadline:
        time.sleep(0.05)

    assert f'data-resume-open="/api/sessions/{place.id}/terminal"' in page
    assert answer.status_code == 200
    lines = programs.read_text("utf-8").splitlines()
    assert lines[0] == str(place.cwd)
    assert lines[-3:] == ["claude", "--resume", place.id]


@pytest.mark.parametrize(
    "headers",
    [
        {"x-forwarded-for": "203.0.113.7"},
        {"forwarded": "for=203.0.113.7"},
        {"origin": "https://evil.example"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_others_open_nothing(place: Place, programs: Path, headers: dict[str, str]) -> None:
    with place.served(opens_terminal=True) as client:
        answer = client.post(f"/api/sessions/{place.id}/terminal", headers=headers)

    assert answer.status_code == 403
    assert not programs.exists()


def test_what_cannot_be_resumed_opens_nothing(place: Place, programs: Path) -> None:
    place.cwd.rmdir()
    with place.served(opens_terminal=True) as client:
        no_folder = client.post(f"/api/sessions/{place.id}/terminal")
        place.transcript.unlink()
        no_transcript = client.post(f"/api/sessions/{place.id}/terminal")

    assert no_folder.status_code == no_transcript.status_code == 409
    assert no_folder.json()["error"]["code"] == "no_terminal"
    assert no_transcript.json()["error"]["code"] == "not_resumable"
    assert not programs.exists()
