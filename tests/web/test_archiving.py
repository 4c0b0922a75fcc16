"""A first sync: pages show what is archived so far, and say that it is not all."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from clew.store import Home
from clew.web import Settings
from tests.build import SessionBuilder
from tests.web.first_sync import SESSIONS, FirstSync, paused_first_sync
from tests.web.serving import client_for, serving
from tests.web.test_events import words


# No test on it may resume it: they come in any order.
@pytest.fixture(scope="module")
def first_sync(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirstSync]:
    with paused_first_sync(tmp_path_factory.mktemp("first")) as found:
        yield found


@pytest.fixture
def client(first_sync: FirstSync) -> Iterator[httpx.Client]:
    with client_for(first_sync.address) as asking:
        yield asking


def archived(client: httpx.Client) -> int:
    """Count the sessions that are archived so far."""
    return int(client.get("/api/health").json()["archiving"]["sessions"])


def test_the_list_has_what_is_archived_so_far(client: httpx.Client) -> None:
    count = archived(client)
    found = client.get("/api/sessions").json()
    page = client.get("/sessions").text

    assert 0 < count < SESSIONS
    assert found["total"] == count
    assert f"{count} sessions</output> so far" in page
    assert f"Archiving transcripts: {count} of {SESSIONS} sessions (" in page


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/search?q=crates", "Only archived sessions are searched"),
        ("/usage", "Only archived sessions are counted"),
        ("/files", "Only files of archived sessions are listed"),
    ],
)
def test_pages_say_how_much_they_cover(client: httpx.Client, path: str, words: str) -> None:
    expected = f"{words}: {archived(client)} of {SESSIONS} new sessions are archived so far."

    assert expected in client.get(path).text


def test_a_session_that_waits_is_shown_from_its_file(client: httpx.Client) -> None:
    listed = client.get("/api/sessions", params={"limit": 1000}).json()["sessions"]
    archived = {session["id"] for session in listed}
    every = {SessionBuilder(f"first-{number}").session_id for number in range(SESSIONS)}

    page = client.get(f"/sessions/{min(every - archived)}")

    assert page.status_code == 200
    assert "crates." in page.text


def test_who_begins_to_listen_hears_how_far_it_is(client: httpx.Client) -> None:
    with client.stream("GET", "/api/events") as answer:
        told: dict[str, dict[str, int]] = words(answer.iter_lines(), "progress")  # type: ignore[assignment]

    assert told["archiving"]["total_sessions"] == SESSIONS
    assert 0 < told["archiving"]["bytes"] <= told["archiving"]["total_bytes"]


def test_at_the_end_there_is_no_word_of_it(tmp_path: Path) -> None:
    with paused_first_sync(tmp_path) as sync, client_for(sync.address) as client:
        with client.stream("GET", "/api/events") as answer:
            lines = answer.iter_lines()
            words(lines, "progress")
            sync.resume()
            while words(lines, "progress")["archiving"]:
                pass
        health = client.get("/api/health").json()

        assert (health["is_synced"], health["archiving"]) == (True, None)
        assert client.get("/api/sessions").json()["total"] == SESSIONS
        assert "so far" not in client.get("/sessions").text
        assert "archived so far" not in client.get("/search?q=crates").text


def test_without_transcripts_it_is_said_after_the_first_sync(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    (root / "projects").mkdir(parents=True)
    settings = Settings(port=0, location=Home(tmp_path / "archive"), roots=(root,))
    with serving(settings) as address, client_for(address) as client:
        with client.stream("GET", "/api/events") as answer:
            for line in answer.iter_lines():
                if line.startswith("event:") and client.get("/api/health").json()["is_synced"]:
                    break

        assert "No sessions yet" in client.get("/sessions").text
