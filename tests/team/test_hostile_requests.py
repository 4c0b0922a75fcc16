"""Hostile requests: whatever a member or a stranger sends, nothing fails and nothing is logged."""

import json
import logging
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import httpx
import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from clew.server.app import make_team_app
from clew.server.logs import JsonFormatter
from clew.server.settings import RequestLimits, TeamSettings
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.people import People, fill_team, session_of
from tests.team.team_server import serving_team, team_client

pytestmark = pytest.mark.slow

HOSTILE: Final = {
    "nul": "a\0b",
    "line": 'x\r\nset-cookie: a=b\r\n\r\n{"level":"forged"}',
    "sql": "'; DROP TABLE member; --",
    "html": "<script>window.pwned=1</script>",
    "format": "%s%n {0.__class__} ${jndi:ldap://evil.example}",
    "path": "../../../../etc/passwd",
    "odd": "\u202e\ud7ff\uffff\U0001f9f6",
    "number": "9" * 400,
    "pattern": "(" * 200,
    "long": "canary" * 600,
}
QUERIES: Final = (
    *("q", "text", "project", "branch", "model", "tool", "agent", "session", "since", "until"),
    *("member", "client_version", "path", "by", "sort", "tz", "cursor", "limit", "anchor"),
    *(
        "fragment",
        "counted",
        "code",
        "state",
        "invite",
        "before",
        "number",
        "offset",
        "with_hidden",
    ),
)
SEARCHED: Final = ("/", "/search", "/api/search", "/api/sessions", "/files")
BODIES: Final = {
    "nested": b"[" * 60_000,
    "nested object": b'{"a":' * 10_000,
    "number": b'{"hours": 1' + b"0" * 5_000 + b"}",
    "surrogate": b'{"visibility":"project","project":"\\ud800"}',
    "nul": b'{"visibility":"project","project":"a\\u0000b"}',
    "bytes": b"\xff\xfe\x00",
    "form": b"name=%00&password=%00&code=%00&answer=confirm&current=%00",
    "fields": b"&".join(b"canary=canary" for _ in range(1_000)),
    "nothing": b"",
}


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
    limits = RequestLimits(reads=10**6, pushes=10**6, logins=10**6)
    with serving_team(TeamSettings(location=people.location, limits=limits)) as told:
        yield told


class _Lines(logging.Handler):
    """The lines that would be in the server's log."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(JsonFormatter())

    def emit(self, record: logging.LogRecord) -> None:  # type: ignore[explicit-override]
        self.lines.append(self.format(record))


@pytest.fixture
def log() -> Iterator[_Lines]:
    lines, logger = _Lines(), logging.getLogger("clew.server")
    level, logger.level = logger.level, logging.INFO
    logger.addHandler(lines)
    yield lines
    logger.removeHandler(lines)
    logger.level = level


def routes(people: People) -> list[tuple[str, str]]:
    """Give the method and path of everything that can be asked for."""
    app = make_team_app(TeamSettings(location=people.location)).app
    assert isinstance(app, Litestar)
    return sorted(
        (method, route.path_format)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method in route.methods
        if method != "OPTIONS"
        and not route.path_format.endswith("/events")
        and route.path_format != "/push/logout"
    )


def hostile_places(method: str, path: str, name: str) -> list[str]:
    """Give addresses of a route with hostile texts in its path and its query."""
    plain = plain_place(path, name)
    places = [
        re.sub(r"\{\w+\}", quote(text[:150], safe=""), path)
        for text in (HOSTILE.values() if "{" in path else ())
    ]
    if method == "GET":
        asked = QUERIES if "{" not in path else QUERIES[-3:]
        places += [f"{plain}?{query}={quote(HOSTILE['nul'])}" for query in asked]
    if path in SEARCHED:
        places += [f"{plain}?q={quote(text)}&text={quote(text)}" for text in HOSTILE.values()]
    return places


def plain_place(path: str, name: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: name if found[1] == "session_id" else "0", path)


def test_no_request_makes_a_server_fail(people: People, address: str, log: _Lines) -> None:
    name, count = session_of("anna", "private").session_id, 0
    failed: list[tuple[str, str, int]] = []
    with team_client(address, people.persons["anna"].token) as anna:

        def ask(method: str, place: str, body: bytes = b"") -> httpx.Response:
            found = anna.request(method, place, content=body)
            if found.status_code >= 500:
                failed.append((method, place[:200], found.status_code))
            assert "set-cookie" not in found.headers or "a=b" not in found.headers["set-cookie"]
            return found

        for method, path in routes(people):
            places = hostile_places(method, path, name)
            count += len(places)
            for place in places:
                ask(method, place)
            for kind, body in BODIES.items() if method in ("POST", "PUT", "DELETE") else ():
                found = ask(method, plain_place(path, name), body)
                assert "canary" not in found.text, (path, kind)
    assert failed == []
    assert count > 800
    assert len(log.lines) >= count
    for line in log.lines:
        found = json.loads(line)
        assert "\n" not in line
        assert found["message"] == "request"
        assert not re.search(r"canary|DROP|pwned|jndi|forged|passwd", line), line
        assert people.persons["anna"].token not in line
