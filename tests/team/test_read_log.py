"""Whoever reads another's session leaves a line in the log, which its owner sees."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from clew.protocol import Tier
from clew.push import pull
from clew.server.accounts import create_member
from clew.server.devices import issue_token, register_device
from clew.server.tokens import TokenKind
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.laptop import Laptop
from tests.team.matrix_team import CALLERS, MatrixTeam, SentSession, running_matrix
from tests.team.routes import RULES, place_of
from tests.team.team_server import team_browser, team_client

READS: Final = {"session.read", "session.found", "session.listed", "session.export", "session.raw"}
# These show titles, first prompts, paths and sums, and leave no line.
NAMES_ONLY: Final = (
    *("GET /", "GET /files", "GET /usage", "GET /api/file-uses", "GET /api/files"),
    *("GET /api/projects", "GET /api/sessions", "GET /api/usage"),
)
SHOWING: Final = [
    route for route, rule in RULES.items() if rule.shows or (rule.lists and route not in NAMES_ONLY)
]
BY_LINK: Final = [route for route in RULES if " /shared/" in route]


@pytest.fixture(scope="module")
def matrix(
    tmp_path_factory: pytest.TempPathFactory,
    postgres_server: PostgresServer,
    prepared_database: str,
) -> Iterator[MatrixTeam]:
    folder = tmp_path_factory.mktemp("matrix")
    url = postgres_server.make_database(like=prepared_database)
    with running_matrix(PostgresLocation(url, str(folder / "blobs")), folder) as team:
        yield team
    postgres_server.drop_database(url)


@pytest.fixture(scope="module")
def shared(matrix: MatrixTeam) -> SentSession:
    """Give a session that everybody in the organisation reads."""
    [found] = [
        one for one in matrix.sessions if (one.tier, one.shown) == (Tier.EVERYTHING, "organisation")
    ]
    return found


def reader(matrix: MatrixTeam, name: str) -> str:
    """Let somebody join, of whom the log has nothing yet; return the token of their browser."""
    with matrix.team() as team:
        member = create_member(team, matrix.members["owner"].organisation_id, name)
        return issue_token(team, TokenKind.BROWSER, member.id, hours=1)


def lines_by(matrix: MatrixTeam, actor: str, session: SentSession) -> set[str]:
    """Return what the log has of somebody's reads of a session."""
    with matrix.team() as team:
        rows = team.connection.execute(
            "SELECT a.action FROM audit_event a JOIN member m ON m.id = a.actor"
            " WHERE m.name = %s AND a.session_id = %s",
            (actor, session.id),
        ).fetchall()
    return {row[0] for row in rows} & READS


def get(client: httpx.Client, route: str, session: SentSession, **values: str) -> httpx.Response:
    found = client.get(place_of(route, session, **values))
    assert found.is_success, (route, found.text)
    return found


def test_each_way_to_read_a_session_is_noted(matrix: MatrixTeam, shared: SentSession) -> None:
    silent = []
    for number, route in enumerate(SHOWING):
        name = f"reader{number}"
        with team_browser(matrix.address, reader(matrix, name)) as client:
            get(client, route, shared)
        if not lines_by(matrix, name, shared):
            silent.append(route)
    with matrix.client(CALLERS["owner"]) as owner, matrix.client(CALLERS["admin"]) as admin:
        pages = [owner.get("/audit").text, admin.get("/admin/audit").text]
        listed = owner.get("/api/audit/mine").json()["events"]

    assert silent == []
    assert {f"reader{number}" for number in range(len(SHOWING))} <= {e["actor"] for e in listed}
    assert all(f"<bdi>reader{len(SHOWING) - 1}</bdi>" in page for page in pages)


def test_ones_own_reads_are_not_noted(matrix: MatrixTeam, shared: SentSession) -> None:
    with matrix.client(CALLERS["owner"]) as owner:
        for route in (*SHOWING, *NAMES_ONLY):
            get(owner, route, shared)

    assert all(lines_by(matrix, "owner", one) == set() for one in matrix.sessions)


def test_lists_of_sessions_leave_no_line(matrix: MatrixTeam, shared: SentSession) -> None:
    with team_browser(matrix.address, reader(matrix, "browsing")) as client:
        for route in NAMES_ONLY:
            get(client, route, shared)

    assert lines_by(matrix, "browsing", shared) == set()


def test_a_refused_read_is_not_one(matrix: MatrixTeam) -> None:
    [private] = [
        one for one in matrix.sessions if (one.tier, one.shown) == (Tier.EVERYTHING, "private")
    ]
    with team_browser(matrix.address, reader(matrix, "curious")) as client:
        for route in SHOWING:
            client.get(place_of(route, private))

    assert lines_by(matrix, "curious", private) == set()


def test_each_way_to_read_by_a_link_is_noted(matrix: MatrixTeam, shared: SentSession) -> None:
    silent = []
    with team_client(matrix.address) as anybody, matrix.client(CALLERS["owner"]) as owner:
        for route in BY_LINK:
            token, link = matrix.new_link(shared.id)
            get(anybody, route, shared, session_id=token)
            events = owner.get("/api/audit/mine").json()["events"]
            if not any(
                e["action"] == "link.read" and e["detail"] == f"link {link.id}" for e in events
            ):
                silent.append(route)

    assert len(BY_LINK) > 4
    assert silent == []


def test_a_pull_is_noted_for_each_session(
    matrix: MatrixTeam, shared: SentSession, tmp_path: Path
) -> None:
    with matrix.team() as team:
        organisation = matrix.members["owner"].organisation_id
        member = create_member(team, organisation, "puller")
        token = register_device(team, organisation, member.id, "laptop").token
    laptop = Laptop(tmp_path / "laptop", matrix.address, token)
    report = pull(laptop.archive, laptop.login, (), {"member": "owner"})
    laptop.archive.close()

    seen = [one for one in matrix.sessions if one.shown == "organisation"]
    assert report.sessions == len(seen)
    assert all("session.raw" in lines_by(matrix, "puller", one) for one in seen)
    assert shared in seen
