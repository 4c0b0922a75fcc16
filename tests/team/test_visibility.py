"""Who sees what: every address asked by everybody, and nothing of others in any answer."""

import re
import threading
from collections.abc import Iterator
from typing import Final

import httpx
import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from clew.server.app import make_team_app
from clew.server.settings import RequestLimits, TeamSettings
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.people import (
    PROJECT,
    ROLES,
    VISIBILITIES,
    People,
    fill_team,
    session_of,
    twin_of,
    word_of,
)
from tests.team.team_server import PATIENCE, serving_team, team_client

pytestmark = pytest.mark.slow


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
    limits = RequestLimits(reads=100_000)
    with serving_team(TeamSettings(location=people.location, limits=limits)) as told:
        yield told


def asking(people: People, address: str, name: str) -> httpx.Client:
    return team_client(address, people.persons[name].token)


def sees(name: str, owner: str, visibility: str) -> bool:
    """Tell whether somebody may see a session."""
    if name == "zoe" or owner == "zoe":
        return name == owner
    return (
        name in (owner, "otto")
        or visibility == "organisation"
        or (visibility == "project" and name in PROJECT)
    )


SESSIONS: Final = [(owner, kind) for owner in ("anna", "gina") for kind in VISIBILITIES]
EVERYBODY: Final = (*ROLES, "zoe")


@pytest.mark.parametrize("name", EVERYBODY)
def test_everybody_sees_what_they_may(people: People, address: str, name: str) -> None:
    with asking(people, address, name) as client:
        listed = client.get("/api/sessions").json()["sessions"]
        found = client.get("/api/search", params={"q": "common in:all", "limit": 100}).json()
        usage = client.get("/api/usage", params={"by": "session"}).text
        for owner, kind in (*SESSIONS, ("zoe", "organisation")):
            session = session_of(owner, kind)
            is_seen = sees(name, owner, kind)
            assert (session.session_id in {one["id"] for one in listed}) is is_seen
            assert (session.session_id in {hit["session_id"] for hit in found["hits"]}) is is_seen
            assert (session.session_id in usage) is is_seen
            for path in ("", "/conversation", "/transcripts/0", "/messages"):
                status = client.get(f"/api/sessions/{session.session_id}{path}").status_code
                assert status == (200 if is_seen else 404), (owner, kind, path)
    owners = {one["id"]: one["member"] for one in listed}
    assert all(owners.get(session_of(*one).session_id, one[0]) == one[0] for one in SESSIONS)


def routes(people: People) -> list[str]:
    """Give the paths of everything that can be asked for, as the app knows them."""
    app = make_team_app(TeamSettings(location=people.location)).app
    assert isinstance(app, Litestar)
    return sorted(
        route.path_format
        for route in app.routes
        if isinstance(route, HTTPRoute) and "GET" in route.methods
    )


def filled(path: str, values: dict[str, str]) -> str:
    """Put values in the place of the parameters of a path."""
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: values.get(found[1], "0"), path)


# Streams do not end, and have a test of their own.
SKIPPED: Final = ("/events", "/api/schema", "/api/schema/{path}")
QUERIES: Final = (
    "",
    "?q={word}",
    "?q=common+in:all",
    "?q=/zz.*zz/+in:all",
    "?q=in:files+py",
    "?by=session",
    "?by=project",
    "?path=/home/{word}/{word}.py",
    "?path=py",
    "?text={word}",
    "?member=anna",
    "?project={word}",
    "?with_hidden=true&limit=1000",
    "?anchor=m-{message}&fragment=m-{message}",
)


def test_every_address_as_anna_then_as_bert(people: People, address: str) -> None:
    own = session_of("anna", "private")
    word, asked = word_of("anna", "private"), 0
    with asking(people, address, "anna") as anna, asking(people, address, "bert") as bert:
        whole = anna.get(f"/api/sessions/{own.session_id}/conversation").json()
        message, run = whole["messages"][0]["id"], whole["agent_runs"][0]["id"]
        key = anna.get(f"/api/sessions/{own.session_id}/page").json()["version"].split("-")[0]
        for path in routes(people):
            if path.endswith(SKIPPED):
                continue
            for name in (own.session_id, key, own.session_id[:8]):
                values = {
                    "session_id": name,
                    "message_id": message,
                    "run_id": run,
                    "number": "0",
                    "form": "html",
                }
                for query in QUERIES[-1:] if "session_id" in path else QUERIES:
                    place = filled(path, values) + query.format(word=word, message=message)
                    told = anna.get(place)
                    heads = {"if-none-match": told.headers.get("etag", '"none"')}
                    heard = bert.get(place, headers=heads)
                    asked += told.status_code == 200
                    assert heard.status_code != 304, place
                    assert word not in heard.text or is_echo(heard.text, word, place), place
                if "session_id" not in path:
                    break
    assert asked > 100


