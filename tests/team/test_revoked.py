"""What is revoked is over at once: open streams, requests under way, links of who has left."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from clew.server.accounts import create_member, disable_member, enable_member, get_member, set_role
from clew.server.devices import IssuedToken, issue_token, register_device, revoke_device
from clew.server.principal import Role
from clew.server.projects import add_project_member, remove_project_member, require_project
from clew.server.settings import RequestLimits, TeamSettings
from clew.server.tokens import TokenKind
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.people import People, fill_team, session_of, word_of
from tests.team.team_server import PATIENCE, serving_team, team_client


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
    limits = RequestLimits(failures=3)
    with serving_team(TeamSettings(location=people.location, limits=limits)) as told:
        yield told


@pytest.fixture
def team(people: People) -> Iterator[TeamDatabase]:
    with open_team(people.location) as opened:
        yield opened


class Stream:
    """An open stream of events, read by a thread."""

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        self.lines: list[str] = []
        self._ready = threading.Event()
        self._address, self._headers = address, headers
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    def _read(self) -> None:
        with team_client(self._address) as client:
            heads = {**self._headers, "sec-fetch-site": "same-origin"}
            with client.stream("GET", "/api/events", headers=heads) as told:
                for line in told.iter_lines():
                    self.lines.append(line)
                    if line.startswith("event: progress"):
                        self._ready.set()

    def has_ended(self) -> bool:
        """Wait for the end."""
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()

    def hears(self, text: str) -> bool:
        """Wait for a text."""
        return wait_for(lambda: any(text in line for line in self.lines))


def wait_for(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def join(team: TeamDatabase, people: People, name: str, role: Role) -> tuple[int, IssuedToken]:
    acme = get_member(team, people.persons["anna"].id).organisation_id
    member = create_member(team, acme, name, role)
    return member.id, register_device(team, acme, member.id, "laptop")


def test_a_stream_ends_with_what_opened_it(
    people: People, address: str, team: TeamDatabase
) -> None:
    shared = session_of("anna", "organisation").session_id
    private = session_of("anna", "private").session_id
    acme = get_member(team, people.persons["anna"].id).organisation_id
    _, lost = join(team, people, "lost", Role.MEMBER)
    left, token = join(team, people, "left", Role.MEMBER)
    demoted, auditor = join(team, people, "demoted", Role.AUDITOR)
    outed, _ = join(team, people, "outed", Role.MEMBER)
    browser = issue_token(team, TokenKind.BROWSER, outed, hours=1)
    streams = {
        "lost": Stream(address, bearer(lost.token)),
        "left": Stream(address, bearer(token.token)),
        "demoted": Stream(address, bearer(auditor.token)),
        "outed": Stream(address, {"cookie": f"clew_session={browser}"}),
    }
    stays = Stream(address, bearer(people.persons["bert"].token))
    people.move("anna", shared, people.scopes["organisation"])
    assert all(stream.hears(shared) for stream in (*streams.values(), stays))

    revoke_device(team, acme, lost.device_id)
    disable_member(team, get_member(team, left))
    set_role(team, get_member(team, demoted), Role.MEMBER)
    with team_client(address) as client:
        heads = {"cookie": f"clew_session={browser}", "origin": address}
        assert client.post("/logout", headers=heads).status_code == 303
    heard = {name: len(stream.lines) for name, stream in streams.items()}
    people.move("anna", private, people.scopes["anna"])
    people.move("anna", session_of("anna", "project").session_id, people.scopes["organisation"])

    assert all(stream.has_ended() for stream in streams.values())
    assert stays.hears(session_of("anna", "project").session_id)
    people.move("anna", session_of("anna", "project").session_id, people.scopes["project"])
    for name, stream in streams.items():
        assert not any(line.startswith("data") for line in stream.lines[heard[name] :]), name


def test_a_stream_ends_with_a_project_and_begins_again_with_it(
    people: People, address: str, team: TeamDatabase
) -> None:
    number, device = join(team, people, "guest", Role.MEMBER)
    guest = get_member(team, number)
    project = require_project(team, guest.organisation_id, "web")
    name = session_of("anna", "project").session_id
    add_project_member(team, project, guest)
    first = Stream(address, bearer(device.token))
    remove_project_member(team, project, guest)
    people.move("anna", name, people.scopes["project"])
    assert first.has_ended()
    assert not any(name in line for line in first.lines)

    add_project_member(team, project, guest)
    second = Stream(address, bearer(device.token))
    people.move("anna", name, people.scopes["organisation"])
    people.move("anna", name, people.scopes["project"])

    assert second.hears(name)


@contextmanager
def half_sent(
    address: str, method: str, path: str, token: str, body: bytes
) -> Iterator[Callable[[], tuple[int, bytes]]]:
    """Send half of a request; give a function that sends the rest, and returns the answer."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
    connection.putrequest(method, path)
    for name, value in {**bearer(token), "content-length": str(len(body))}.items():
        connection.putheader(name, value)
    connection.putheader("content-type", "application/json")
    connection.endheaders()
    connection.send(body[:10])

    def finish() -> tuple[int, bytes]:
        connection.send(body[10:])
        answer = connection.getresponse()
        return answer.status, answer.read()

    yield finish
    connection.close()


@pytest.mark.parametrize("is_revoked", [True, False])
def test_a_push_that_is_under_way_ends_with_its_device(
    people: People,
    address: str,
    team: TeamDatabase,
    is_revoked: bool,  # noqa: FBT001
) -> None:
    number, device = join(team, people, f"slow{is_revoked}".lower(), Role.MEMBER)
    body = json.dumps({"tier": "everything", "visibility": "organisation"}).encode()
    with half_sent(address, "PUT", "/push/consents/key", device.token, body) as finish:
        time.sleep(1.1)
        if is_revoked:
            revoke_device(team, get_member(team, number).organisation_id, device.device_id)
        status, answer = finish()

    found = team.connection.execute(
        "SELECT count(*) FROM consent WHERE member_id = %s", (number,)
    ).fetchone()
    assert (status, found) == ((401, (0,)) if is_revoked else (200, (1,)))
    assert b"error" in answer or not is_revoked


def test_links_of_who_has_left_show_nothing(
    people: People, address: str, team: TeamDatabase
) -> None:
    anna = get_member(team, people.persons["anna"].id)
    place = f"/api/sessions/{session_of('anna', 'private').session_id}/links"
    with team_client(address, people.persons["anna"].token) as client, team_client(address) as any_:
        url = client.post(place, json={"hours": 1, "is_masked": False}).json()["url"]
        path = "/shared/" + url.rpartition("/shared/")[2]
        assert word_of("anna", "private") in any_.get(path).text
        disable_member(team, anna)
        try:
            gone = [any_.get(path), any_.get(f"{path}/sections/0")]
        finally:
            enable_member(team, anna)

    assert [one.status_code for one in gone] == [410, 410]


def test_nobody_waits_for_the_failures_of_a_neighbour(people: People, address: str) -> None:
    with (
        team_client(address, "clew_guess") as guesser,
        team_client(address, people.persons["bert"].token) as bert,
    ):
        assert {guesser.get("/api/health").status_code for _ in range(6)} == {401, 429}
        assert guesser.get("/api/health").headers["retry-after"]
        assert bert.get("/api/health").status_code == 200
