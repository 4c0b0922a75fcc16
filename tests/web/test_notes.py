"""Own notes by the API: read, changed, filtered, and guarded."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from clew.archive import Archive
from clew.notes import LONGEST_TEXT
from clew.store import Home
from clew.web import Settings
from tests.build import SessionBuilder, edit
from tests.web.serving import client_for, serving, settings_for

ONE = SessionBuilder("one").session_id
TWO = SessionBuilder("two").session_id
TOKEN = "x" * 16


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path / "root"
    SessionBuilder("one").user("Fix the retry bug").assistant("Done.").write(root)
    SessionBuilder("two").user("Write the docs").assistant("Done.").write(root)
    home = Home(tmp_path / "home")
    with Archive(home) as archive:
        archive.sync([root], workers=1)
    return home


@pytest.fixture
def client(home: Home) -> Iterator[httpx.Client]:
    settings = Settings(port=0, location=home, roots=(), is_followed=False)
    with serving(settings) as address, client_for(address) as asking:
        yield asking


def listed(client: httpx.Client, **asked: str) -> dict[str, str]:
    found = client.get("/api/sessions", params=asked).json()["sessions"]
    return {session["id"]: session["title"] for session in found}


def test_short_ids_name_the_sessions_of_a_change(client: httpx.Client) -> None:
    one = client.post(f"/api/sessions/{TWO[:8]}/note", json={"star": True})
    both = client.post("/api/notes", json={"session_ids": [ONE[:8], ONE], "star": True})

    assert one.json()["note"]["session_id"] == TWO
    assert [note["session_id"] for note in both.json()["notes"]] == [ONE]


def test_a_session_without_a_note_has_an_empty_one(client: httpx.Client) -> None:
    found = client.get(f"/api/sessions/{ONE}/note").json()

    assert found["schema"] == "clew.note/1"
    assert found["note"] == {
        "session_id": ONE,
        "is_starred": False,
        "is_hidden": False,
        "title": "",
        "tags": [],
        "text": "",
        "bookmarks": [],
        "changed_at": "",
    }


def test_a_note_is_changed_and_shown_at_once(client: httpx.Client, home: Home) -> None:
    before = client.get(f"/api/sessions/{ONE}/note")

    answer = client.post(
        f"/api/sessions/{ONE}/note",
        json={"title": "Retries", "text": "See the log.", "star": True, "add_tags": ["bug"]},
    )

    note = answer.json()["note"]
    assert (note["title"], note["text"], note["is_starred"]) == ("Retries", "See the log.", True)
    after = client.get(
        f"/api/sessions/{ONE}/note", headers={"if-none-match": before.headers["etag"]}
    )
    assert after.json()["note"] == note
    assert client.get("/api/notes").json()["notes"] == [note]
    with Archive(home) as archive:
        assert archive.note(ONE).title == "Retries"
    assert listed(client) == {ONE: "Retries", TWO: "Write the docs"}
    assert listed(client, text="log") == {ONE: "Retries"}
    assert listed(client, text="bug retries") == {ONE: "Retries"}
    assert client.get(f"/api/sessions/{ONE}").json()["title_source"] == "note"
    whole = client.get(f"/api/sessions/{ONE}/conversation").json()
    assert whole["session"]["title"] == "Retries"
    assert whole["note"]["text"] == "See the log."


def test_several_sessions_are_changed_with_one_request(client: httpx.Client) -> None:
    change = {"session_ids": [ONE, TWO], "star": True, "add_tags": ["seen"]}
    found = client.post("/api/notes", json=change).json()

    assert [note["tags"] for note in found["notes"]] == [["seen"], ["seen"]]
    assert set(listed(client, starred="yes", tag="SEEN")) == {ONE, TWO}

    missing = client.post("/api/notes", json={"session_ids": [ONE, "none"], "star": False})

    assert missing.status_code == 404
    assert set(listed(client, starred="yes")) == {ONE, TWO}
    client.post("/api/notes", json={"session_ids": [TWO], "hidden": True, "remove_tags": ["seen"]})
    assert set(listed(client)) == {ONE}
    assert client.get("/api/sessions").json()["hidden"] == 1
    assert set(listed(client, hidden="yes")) == {TWO}
    assert set(listed(client, with_hidden="true")) == {ONE, TWO}
    hits = client.get("/api/search", params={"q": "done"}).json()
    assert {hit["session_id"] for hit in hits["hits"]} == {ONE}
    usage = client.get("/api/usage", params={"by": "session"}).json()
    assert {row["key"] for row in usage["rows"]} == {ONE, TWO}


def test_messages_are_bookmarked_with_a_comment(client: httpx.Client) -> None:
    place = f"/api/sessions/{ONE}/bookmarks"
    message = client.get(f"/api/sessions/{ONE}/messages").json()["messages"][1]["id"]

    note = client.post(place, json={"message_id": message, "comment": "why"}).json()["note"]
    assert [(one["message_id"], one["comment"]) for one in note["bookmarks"]] == [(message, "why")]
    assert client.get("/api/sessions").json()["sessions"][1]["bookmarks"] in (0, 1)
    assert client.post(place, json={"message_id": "nothing"}).status_code == 404
    note = client.post(place, json={"message_id": message, "remove": True}).json()["note"]
    assert note["bookmarks"] == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"title": "x" * 201}, "use 200 at most"),
        ({"text": "x" * (LONGEST_TEXT + 1)}, "use 20,000 at most"),
        ({"add_tags": ["a*"]}, "which no tag may"),
        ({"add_tags": [""]}, "cannot be empty"),
        ({}, "nothing to change"),
        ({"star": "yes"}, "star"),
        ({"stars": True}, "stars"),
    ],
)
def test_a_change_that_cannot_be_made_says_why(
    client: httpx.Client, change: dict[str, object], reason: str
) -> None:
    answer = client.post(f"/api/sessions/{ONE}/note", json=change)

    assert answer.status_code == 400
    assert reason in answer.json()["error"]["message"]
    assert client.get("/api/notes").json()["notes"] == []


def test_other_sites_change_nothing(client: httpx.Client) -> None:
    body = json.dumps({"session_ids": [ONE], "star": True})
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        answer = client.post("/api/notes", content=body, headers=headers)
        assert answer.status_code == 403
    assert client.get("/api/notes").json()["notes"] == []


def test_a_reader_without_the_token_changes_nothing(home: Home) -> None:
    settings = Settings(port=0, location=home, roots=(), is_followed=False, token=TOKEN)
    with serving(settings) as address, client_for(address) as asking:
        change = {"session_ids": [ONE], "star": True}
        assert asking.post("/api/notes", json=change).status_code == 401
        allowed = {"authorization": f"Bearer {TOKEN}"}
        assert asking.post("/api/notes", json=change, headers=allowed).status_code == 200


def test_an_archive_that_cannot_be_written_says_so(client: httpx.Client, home: Home) -> None:
    client.get("/api/sessions")
    home.notes.write_text("not a folder")

    answer = client.post(f"/api/sessions/{ONE}/note", json={"star": True})

    assert answer.status_code >= 500
    assert client.get(f"/api/sessions/{ONE}/note").json()["note"]["is_starred"] is False


def test_a_hidden_session_is_left_out_of_lists_and_its_pages_stay(tmp_path: Path) -> None:
    root = tmp_path / "root"
    upload = "/home/dev/code/demo/upload.py"
    SessionBuilder("one").user("Fix zebra").tools(edit(upload, "a\n", "a", "b")).write(root)
    SessionBuilder("two").user("Write the docs").assistant("Done.").write(root)
    settings = settings_for(tmp_path / "home", root)
    html = {"accept": "text/html"}
    with serving(settings) as address, client_for(address) as client:
        client.post(f"/api/sessions/{ONE}/note", json={"hidden": True})
        home = client.get("/", headers=html).text
        named = client.get("/api/palette", params={"q": ""}).json()["sessions"]
        around = client.get(f"/api/sessions/{TWO}/around").json()["sessions"]
        listed_files = client.get("/files", headers=html).text
        file = client.get("/files/history", params={"path": upload}, headers=html)

        assert ONE not in home
        assert TWO in home
        assert [one["session_id"] for one in named] == [TWO]
        assert [one["session_id"] for one in around] == [TWO]
        assert "upload.py" not in listed_files
        assert file.status_code == 200
        assert "Fix zebra" in file.text
        assert listed(client, text="hidden:yes file:upload") == {ONE: "Fix zebra"}
        assert client.get("/api/usage").json()["totals"]["sessions"] == 2
