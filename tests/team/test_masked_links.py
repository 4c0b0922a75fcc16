"""A link that masks: nothing below it contains a secret, or the name of a home folder."""

import re
from collections.abc import Iterator
from html import unescape

import httpx
import msgspec
import pytest

from clew.server.settings import TeamSettings
from clew.store.postgres.connection import pool, run
from clew.store.postgres.team import open_team, prepare_team
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash, edit
from tests.postgres_server import PostgresServer
from tests.team.people import People, fill, fill_team
from tests.team.planted_secrets import planted
from tests.team.routes import find_routes
from tests.team.team_server import serving_team, team_client
from tests.team.test_redacted import PLACES

NAME = "zzmarthazz"
"""The name of a home folder."""
PLANTED = planted()
_TAG = re.compile(r"<[^>]*>")
_OTHER_PAGES = (
    *("changes", "context", "timeline", "agents", "kept", "export/html", "export/md", "share"),
    *("compare", "messages", "conversation", "transcripts/0", "events", "images/0", "raw"),
)


class Masked(msgspec.Struct, frozen=True):
    """A session full of secrets, with a link that masks and one that does not."""

    session_id: str
    masked: str
    whole: str
    messages: tuple[str, ...]
    calls: tuple[str, ...]
    runs: tuple[str, ...]


def full_of_secrets() -> SessionBuilder:
    """Return a session with each planted secret in one place, and the name in many."""
    session = SessionBuilder("masked", cwd=f"/home/{NAME}/app", branch=f"{NAME}-fix")
    session.user(f"I am {NAME}, begin in /home/{NAME}/app.")
    places = list(PLACES.values())
    for number, (text, _) in enumerate(PLANTED):
        places[number % len(places)](session, text)
    session.tools(bash(f"ls /home/{NAME}", f"/home/{NAME}/a\n-home-{NAME}-app\n"))
    session.tools(edit(f"/home/{NAME}/app/{NAME}.py", "x", "x", f"y = '{NAME}'"))
    session.agent(f"{NAME}-agent", f"Ask {NAME}", lambda run: run.assistant(f"Seen {NAME}."))
    session.custom_title(f"What {NAME} did")
    return session.assistant(f"Done, {NAME}.")


@pytest.fixture(scope="module")
def people(
    tmp_path_factory: pytest.TempPathFactory,
    postgres_server: PostgresServer,
    prepared_database: str,
) -> Iterator[People]:
    folder = tmp_path_factory.mktemp("people")
    url = postgres_server.make_database(like=prepared_database)
    found = fill_team(PostgresLocation(url, str(folder / "blobs")), folder)
    fill(found, "bert", [(full_of_secrets(), found.scopes["bert"])])
    yield found
    postgres_server.drop_database(url)


@pytest.fixture(scope="module")
def address(people: People) -> Iterator[str]:
    with serving_team(TeamSettings(location=people.location)) as told:
        yield told


@pytest.fixture(scope="module")
def linked(people: People, address: str) -> Masked:
    session_id = full_of_secrets().session_id
    place = f"/api/sessions/{session_id}"
    with team_client(address, people.persons["bert"].token) as bert:
        whole = bert.get(f"{place}/conversation").json()
        made = [
            bert.post(f"{place}/links", json={"hours": 1, "is_masked": is_masked}).json()["url"]
            for is_masked in (True, False)
        ]
    masked, open_ = ("/shared/" + url.rpartition("/shared/")[2] for url in made)
    return Masked(
        session_id,
        masked,
        open_,
        tuple(one["id"] for one in whole["messages"]),
        tuple(one["id"] for one in whole["tool_calls"]),
        tuple(one["id"] for one in whole["agent_runs"]),
    )


def answers_below(client: httpx.Client, linked: Masked, place: str) -> Iterator[httpx.Response]:
    """Give the responses of all routes below a link, in all the ways that they can be asked."""
    yield client.get(place, headers={"accept": "text/html"})
    yield client.get(f"{place}/frame")
    for number in range(1_000):
        found = client.get(f"{place}/sections/{number}")
        if not found.is_success:
            break
        yield found
        if number % 10 == 0:
            yield client.get(f"{place}/sections/{number}", headers={"accept": "text/html"})
    names = [*(f"m-{one}" for one in linked.messages[::20]), *(f"c-{one}" for one in linked.calls)]
    for name in names[::10]:
        yield client.get(f"{place}/find", params={"anchor": name})
    for agent_run in linked.runs:
        yield client.get(f"{place}/runs/{agent_run}", headers={"accept": "text/html"})


