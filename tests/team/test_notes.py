"""Members have notes of their own on a server, which nobody else sees, and which go with them."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from clew.protocol import Visibility
from clew.server.accounts import require_member
from clew.server.deletion import purge_session
from clew.server.devices import register_device
from clew.server.off_boarding import delete_member
from clew.server.principal import Principal, Role
from clew.server.settings import TeamSettings
from clew.server.sharing import share_session
from clew.store.postgres.team import open_team
from tests.build import SessionBuilder
from tests.team.pushed import PushedTeam
from tests.team.team_server import serving_team, team_client

TITLE = "Retries, at last"


class Readers(msgspec.Struct, frozen=True):
    """Ada, who has a session that she shares, Ben, who reads it, and an auditor."""

    team: PushedTeam
    owner: int
    session: str
    ada: httpx.Client
    ben: httpx.Client
    auditor: httpx.Client

    @property
    def place(self) -> str:
        """Where the note is."""
        return f"/api/sessions/{self.session}/note"

    def share(self, visibility: Visibility) -> None:
        """Let Ada's session be seen by others, or not."""
        ada = Principal(self.owner, self.team.organisation, "acme", "ada", Role.MEMBER)
        with open_team(self.team.location) as opened:
            share_session(opened, ada, self.session, visibility)


@pytest.fixture
def readers(pushed: PushedTeam, tmp_path: Path) -> Iterator[Readers]:
    """Give a server with a parsed session that all of an organisation may read."""
    organisation = pushed.organisation
    pushed.rows(
        "INSERT INTO scope (organisation_id, kind) VALUES (%s, 'organisation')", organisation
    )
    members = [pushed.add_member(name) for name in ("ada", "ben", "aud")]
    pushed.rows("UPDATE member SET role = 'auditor' WHERE name = 'aud'")
    builder = SessionBuilder("one").user("Fix the retry bug").assistant("Done.")
    builder.write(tmp_path / "root")
    pushed.push(members[0], tmp_path / "root")
    pushed.work()
    with open_team(pushed.location) as team:
        tokens = [register_device(team, organisation, one, "laptop").token for one in members]
    with (
        serving_team(TeamSettings(location=pushed.location)) as address,
        team_client(address, tokens[0]) as ada,
        team_client(address, tokens[1]) as ben,
        team_client(address, tokens[2]) as auditor,
    ):
        made = Readers(pushed, members[0], builder.session_id, ada, ben, auditor)
        made.share(Visibility.ORGANISATION)
        yield made


def titles(client: httpx.Client, **asked: str) -> list[str]:
    return [one["title"] for one in client.get("/api/sessions", params=asked).json()["sessions"]]


def test_nobody_sees_the_notes_of_anybody_else(readers: Readers) -> None:
    ada, ben, auditor, place = readers.ada, readers.ben, readers.auditor, readers.place
    plain = titles(ada)
    change = {"title": TITLE, "text": "breaks-on-503", "star": True, "add_tags": ["mine"]}

    assert ben.post(place, json=change).json()["note"]["title"] == TITLE

    assert titles(ben) == titles(ben, starred="yes", tag="mine") == [TITLE]
    assert titles(ada) == titles(auditor) == plain
    for other in (ada, auditor):
        assert other.get(place).json()["note"]["text"] == ""
        assert other.get("/api/notes").json()["notes"] == []
        assert titles(other, starred="yes") == titles(other, tag="mine") == []
        page = other.get(f"/sessions/{readers.session}").text
        assert TITLE not in page
        assert "breaks-on-503" not in page
        assert other.get("/api/search", params={"q": "retries in:title"}).json()["hits"] == []
    assert "breaks-on-503" in ben.get(f"/sessions/{readers.session}").text
    [hit] = ben.get("/api/search", params={"q": "retries in:title"}).json()["hits"]
    assert hit["title"] == TITLE


def test_a_hidden_session_is_hidden_from_whoever_hid_it(readers: Readers) -> None:
    change = {"session_ids": [readers.session], "hidden": True}
    assert readers.ben.post("/api/notes", json=change).status_code == 200

    assert titles(readers.ben) == []
    assert readers.ben.get("/api/sessions").json()["hidden"] == 1
    assert len(titles(readers.ada)) == 1
    assert len(titles(readers.ben, hidden="yes")) == 1
    assert readers.ben.get("/api/search", params={"q": "done"}).json()["hits"] == []
    assert len(readers.ada.get("/api/search", params={"q": "done"}).json()["hits"]) == 1


def test_what_is_shared_no_longer_has_no_note(readers: Readers) -> None:
    readers.ben.post(readers.place, json={"star": True})
    readers.share(Visibility.PRIVATE)

    assert readers.ben.get(readers.place).status_code == 404
    assert readers.ben.post(readers.place, json={"star": False}).status_code == 404
    assert readers.ben.get("/api/notes").json()["notes"] == []
    readers.share(Visibility.ORGANISATION)
    assert readers.ben.get(readers.place).json()["note"]["is_starred"] is True


def test_notes_go_with_the_session(readers: Readers) -> None:
    message = readers.ben.get(f"/api/sessions/{readers.session}/messages").json()["messages"][0]
    place = f"/api/sessions/{readers.session}/bookmarks"
    assert readers.ben.post(place, json={"message_id": message["id"]}).status_code == 200
    readers.ada.post(readers.place, json={"star": True})
    team = readers.team
    team.rows("UPDATE session_state SET deleted_at = now()")

    assert purge_session(team.location, readers.owner, readers.session)

    assert team.rows("SELECT * FROM note") == team.rows("SELECT * FROM bookmark") == []


def test_notes_go_with_the_member(readers: Readers) -> None:
    readers.ben.post(readers.place, json={"star": True})
    readers.ada.post(readers.place, json={"star": True})
    with open_team(readers.team.location) as team:
        delete_member(team, require_member(team, "ben"))

    assert readers.team.rows("SELECT viewer FROM note") == [(readers.owner,)]


def test_a_page_that_several_read_has_the_notes_of_nobody_else(readers: Readers) -> None:
    page = f"/sessions/{readers.session}"
    html = {"accept": "text/html"}
    for reader in (readers.ben, readers.auditor):
        assert TITLE not in reader.get(page, headers=html).text

    readers.ben.post(readers.place, json={"title": TITLE, "text": "breaks-on-503"})

    assert TITLE in readers.ben.get(page, headers=html).text
    for reader in (readers.ada, readers.auditor):
        text = reader.get(page, headers=html).text
        assert "Fix the retry bug" in text
        assert TITLE not in text
        assert "breaks-on-503" not in text
