"""Whoever reads another's session leaves a line in the log, which its owner sees."""

from pathlib import Path
from typing import Final

import httpx
import pytest

from clew.protocol import Tier
from clew.push import pull
from clew.server.accounts import create_member
from clew.server.devices import issue_token, register_device
from clew.server.tokens import TokenKind
from tests.team.laptop import Laptop
from tests.team.matrix_team import CALLERS, MatrixTeam, SentSession
from tests.team.routes import RULES, place_of
from tests.team.team_server import team_browser, team_client

pytestmark = pytest.mark.slow

READS: Final = {"session.read", "session.found", "session.listed", "session.export", "session.raw"}
# These name sessions by titles and first prompts, and leave a line for each member.
TITLES: Final = (
    *("GET /", "GET /sessions", "GET /usage", "GET /compare", "GET /export"),
    *("GET /api/sessions", "GET /api/file-uses", "GET /api/palette"),
    "GET /api/sessions/{session_id}/around",
)
# These show paths and sums of many sessions, and leave no line.
SUMS: Final = (
    *("GET /files", "GET /api/files", "GET /api/projects", "GET /api/usage"),
    *("GET /api/usage/cache", "GET /api/suggest"),
)
# These name the latest of many calls of one kind, whosever session it is in.
LATEST: Final = ("GET /permissions", "GET /api/permissions")
SHOWING: Final = [
    route
    for route, rule in RULES.items()
    if rule.shows or (rule.lists and route not in (*TITLES, *SUMS, *LATEST))
]
BY_LINK: Final = [route for route in RULES if " /shared/" in route]


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


def titles_seen_by(matrix: MatrixTeam, actor: str) -> tuple[str, ...]:
    """Return whose titles the log says that somebody has seen."""
    with matrix.team() as team:
        rows = team.connection.execute(
            "SELECT o.name FROM audit_event a JOIN member m ON m.id = a.actor"
            " JOIN member o ON o.id = a.owner"
            " WHERE m.name = %s AND a.action = 'titles.listed' AND a.session_id IS NULL",
            (actor,),
        ).fetchall()
    return tuple(row[0] for row in rows)


def ask(
    matrix: MatrixTeam, client: httpx.Client, route: str, session: SentSession, **values: str
) -> httpx.Response:
    method, place = route.partition(" ")[0], place_of(route, session, **values)
    return client.request(method, place, **RULES[route].sends(matrix, CALLERS["owner"], session))


def get(
    matrix: MatrixTeam, client: httpx.Client, route: str, session: SentSession, **values: str
) -> httpx.Response:
    found = ask(matrix, client, route, session, **values)
    assert found.is_success, (route, found.text)
    return found


def test_each_way_to_read_a_session_is_noted(matrix: MatrixTeam, shared: SentSession) -> None:
    silent = []
    for number, route in enumerate(SHOWING):
        name = f"reader{number}"
        with team_browser(matrix.address, reader(matrix, name)) as client:
            get(matrix, client, route, shared)
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
        for route in (*SHOWING, *TITLES, *SUMS):
            get(matrix, owner, route, shared)

    assert all(lines_by(matrix, "owner", one) == set() for one in matrix.sessions)
    assert titles_seen_by(matrix, "owner") == ()


def test_a_list_of_titles_is_noted_for_each_member(matrix: MatrixTeam, shared: SentSession) -> None:
    noted = {}
    for number, route in enumerate(TITLES):
        name = f"browsing{number}"
        with team_browser(matrix.address, reader(matrix, name)) as client:
            get(matrix, client, route, shared)
            # A second look within some minutes adds nothing.
            get(matrix, client, route, shared)
        noted[route] = titles_seen_by(matrix, name)
    with matrix.client(CALLERS["owner"]) as owner:
        page = owner.get("/audit").text

    assert noted == dict.fromkeys(TITLES, ("owner",))
    assert "saw titles in a list" in page


def test_paths_and_sums_leave_no_line(matrix: MatrixTeam, shared: SentSession) -> None:
    with team_browser(matrix.address, reader(matrix, "counting")) as client:
        for route in SUMS:
            get(matrix, client, route, shared)

    assert lines_by(matrix, "counting", shared) == set()
    assert titles_seen_by(matrix, "counting") == ()


def test_a_report_is_noted_for_each_session_that_it_names(matrix: MatrixTeam) -> None:
    with team_browser(matrix.address, reader(matrix, "reporter")) as client:
        told = client.get("/api/permissions").json()
    with team_browser(matrix.address, reader(matrix, "looker")) as client:
        page = client.get("/permissions").text
    shown = [*told["refusals"], *told["patterns"]]
    shown += [*told["tools"], *told["projects"]]
    refs = [ref for one in shown for ref in (one["last"], *one["examples"]) if ref]
    named = {ref["session_id"] for ref in refs}

    assert named
    for name in ("reporter", "looker"):
        noted = {one.id for one in matrix.sessions if lines_by(matrix, name, one)}
        assert noted == named
    assert all(one in page for one in named)


def test_a_refused_read_is_not_one(matrix: MatrixTeam) -> None:
    [private] = [
        one for one in matrix.sessions if (one.tier, one.shown) == (Tier.EVERYTHING, "private")
    ]
    with team_browser(matrix.address, reader(matrix, "curious")) as client:
        for route in SHOWING:
            ask(matrix, client, route, private)

        with client.stream("GET", f"/api/sessions/{private.key}/events") as told:
            status = told.status_code

    assert status == 404
    assert lines_by(matrix, "curious", private) == set()


def test_each_way_to_read_by_a_link_is_noted(matrix: MatrixTeam, shared: SentSession) -> None:
    silent = []
    with team_client(matrix.address) as anybody, matrix.client(CALLERS["owner"]) as owner:
        for route in BY_LINK:
            token, link = matrix.new_link(shared.id)
            get(matrix, anybody, route, shared, session_id=token)
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