def text_of(response: httpx.Response) -> str:
    """Return what a response says: as it is, without references, and without tags."""
    headers = "\n".join(response.headers.values())
    said = response.text
    if "json" in response.headers["content-type"]:
        said = f"{said}\n{_strings(response.json())}"
    plain = unescape(said)
    return "\n".join((headers, said, plain, unescape(_TAG.sub("", said))))


def _strings(value: object) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}\n{_strings(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return "\n".join(map(_strings, value))
    return str(value)


def test_nothing_below_a_masked_link_has_a_secret(address: str, linked: Masked) -> None:
    with team_client(address) as anybody:
        masked = list(answers_below(anybody, linked, linked.masked))
        whole = list(answers_below(anybody, linked, linked.whole))

    assert all(one.is_success for one in masked)
    assert len(masked) == len(whole)
    secrets = [NAME, *(secret for _, found in PLANTED for secret in found)]
    shown = "\n".join(map(text_of, whole))
    # The pages show most of them, so that it means something that those that mask show none.
    assert sum(secret in shown for secret in secrets) > len(secrets) * 0.6
    left = [
        (one.url.path.removeprefix(linked.masked), secret)
        for one in masked
        for text in [text_of(one)]
        for secret in secrets
        if secret in text
    ]
    assert left == []


def test_a_masked_link_has_no_route_that_does_not_mask(
    people: People, address: str, linked: Masked
) -> None:
    line = f"{linked.masked}/lines?anchor=m-{linked.messages[0]}"
    below = [
        route.partition("/shared/{session_id}")[2]
        for route in find_routes(people.location)
        if route.startswith("GET /shared/")
    ]
    with team_client(address) as anybody:
        missing = anybody.get(f"{linked.masked}/there-is-none")
        refused = [anybody.get(f"{linked.masked}/{page}") for page in _OTHER_PAGES]
        refused += [anybody.get(line), anybody.get(f"{linked.masked}/lines?anchor=m-none")]
        as_page = anybody.get(line, headers={"accept": "text/html"})
        by_api = [
            anybody.get(f"/api{linked.masked.replace('shared', 'sessions')}/{page}")
            for page in ("", "conversation", "messages", "transcripts/0")
        ]
        lines = anybody.get(f"{linked.whole}/lines?anchor=m-{linked.messages[0]}")
        pages = [
            anybody.get(place, headers={"accept": "text/html"}).text
            for place in (linked.masked, linked.whole)
        ]

    # Of a new route, it must be said whether it masks, and what it says is looked at above.
    assert below == ["", "/find", "/frame", "/lines", "/runs/{run_id}", "/sections/{number}"]
    assert {(one.status_code, one.text) for one in refused} == {(404, missing.text)}
    assert as_page.status_code == 404
    assert NAME not in as_page.text
    assert {one.status_code for one in by_api} <= {401, 404}
    assert lines.is_success
    assert NAME in lines.text
    assert [" data-masked" in page for page in pages] == [True, False]


def test_links_of_an_earlier_version_mask_nothing(team_location: PostgresLocation) -> None:
    fill_links = (
        "INSERT INTO organisation (id, name) VALUES (1, 'acme');"
        "INSERT INTO member (id, organisation_id, name, role) VALUES (1, 1, 'anna', 'member');"
        "INSERT INTO share_link (hash, owner, session_id, created_by, expires_at)"
        " VALUES ('\\x00', 1, 'one', 1, now());"
    )
    with open_team(team_location) as team:
        team.connection.execute("ALTER TABLE share_link DROP COLUMN is_masked")
        team.connection.execute(fill_links)
        run(team.connection, "set_schema_version", number=22)
    pool.clear()
    prepare_team(team_location)
    prepare_team(team_location)

    with open_team(team_location) as team:
        found = team.connection.execute("SELECT session_id, is_masked FROM share_link").fetchall()
    assert found == [("one", False)]