def is_echo(text: str, word: str, place: str) -> bool:
    """Tell whether an answer has a word only because it was asked for."""
    return word in place and not re.search(rf"(prompt|result|answer|Seen) {word}", text)


def test_a_tag_of_one_viewer_is_none_of_anothers(people: People, address: str) -> None:
    shared = session_of("anna", "organisation").session_id
    with asking(people, address, "anna") as anna, asking(people, address, "bert") as bert:
        for place in ("/api/sessions", "/api/usage", f"/api/sessions/{shared}/conversation"):
            first, second = anna.get(place), bert.get(place)
            assert first.headers["etag"] != second.headers["etag"]
            assert first.headers["cache-control"].startswith("private")
            tag = {"if-none-match": first.headers["etag"]}
            assert anna.get(place, headers=tag).status_code == 304
            assert bert.get(place, headers=tag).status_code == 200


def test_an_ambiguous_id_is_a_conflict(people: People, address: str) -> None:
    name = twin_of("anna").session_id
    with asking(people, address, "bert") as client:
        answer = client.get(f"/api/sessions/{name}/conversation")
        error = answer.json()["error"]
        pages = [client.get(f"/sessions/{key}").text for key in error["candidates"]]
        calls = [client.get(f"/api/sessions/{key}/tool-calls") for key in error["candidates"]]

    assert (answer.status_code, error["code"]) == (409, "ambiguous")
    assert ["twin of anna" in pages[0], "twin of gina" in pages[1]] == [True, True]
    assert "twin of gina" not in pages[0]
    assert [call.status_code for call in calls] == [200, 200]


def test_what_is_no_longer_shared_is_gone_at_once(people: People, address: str) -> None:
    session = session_of("anna", "organisation")
    places = (
        "/api/sessions",
        "/",
        "/api/search?q=common+in:all&limit=100",
        "/api/usage?by=session",
        f"/sessions/{session.session_id}",
        f"/api/sessions/{session.session_id}/messages",
    )
    word = word_of("anna", "organisation")
    private = people.scopes["anna"]
    with asking(people, address, "bert") as bert:
        before = [bert.get(place) for place in places]
        people.move("anna", session.session_id, private)
        try:
            after = [bert.get(place) for place in places]
        finally:
            people.move("anna", session.session_id, people.scopes["organisation"])
        again = [bert.get(place) for place in places]

    for answers, is_seen in ((before, True), (after, False), (again, True)):
        for place, answer in zip(places, answers, strict=True):
            text = answer.text
            assert (
                word in text or (session.session_id in text and answer.is_success)
            ) is is_seen, place


def test_no_address_shows_what_is_no_longer_shared(people: People, address: str) -> None:
    session, word = session_of("anna", "organisation"), word_of("anna", "organisation")
    own = session_of("gina", "organisation").session_id
    paths = [one for one in routes(people) if "{" not in one and not one.endswith(SKIPPED)]
    asked = ("", "?q=common+in:all", "?path=/home/{word}/{word}.py", "?member=anna")
    places = [path + query.format(word=word) for path in paths for query in asked]
    places += [f"{path}?a={own}&b={own}" for path in ("/compare", "/api/compare")]
    places += [f"/api/sessions/{own}/around", f"/sessions/{own}", f"/compare?a={own}"]
    with asking(people, address, "bert") as bert:
        before = [place for place in places if has_word(bert.get(place), word, place)]
        people.move("anna", session.session_id, people.scopes["anna"])
        try:
            after = [place for place in before if has_word(bert.get(place), word, place)]
        finally:
            people.move("anna", session.session_id, people.scopes["organisation"])

    assert len(before) > 20
    assert f"/compare?a={own}&b={own}" in before
    assert after == []


def has_word(answer: httpx.Response, word: str, place: str) -> bool:
    """Tell whether an answer has a word that was not asked for."""
    return answer.is_success and word in answer.text and not is_echo(answer.text, word, place)


def test_events_are_of_sessions_that_one_sees(people: People, address: str) -> None:
    private, shared = (session_of("anna", kind) for kind in ("private", "organisation"))
    heard: dict[str, str] = {}
    ready = threading.Barrier(3)

    def listen(name: str) -> None:
        with asking(people, address, name) as client, client.stream("GET", "/api/events") as told:
            for line in told.iter_lines():
                if line == "event: ready":
                    ready.wait(PATIENCE)
                if line.startswith("data:") and "sessions" in line:
                    heard[name] = line
                    return

    threads = [threading.Thread(target=listen, args=(name,)) for name in ("anna", "bert")]
    for thread in threads:
        thread.start()
    ready.wait(PATIENCE)
    people.move("anna", private.session_id, people.scopes["anna"])
    people.move("anna", shared.session_id, people.scopes["organisation"])
    for thread in threads:
        thread.join(PATIENCE)

    assert private.session_id in heard["anna"]
    assert shared.session_id in heard["bert"]
    assert private.session_id not in heard["bert"]
