"""Pages of a team: whose session it is, usage for leads, and what administrators do."""

import datetime as dt
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

import clew.server
from clew.server.accounts import require_member
from clew.server.audit_words import action_text
from clew.server.devices import register_device, revoke_device
from clew.server.settings import TeamSettings
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from clew.web import live_sessions
from tests.postgres_server import PostgresServer
from tests.team.people import People, fill_team, session_of, twin_of, word_of
from tests.team.team_server import serving_team, team_browser, team_client


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


def browsing(people: People, address: str, name: str) -> httpx.Client:
    return team_browser(address, people.persons[name].browser)


def without_scores(hits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return hits without their scores, which fall with every second."""
    return [{**hit, "score": 0} for hit in hits]


def test_pages_say_whose_session_it_is(people: People, address: str) -> None:
    shared = session_of("gina", "organisation")
    with asking(people, address, "bert") as bert, asking(people, address, "gina") as gina:
        listed, home = bert.get("/sessions").text, bert.get("/").text
        around = bert.get(f"/api/sessions/{shared.session_id}/around").json()["sessions"]
        of_gina = bert.get("/sessions", params={"member": "gina"}).text
        found = bert.get("/search", params={"q": word_of("gina", "organisation")}).text
        by_member = bert.get("/api/search", params={"q": "common in:all", "member": "gina"}).json()
        by_query = bert.get("/api/search", params={"q": "common in:all member:gina"}).json()
        teaching = bert.get("/search").text
        session = bert.get(f"/sessions/{shared.session_id}").text
        own = gina.get(f"/sessions/{shared.session_id}").text

    assert (
        unescape(listed).count('<a class="owner" href="/sessions?member=gina"><bdi>gina</bdi></a>')
        == 2
    )
    assert '<span class="owner quiet small"><bdi>gina</bdi></span>' in home
    assert {one["member"] for one in around} == {"gina"}
    assert "<h3><bdi>gina</bdi></h3>" in session
    assert "<h3><bdi>You</bdi></h3>" not in session
    assert "<h3><bdi>You</bdi></h3>" in own
    assert f"prompt {word_of('anna', 'organisation')}" in listed
    assert f"prompt {word_of('anna', 'organisation')}" not in of_gina
    assert '<span class="owner"><bdi>gina</bdi></span>' in found
    assert {hit["member"] for hit in by_member["hits"]} == {"gina"}
    assert without_scores(by_query["hits"]) == without_scores(by_member["hits"])
    assert "<code>member:</code>" in teaching
    assert 'Session <span class="owner">by <bdi>gina</bdi></span>' in session
    assert f"{shared.session_id}/share" in unescape(own)
    assert "/share" not in unescape(session)
    assert "<bdi>bert</bdi>" in listed
    assert 'action="/logout"' in unescape(listed)


@pytest.mark.parametrize("name", ["anna", "bert", "gina", "ada"])
def test_home_and_what_runs_show_what_one_may_read(
    people: People, address: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sessions are some days old: let the last years count as lately."""
    monkeypatch.setattr(live_sessions, "LIVE_WINDOW", dt.timedelta(days=3650))
    with asking(people, address, name) as client:
        listed = client.get("/api/sessions", params={"limit": 1000}).json()["sessions"]
        running = client.get("/api/live").json()["sessions"]
        pages = client.get("/").text + client.get("/live").text
    words = {
        word_of(owner, shown)
        for owner in ("anna", "bert", "gina")
        for shown in ("private", "project", "organisation")
    }
    seen = {word for word in words if any(word in str(each) for each in listed)}

    assert {each["session_id"] for each in running} == {each["id"] for each in listed}
    assert {each["member"] for each in running} == {each["member"] for each in listed}
    assert {word for word in words if word in pages} == seen
    assert "Claude Code deletes" not in pages


def test_what_is_not_parsed_yet_is_said(people: People, address: str) -> None:
    with open_team(people.location) as team:
        team.connection.execute(
            "INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id,"
            " head_seq, failed_reason)"
            " SELECT %s, name, 1, 'everything', %s, 1, reason"
            " FROM (VALUES ('new', NULL), ('torn', 'line 3 is torn')) AS sent (name, reason)",
            (people.persons["anna"].id, people.scopes["anna"]),
        )
    with asking(people, address, "anna") as anna, asking(people, address, "bert") as bert:
        told, state = anna.get("/sessions").text, anna.get("/api/sessions/new/state").json()
        own, of_others = anna.get("/processing"), bert.get("/processing")
        others, refused = bert.get("/sessions").text, bert.get("/api/sessions/new/state")
    with browsing(people, address, "ada") as ada:
        page = ada.get("/admin").text
        answer = ada.post(
            "/admin/retry", data={"owner": str(people.persons["anna"].id), "session": "torn"}
        )
        after = ada.get("/admin").text

    assert "1 session received, not parsed yet; 1 session could not be parsed" in told
    assert state["state"] == "received"
    assert "4 of 6 sessions parsed" in own.text
    assert "not parsed yet" in own.text
    assert "failed: line 3 is torn" in own.text
    assert "refresh" in own.headers
    assert "Nothing waits for a worker" in of_others.text
    assert "refresh" not in of_others.headers
    assert "not parsed" not in others
    assert refused.status_code == 404
    assert "line 3 is torn" in page
    assert answer.status_code == 303
    assert "line 3 is torn" not in after


def test_usage_by_project_is_for_leads_and_by_member_if_switched_on(
    people: People, address: str
) -> None:
    def ask(name: str, by: str) -> httpx.Response:
        with asking(people, address, name) as client:
            return client.get("/api/team/usage", params={"by": by})

    for name in ("anna", "bert", "ada"):
        assert ask(name, "project").status_code == 403
    rows = {row["name"]: row for row in ask("lena", "project").json()["rows"]}
    assert ask("lena", "member").status_code == 403
    with browsing(people, address, "ada") as ada, asking(people, address, "bert") as bert:
        before = bert.get("/sessions").text
        ada.post("/admin/settings", data={"shows_members": "yes"})
        after = bert.get("/sessions").text
        shown = ask("lena", "member").json()["rows"]
        with asking(people, address, "lena") as lena:
            page = lena.get("/team").text
        ada.post("/admin/settings", data={"shows_members": "no"})
    assert ask("lena", "member").status_code == 403

    # What is private is not counted, and the other organisation is another one.
    assert rows.keys() == {"web", ""}
    assert (rows["web"]["sessions"], rows["web"]["members"]) == (2, 2)
    assert rows[""]["sessions"] == 4
    assert {row["name"] for row in shown} == {"anna", "gina"}
    assert "By member" in page
    assert "usage by member" not in before
    assert "Leads of your organisation can see usage by member." in after


@pytest.mark.parametrize("name", ["anna", "lena", "otto", "zoe", "a device of ada"])
def test_only_administrators_administrate(people: People, address: str, name: str) -> None:
    # A device has its token for ever, and nobody confirms what it does.
    of_device = name == "a device of ada"
    with asking(people, address, "ada") if of_device else browsing(people, address, name) as client:
        assert client.get("/admin").status_code == 403
        assert client.get("/admin/audit").status_code == 403
        for place in (
            "members",
            "members/bert/role",
            "members/bert/disable",
            "members/bert/enable",
            "members/bert/reset",
            "projects",
            "projects/1/add",
            "devices/1/revoke",
            "retry",
            "settings",
        ):
            assert client.post(f"/admin/{place}", data={}).status_code == 403, place


def test_an_administrator_manages_the_organisation(people: People, address: str) -> None:
    with browsing(people, address, "ada") as ada, team_client(address) as anybody:
        invited = ada.post("/admin/members", data={"name": "nora", "role": "member"}).text
        link = re.search(r"/invite/[\w-]+", unescape(invited))
        assert link is not None
        form = anybody.get(link[0])
        assert ada.post("/admin/members/nora/role", data={"role": "lead"}).status_code == 303
        assert ada.post("/admin/members/nora/role", data={"role": "king"}).status_code == 400
        assert ada.post("/admin/projects", data={"project": "app"}).status_code == 303
        place = re.search(r'action="(/admin/projects/\d+)/add"', unescape(ada.get("/admin").text))
        assert place is not None
        assert ada.post(f"{place[1]}/add", data={"name": "nora"}).status_code == 303
        # Those of other organisations do not exist.
        assert ada.post(f"{place[1]}/add", data={"name": "zoe"}).status_code == 404
        assert ada.post("/admin/members/zoe/disable", data={}).status_code == 404
        other = people.persons["zoe"]
        device = {"owner": str(other.id), "session": "x"}
        assert ada.post("/admin/retry", data=device).status_code == 400
        assert ada.post("/admin/members/ada/disable", data={}).status_code == 400
        page = ada.get("/admin").text
        assert ada.post("/admin/members/nora/disable", data={}).status_code == 303
        disabled = ada.get("/admin").text
        log = ada.get("/admin/audit").text
    with asking(people, address, "zoe") as zoe:
        assert zoe.get("/api/sessions").is_success

    assert form.is_success
    assert "lead" in page
    assert "disabled" in disabled
    for text in ("nora", "created a member", "changed a role", "disabled a member"):
        assert text in log
    # No content: neither texts nor titles of sessions.
    for owner in ("anna", "gina"):
        for kind in ("private", "project"):
            assert word_of(owner, kind) not in page + log


def test_the_log_has_words_for_every_action() -> None:
    texts = [path.read_text() for path in Path(clew.server.__file__).parent.glob("*.py")]
    kinds = "consent|device|link|member|organisation|project|session"
    written = set(re.findall(rf'"((?:{kinds})\.[a-z]+)"', "\n".join(texts)))

    assert len(written) > 25
    assert not [action for action in written if action_text(action) == action]


def test_a_session_is_shared_on_its_page(people: People, address: str) -> None:
    name = session_of("anna", "private").session_id
    place = f"/sessions/{name}"
    with asking(people, address, "anna") as anna, asking(people, address, "gina") as gina:
        assert anna.get(f"{place}/share").is_success
        assert gina.get(f"{place}/share").status_code == 404
        changed = anna.post(f"{place}/share", data={"visibility": "project web"})
        assert (changed.status_code, gina.get(place).status_code) == (303, 200)
        made = anna.post(f"{place}/links", data={"hours": "3"})
        assert (made.status_code, made.headers["location"]) == (303, f"{place}/share")
        pages = [unescape(anna.get(f"{place}/share").text) for _ in range(2)]
        page = pages[1]
        assert all("/shared/" in one for one in pages)
        link = re.search(r"/shared/[\w-]+", page)
        assert link is not None
        with asking(people, address, "anna") as other:
            assert link[0] not in unescape(other.get(f"{place}/share").text)
        revoke = re.search(r'action="([^"]+/revoke)"', page)
        assert revoke is not None
        with team_client(address) as anybody:
            assert anybody.get(link[0]).is_success
            assert gina.post(revoke[1], data={}).status_code == 404
            assert anna.post(revoke[1], data={}).status_code == 303
            revoked = anybody.get(link[0], headers={"accept": "text/html"})
            assert revoked.status_code == 410
            assert "This link was revoked" in revoked.text
        assert "somebody with the link" in anna.get("/audit").text
        assert anna.post(f"{place}/share", data={"visibility": "private"}).status_code == 303
        assert gina.get(place).status_code == 404
        assert "made a link" in anna.get("/audit").text


def test_who_leaves_a_project_takes_their_sessions_along(people: People, address: str) -> None:
    name = session_of("gina", "project").session_id
    with (
        browsing(people, address, "ada") as ada,
        asking(people, address, "gina") as gina,
        asking(people, address, "lena") as lena,
    ):
        page = unescape(ada.get("/admin").text).partition("<bdi>web</bdi>")[2]
        place = re.search(r'action="(/admin/projects/\d+)/add"', page)
        assert place is not None
        assert lena.get(f"/sessions/{name}").is_success
        assert ada.post(f"{place[1]}/remove", data={"name": "gina"}).status_code == 303
        assert lena.get(f"/sessions/{name}").status_code == 404
        assert gina.get(f"/sessions/{name}").is_success
        assert gina.get(f"/api/sessions/{name}/state").json()["visibility"] == "private"
        assert ada.post(f"{place[1]}/add", data={"name": "gina"}).status_code == 303
        again = {"visibility": "project", "project": "web"}
        assert gina.post(f"/api/sessions/{name}/share", json=again).is_success


def test_a_page_asks_which_session_is_meant(people: People, address: str) -> None:
    name = twin_of("anna").session_id
    with asking(people, address, "bert") as bert:
        page = bert.get(f"/sessions/{name}", headers={"accept": "text/html"})
        links = re.findall(r'href="(/sessions/s\d+)"', unescape(page.text))
        titles = [re.search(r"<title>(.*?) ·", bert.get(link).text) for link in links]

    assert page.status_code == 409
    assert [title and title[1] for title in titles] == ["twin of anna", "twin of gina"]


def test_the_api_is_described(people: People, address: str) -> None:
    with asking(people, address, "bert") as bert:
        paths = bert.get("/api/schema/openapi.json").json()["paths"]

    session = "/api/sessions/{session_id}"
    for path in ("transcript", "raw", "raw/{number}", "stats", "state", "share", "links"):
        assert f"{session}/{path}" in paths
    assert {"/api/audit/mine", "/api/team/usage", "/api/links/{link_id}"} <= paths.keys()


def test_an_open_page_hears_nothing_after_its_device_was_revoked(
    people: People, address: str
) -> None:
    with open_team(people.location) as team:
        member = require_member(team, "bert")
        device = register_device(team, member.organisation_id, member.id, "lost laptop")
    name = session_of("anna", "organisation").session_id
    with (
        team_client(address, device.token) as lost,
        lost.stream("GET", "/api/events") as told,
    ):
        lines = told.iter_lines()
        assert "event: ready" in (next(lines), next(lines))
        with open_team(people.location) as team:
            revoke_device(team, member.organisation_id, device.device_id)
        people.move("anna", name, people.scopes["organisation"])
        heard = list(lines)

    assert not any(name in line for line in heard)
