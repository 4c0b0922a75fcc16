"""Sharing: by the owner alone, at once, by links that show one session, and noted in the log."""

import re
from collections.abc import Iterator
from html import unescape

import httpx
import pytest

from clew.server.settings import TeamSettings
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.people import People, fill_team, session_of, twin_of, word_of
from tests.team.team_server import serving_team, team_client


@pytest.fixture(scope="module")
def people(
    tmp_path_factory: pytest.TempPathFactory,
    postgres_server: PostgresServer,
    prepared_database: str,
) -> Iterator[People]:
    """Give a team with sessions."""
    folder = tmp_path_factory.mktemp("people")
    url = postgres_server.make_database(like=prepared_database)
    yield fill_team(PostgresLocation(url, str(folder / "blobs")), folder)
    postgres_server.drop_database(url)


@pytest.fixture(scope="module")
def address(people: People) -> Iterator[str]:
    """Give the address of a server of the team."""
    with serving_team(TeamSettings(location=people.location)) as told:
        yield told


def asking(people: People, address: str, name: str) -> httpx.Client:
    return team_client(address, people.persons[name].token)


def test_an_owner_decides_who_sees_a_session(people: People, address: str) -> None:
    place = f"/api/sessions/{session_of('anna', 'private').session_id}"
    who = ("anna", "bert", "gina", "zoe")
    clients = {name: asking(people, address, name) for name in who}

    def seen_by() -> set[str]:
        return {name for name in who if clients[name].get(f"{place}/messages").is_success}

    def share(name: str, **asked: str) -> httpx.Response:
        return clients[name].post(f"{place}/share", json=asked)

    assert seen_by() == {"anna"}
    assert share("anna", visibility="project").status_code == 400
    assert share("anna", visibility="project", project="none").status_code == 400
    assert share("bert", visibility="organisation").status_code == 404
    assert seen_by() == {"anna"}
    told = share("anna", visibility="project", project="web").json()
    assert (told["visibility"], told["project"]) == ("project", "web")
    assert seen_by() == {"anna", "gina"}
    assert share("anna", visibility="organisation").json()["visibility"] == "organisation"
    assert seen_by() == {"anna", "bert", "gina"}
    for name in ("bert", "gina", "zoe"):
        assert share(name, visibility="private").status_code == 404
    assert share("anna", visibility="everybody").status_code == 400
    assert share("anna", visibility="private").is_success
    assert seen_by() == {"anna"}
    for client in clients.values():
        client.close()


def test_ones_own_of_ambiguous_sessions_is_shared(people: People, address: str) -> None:
    name = twin_of("anna").session_id
    with asking(people, address, "anna") as anna, asking(people, address, "bert") as bert:
        assert anna.post(f"/api/sessions/{name}/share", json={"visibility": "private"}).is_success
        page = bert.get(f"/sessions/{name}").text
        again = anna.post(f"/api/sessions/{name}/share", json={"visibility": "organisation"})

    assert "twin of gina" in page
    assert again.is_success


def test_a_link_shows_one_session_and_nothing_else(people: People, address: str) -> None:
    session, word = session_of("anna", "private"), word_of("anna", "private")
    place = f"/api/sessions/{session.session_id}"
    with asking(people, address, "anna") as anna, team_client(address) as anybody:
        made = anna.post(f"{place}/links", json={"hours": 1, "is_masked": False})
        path = "/shared/" + made.json()["url"].rpartition("/shared/")[2]
        whole = anna.get(f"{place}/conversation").json()
        message, run = whole["messages"][0]["id"], whole["agent_runs"][0]["id"]
        page = anybody.get(path, headers={"accept": "text/html"})
        parts = [
            anybody.get(f"{path}{part}")
            for part in (
                "/sections/0",
                "/frame",
                f"/find?anchor=m-{message}",
                f"/lines?anchor=m-{message}",
                f"/runs/{run}",
            )
        ]
        outside = [
            anybody.get(one)
            for one in (
                f"{path}/timeline",
                f"{path}/kept",
                f"{path}/export/html",
                f"/api{path}/conversation",
                f"/sessions/{session.session_id}",
                place,
                "/api/sessions",
                f"/shared/{session.session_id}",
                f"/shared/{path.rpartition('/')[2][:-1]}",
            )
        ]
        links = anna.get(f"{place}/links").json()["links"]
        anna.delete(f"/api/links/{links[0]['id']}").raise_for_status()
        after = anybody.get(path)

    assert made.status_code == 201
    assert word in page.text
    assert all(part.is_success for part in parts), [part.status_code for part in parts]
    assert word in parts[0].text
    assert all(not one.is_success and word not in one.text for one in outside)
    addresses = set(re.findall(r'(?:href|action|src|data-\w+)="(/[^"]*)"', unescape(page.text)))
    assert path in addresses
    assert all(one.startswith(("/shared/", "/assets/")) for one in addresses), addresses
    assert after.status_code == 410


def test_only_the_owner_has_links(people: People, address: str) -> None:
    place = f"/api/sessions/{session_of('anna', 'organisation').session_id}/links"
    with asking(people, address, "anna") as anna:
        link = anna.post(place, json={"hours": 2}).json()
        assert anna.post(place, json={"hours": 0}).status_code == 400
        assert anna.post(place, json={"hours": 10**6}).status_code == 400
        for name in ("bert", "otto", "ada", "zoe"):
            with asking(people, address, name) as client:
                assert client.post(place, json={"hours": 1}).status_code == 404
                assert client.get(place).status_code == 404
                assert client.delete(f"/api/links/{link['id']}").status_code == 404
        assert [one["id"] for one in anna.get(place).json()["links"]] == [link["id"]]


