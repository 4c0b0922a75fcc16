"""Sessions that are not archived yet: shown from their files, then from the archive, alike."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from clew.store import Home
from clew.store.lock import writer_lock
from clew.web import Settings
from tests.build import SessionBuilder
from tests.web.serving import client_for, serving

SESSION = SessionBuilder("first").session_id
OWN = f"/sessions/{SESSION}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "claude"
    builder = SessionBuilder("first").user("Where is it?")
    builder.tool("Bash", {"command": "ls"}, "found.txt").assistant("It is there.").write(place)
    return place


@pytest.fixture
def archiving(tmp_path: Path) -> Iterator[ExitStack]:
    """Keep the follower from archiving anything until the stack is closed."""
    home = Home(tmp_path / "archive")
    home.folder.mkdir()
    with ExitStack() as stack:
        stack.enter_context(writer_lock(home.lock))
        yield stack


@pytest.fixture
def client(
    archiving: ExitStack,  # noqa: ARG001 (for its lock)
    root: Path,
    tmp_path: Path,
) -> Iterator[httpx.Client]:
    settings = Settings(port=0, location=Home(tmp_path / "archive"), roots=(root,))
    with serving(settings) as address, client_for(address) as asking:
        yield asking


def wait_until_archived(client: httpx.Client, archiving: ExitStack) -> None:
    with client.stream("GET", "/api/events") as events:
        lines = events.iter_lines()
        next(lines)
        archiving.close()
        for line in lines:
            if line == "event: change":
                return


def test_the_page_of_a_session_is_made_from_its_files(client: httpx.Client) -> None:
    page = client.get(OWN)

    assert page.status_code == 200
    assert "Where is it?" in page.text
    assert "It is there." in client.get(f"{OWN}/sections/0").text


@pytest.mark.parametrize(
    "path", ["frame", "timeline", "export/html", "export/md", "find?anchor=m-x"]
)
def test_the_parts_of_a_page_are_made_from_its_files(client: httpx.Client, path: str) -> None:
    assert client.get(f"{OWN}/{path}").status_code == 200


@pytest.mark.parametrize("path", ["/", "/search", "/usage", "/files"])
def test_a_list_without_sessions_says_that_archiving_has_begun(
    client: httpx.Client, path: str
) -> None:
    page = client.get(path).text

    assert "<h1>Archiving transcripts</h1>" in page
    assert "No sessions yet" not in page


def test_the_beginning_of_an_id_leads_to_the_session(client: httpx.Client) -> None:
    assert client.get(f"/sessions/{SESSION[:6]}").headers["location"] == OWN


def test_its_transcript_is_the_file(client: httpx.Client, root: Path) -> None:
    file = next((root / "projects").glob(f"*/{SESSION}.jsonl"))

    assert client.get(f"/api{OWN}/transcripts/0").content == file.read_bytes()
    assert client.get(f"/api{OWN}/transcripts/1").status_code == 404


@pytest.mark.parametrize("path", ["", "/tool-calls", "/agent-runs", "/transcripts"])
def test_what_only_the_archive_has_is_refused_until_it_is_there(
    client: httpx.Client, path: str
) -> None:
    answer = client.get(f"/api{OWN}{path}")

    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "not_archived"


def test_a_session_that_is_nowhere_is_not_found(client: httpx.Client) -> None:
    assert client.get("/sessions/nowhere").status_code == 404
    assert client.get("/api/sessions/nowhere/conversation").status_code == 404


def test_without_following_only_the_archive_counts(root: Path, tmp_path: Path) -> None:
    settings = Settings(port=0, location=Home(tmp_path / "other"), roots=(root,), is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        assert client.get(OWN).status_code == 503


@pytest.mark.parametrize("path", ["conversation", "messages", "facts"])
def test_once_it_is_archived_the_answers_are_the_same(
    client: httpx.Client, archiving: ExitStack, path: str
) -> None:
    before = client.get(f"/api{OWN}/{path}").json()
    wait_until_archived(client, archiving)

    assert client.get(f"/api{OWN}").status_code == 200
    assert client.get(f"/api{OWN}/{path}").json() == before


def test_once_it_is_archived_its_sections_and_lines_are_the_same(
    client: httpx.Client, archiving: ExitStack
) -> None:
    message = client.get(f"/api{OWN}/messages").json()["messages"][0]["id"]
    paths = (f"{OWN}/sections/0", f"{OWN}/lines?anchor=m-{message}")
    before = [client.get(path).text for path in paths]
    wait_until_archived(client, archiving)

    assert [client.get(path).text for path in paths] == before
    assert message in before[1]
