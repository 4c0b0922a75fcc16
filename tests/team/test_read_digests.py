"""Members read digests on a server: those of sessions that they may read, as they are now."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from clew.protocol import Visibility
from clew.server.devices import register_device
from clew.server.principal import Principal, Role
from clew.server.settings import TeamSettings
from clew.server.sharing import share_session
from clew.store.postgres.team import open_team
from tests.digest.model_server import say
from tests.team.digesting import MORE, DigestedTeam, digested_team, reply
from tests.team.pushed import PushedTeam
from tests.team.team_server import serving_team, team_client

TITLE = "Tests for the retry code"


class Readers(msgspec.Struct, frozen=True):
    """Ada, who has a session, and Ben, who reads what she shares."""

    digested: DigestedTeam
    owner: int
    session: str
    ada: httpx.Client
    ben: httpx.Client

    @property
    def place(self) -> str:
        """Where the digest is."""
        return f"/api/sessions/{self.session}/digest"

    def share(self, visibility: Visibility) -> None:
        """Let Ada's session be seen by others, or not."""
        team = self.digested.team
        ada = Principal(self.owner, team.organisation, "acme", "ada", Role.MEMBER)
        with open_team(team.location) as opened:
            share_session(opened, ada, self.session, visibility)

    def digest(self) -> None:
        """Let time pass, and workers digest."""
        self.digested.wait()
        self.digested.wait_long()
        self.digested.team.work()


@pytest.fixture
def readers(
    pushed: PushedTeam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Readers]:
    """Give a server with a parsed session."""
    with digested_team(pushed, tmp_path / "claude", monkeypatch) as digested:
        organisation = pushed.organisation
        pushed.rows(
            "INSERT INTO scope (organisation_id, kind) VALUES (%s, 'organisation')", organisation
        )
        digested.switch_on()
        ada, ben = pushed.add_member("ada"), pushed.add_member("ben")
        session = digested.push(ada)
        pushed.work()
        with open_team(pushed.location) as team:
            tokens = [
                register_device(team, organisation, one, "laptop").token for one in (ada, ben)
            ]
        with (
            serving_team(TeamSettings(location=pushed.location)) as address,
            team_client(address, tokens[0]) as first,
            team_client(address, tokens[1]) as second,
        ):
            yield Readers(digested, ada, session, first, second)


def test_a_digest_follows_its_session(readers: Readers) -> None:
    ada, ben, place = readers.ada, readers.ben, readers.place
    assert ada.get(place).json()["digest"]["model"] == "extract"
    assert ben.get(place).status_code == 404
    readers.digest()

    found = ada.get(place).json()["digest"]
    assert (found["title"], found["is_stale"]) == (TITLE, False)
    assert ada.get(f"/api/sessions/{readers.session}/state").json()["state"] == "summarised"
    (listed,) = ada.get("/api/sessions").json()["sessions"]
    assert (listed["title"], listed["description"]) == (TITLE, "Claim 0 was made.")
    assert ben.get(place).status_code == 404
    readers.share(Visibility.ORGANISATION)
    assert ben.get(place).json()["digest"]["title"] == TITLE
    assert "Claim 0 was made." in ben.get("/sessions").text
    query = {"q": "claim in:digest"}
    assert len(ben.get("/api/search", params=query).json()["hits"]) == 1
    readers.share(Visibility.PRIVATE)
    assert ben.get(place).status_code == 404
    assert ben.get("/api/search", params=query).json()["hits"] == []
    assert "Claim 0 was made." not in ben.get("/sessions").text


def test_a_digest_is_stale_until_it_is_made_again_and_gone_with_its_session(
    readers: Readers,
) -> None:
    ada, place = readers.ada, readers.place
    readers.digest()
    readers.digested.push(readers.owner, "one", MORE)
    readers.digested.team.work()
    assert ada.get(place).json()["digest"]["is_stale"] is True
    readers.digested.answer(say(reply(MORE, title="Docs of it")))
    readers.digest()

    found = ada.get(place).json()["digest"]

    assert (found["title"], found["is_stale"]) == ("Docs of it", False)
    readers.digested.team.rows("UPDATE session_state SET deleted_at = now()")
    assert ada.get(place).status_code == 404