def test_an_expired_link_shows_nothing(people: People, address: str) -> None:
    place = f"/api/sessions/{session_of('anna', 'organisation').session_id}/links"
    with asking(people, address, "anna") as anna, team_client(address) as anybody:
        made = anna.post(place, json={"hours": 1}).json()
        path = "/shared/" + made["url"].rpartition("/shared/")[2]
        assert anybody.get(path).is_success
        with open_team(people.location) as team:
            team.connection.execute("UPDATE share_link SET expires_at = now()")
        assert anybody.get(path).status_code == 410


def test_a_link_masks_unless_its_owner_chooses_otherwise(people: People, address: str) -> None:
    session, word = session_of("anna", "private"), word_of("anna", "private")
    place = f"/api/sessions/{session.session_id}"
    with asking(people, address, "anna") as anna, team_client(address) as anybody:
        whole = anna.get(f"{place}/conversation").json()
        message, run = whole["messages"][0]["id"], whole["agent_runs"][0]["id"]
        warned = anna.get(f"/sessions/{session.session_id}/share").text
        made = anna.post(f"{place}/links", json={"hours": 1}).json()
        path = "/shared/" + made["url"].rpartition("/shared/")[2]
        shown = [
            anybody.get(f"{path}{part}", headers={"accept": accept})
            for part, accept in (
                ("", "text/html"),
                ("/sections/0", "*/*"),
                ("/sections/0", "text/html"),
                ("/frame", "*/*"),
                (f"/find?anchor=m-{message}", "*/*"),
                (f"/runs/{run}", "text/html"),
            )
        ]
        lines = anybody.get(f"{path}/lines?anchor=m-{message}")
        [link] = [
            one for one in anna.get(f"{place}/links").json()["links"] if one["id"] == made["id"]
        ]
        anna.delete(f"/api/links/{made['id']}").raise_for_status()

    assert made["is_masked"] is True
    assert all(one.is_success for one in shown)
    assert not [one.url for one in shown if word in one.text]
    assert "Shared session." in shown[0].text
    assert "What may be secret or personal is masked." in shown[0].text
    assert (lines.status_code, lines.json()["error"]["code"]) == (404, "not_found")
    assert word not in lines.text
    assert "possibly secret or personal" in warned
    assert link["is_masked"] is True
    assert link["reads"] == 1


def test_members_see_who_read_them(people: People, address: str) -> None:
    session = session_of("gina", "organisation")
    with asking(people, address, "lena") as lena:
        lena.get(f"/sessions/{session.session_id}").raise_for_status()
        lena.get(f"/sessions/{session.session_id}/sections/0").raise_for_status()
        lena.get(f"/sessions/{session.session_id}/export/md").raise_for_status()
        lena.get("/api/search", params={"q": word_of("gina", "organisation")}).raise_for_status()
    with asking(people, address, "gina") as gina, asking(people, address, "bert") as bert:
        gina.get(f"/sessions/{session.session_id}").raise_for_status()
        own = gina.get("/api/audit/mine").json()["events"]
        others = bert.get("/api/audit/mine").text

    read = [(e["actor"], e["action"]) for e in own if e["session_id"] == session.session_id]
    assert sorted(read) == [
        ("lena", "session.export"),
        ("lena", "session.found"),
        ("lena", "session.read"),
    ]
    assert session.session_id not in others


def test_the_state_of_a_session(people: People, address: str) -> None:
    name = session_of("anna", "project").session_id

    def states() -> dict[str, dict[str, object]]:
        found = {}
        for who in ("anna", "gina", "ada", "zoe"):
            with asking(people, address, who) as client:
                answer = client.get(f"/api/sessions/{name}/state")
                found[who] = answer.json() if answer.is_success else {}
        return found

    def change(text: str) -> None:
        with open_team(people.location) as team:
            team.connection.execute(
                f"UPDATE session_state SET {text} WHERE session_id = %s".encode(),  # noqa: S608
                (name,),
            )

    before = found = states()
    assert [before[who].get("state") for who in before] == ["parsed", "parsed", "parsed", None]
    for text, expected in (
        ("head_seq = 2", "received"),
        ("claimed_until = now() + interval '1 hour'", "working"),
        ("claimed_until = NULL, failed_reason = 'torn'", "failed"),
        ("failed_reason = NULL, head_seq = 1, derived_parser = 1", "outdated"),
        ("", "deleted"),
    ):
        if text:
            change(text)
        else:
            with asking(people, address, "anna") as anna:
                assert name in anna.get("/api/sessions").text
                assert anna.delete(f"/push/sessions/{name}").is_success
        found = states()
        assert found["anna"]["state"] == expected
        if expected == "failed":
            reasons = [found[who].get("reason") for who in ("anna", "gina", "ada")]
            assert reasons == ["torn", None, "torn"]
    # Nobody sees a deleted session, and only those hear of it whose business it is.
    assert found["gina"] == {}
    with asking(people, address, "anna") as anna:
        assert anna.get(f"/api/sessions/{name}/messages").status_code == 404
        assert name not in anna.get("/api/sessions").text
