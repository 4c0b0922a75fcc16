"""Events: word of every change, to everybody who listens, until the end."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.build import SessionBuilder
from tests.web.serving import client_for, serving, settings_for


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "claude"
    SessionBuilder("first").user("hello").assistant("yes").write(place)
    return place


@pytest.fixture
def running(root: Path, tmp_path: Path) -> Iterator[str]:
    with serving(settings_for(tmp_path / "archive", root, is_followed=True)) as address:
        yield address


def words(lines: Iterator[str], event: str) -> dict[str, list[str]]:
    """Wait for an event, and give what it says."""
    for line in lines:
        if line == f"event: {event}":
            found: dict[str, list[str]] = msgspec.json.decode(next(lines).removeprefix("data: "))
            return found
    raise AssertionError(event)


def test_a_change_is_told_with_its_sessions(running: str, root: Path) -> None:
    other = SessionBuilder("second").user("more").assistant("indeed")
    with client_for(running) as client, client.stream("GET", "/api/events") as answer:
        lines = answer.iter_lines()
        words(lines, "ready")
        other.write(root)

        assert words(lines, "change")["sessions"] == [other.session_id]
        assert answer.headers["content-type"].startswith("text/event-stream")


def test_who_listens_to_one_session_hears_of_no_other(running: str, root: Path) -> None:
    mine = SessionBuilder("first")
    with (
        client_for(running) as client,
        client.stream("GET", f"/api/sessions/{mine.session_id}/events") as answer,
    ):
        lines = answer.iter_lines()
        words(lines, "ready")
        SessionBuilder("second").user("more").write(root)
        path = next((root / "projects").glob(f"*/{mine.session_id}.jsonl"))
        with path.open("ab") as stream:
            stream.write(SessionBuilder("first").user("hello").user("again").lines()[-1])

        assert mine.session_id in words(lines, "change")["sessions"]


def test_what_came_in_is_in_the_next_answer(running: str, root: Path) -> None:
    with client_for(running) as client, client.stream("GET", "/api/events") as answer:
        lines = answer.iter_lines()
        words(lines, "ready")
        before = client.get("/api/sessions").json()["total"]
        SessionBuilder("second").user("more").assistant("indeed").write(root)
        words(lines, "change")

        assert client.get("/api/sessions").json()["total"] == before + 1


def test_a_server_that_ends_lets_its_listeners_go(root: Path, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "archive", root, is_followed=True)
    with serving(settings) as address, client_for(address) as client:
        request = client.build_request("GET", "/api/events")
        answer = client.send(request, stream=True)
        words(answer.iter_lines(), "ready")

    answer.close()


def test_a_stream_of_nothing_is_refused(running: str) -> None:
    with client_for(running) as client:
        assert client.get("/api/sessions/a%20b/events").status_code == 404
