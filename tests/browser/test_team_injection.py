"""A server with hostile sessions and names: on none of its pages does anything of them run."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
import pytest
from playwright.sync_api import BrowserContext, expect

from clew.archive import Archive
from clew.server.accounts import create_member, create_organisation, set_organisation
from clew.server.authenticate import authenticate
from clew.server.device_login import start_device_login
from clew.server.devices import issue_token, register_device
from clew.server.links import make_link
from clew.server.principal import Role
from clew.server.projects import add_project_member, create_project
from clew.server.settings import OidcSettings, RequestLimits, TeamSettings
from clew.server.sharing import make_share_link
from clew.server.tokens import TokenKind
from clew.store.postgres import open_postgres_for_writing, pool
from clew.store.postgres.team import TeamDatabase, open_team, prepare_team
from clew.store.postgres_location import PostgresLocation
from clew.store.session_tables import PARSER_VERSION
from tests.browser.chromium import Watched, watch
from tests.browser.hostile import ATTACKS, write_hostile_root
from tests.browser.places import all_places
from tests.browser.waiting import wait_for_frames
from tests.postgres_server import PostgresServer
from tests.recordings import HERE
from tests.team.team_server import serving_team, team_browser

pytestmark = pytest.mark.slow

SCENARIOS: Final = ("2.1.325/subagent", "2.1.325/tui-commands", "2.1.325/web")
UNSAFE: Final = (Path(__file__).parent / "unsafe.js").read_text("utf-8")
OUT_OF_PLACE: Final = "document.querySelectorAll('h1').length !== 1 ? ['another h1'] : []"
LABEL: Final = "".join(ATTACKS[name] for name in ("script", "handler", "single", "svg"))[:200]
"""What people can call a device, a project, an organisation or themselves."""


class HostileTeam(msgspec.Struct, frozen=True):
    """A server on which everything is called something hostile; browsers by role, and links."""

    address: str
    browsers: dict[str, str]
    links: dict[str, str]


@pytest.fixture(scope="module")
def hostile(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[HostileTeam]:
    folder = tmp_path_factory.mktemp("hostile")
    url = postgres_server.make_database()
    location = PostgresLocation(url, str(folder / "blobs"))
    prepare_team(location)
    pool.clear()
    oidc = OidcSettings(issuer="http://127.0.0.1:9", client_id="clew", name=LABEL)
    limits = RequestLimits(reads=10**6, logins=10**6)
    settings = TeamSettings(location=location, limits=limits, oidc=oidc)
    with serving_team(settings) as address:
        with open_team(location) as team:
            made = fill(team, location, folder, address)
        yield made
    postgres_server.drop_database(url)


def fill(team: TeamDatabase, location: PostgresLocation, folder: Path, address: str) -> HostileTeam:
    """Let people join, and archive hostile sessions of one of them."""
    organisation = create_organisation(team, LABEL)
    set_organisation(team, msgspec.structs.replace(organisation, shows_members=True))
    project = create_project(team, organisation.id, LABEL)
    browsers, devices, members = {}, {}, {}
    for role in Role:
        name = f"{role}@example.org"
        member = create_member(team, organisation.id, name, role, display_name=LABEL)
        members[role] = member
        add_project_member(team, project, member)
        devices[role] = register_device(team, organisation.id, member.id, LABEL).token
        browsers[str(role)] = issue_token(team, TokenKind.BROWSER, member.id, hours=1)
    owner = authenticate(team, devices[Role.ADMIN])
    assert owner is not None
    recordings = (HERE / scenario / "root" for scenario in SCENARIOS)
    root = write_hostile_root(folder / "root", recordings, " ".join(ATTACKS.values()))
    name = archive(team, location, root, owner.member_id, organisation.id)
    token, _ = make_share_link(team, owner, name, 1)
    masked, _ = make_share_link(team, owner, name, 1, is_masked=True)
    links = {
        "shared": f"/shared/{token}",
        "masked": f"/shared/{masked}",
        "reset": f"/reset/{make_link(team, TokenKind.RESET, members[Role.ADMIN])}",
        "device": f"/device?code={start_device_login(team, LABEL, address).user_code}",
        "share": f"/sessions/{name}/share",
    }
    invited = create_member(team, organisation.id, "invited", display_name=LABEL)
    links["invite"] = f"/invite/{make_link(team, TokenKind.INVITE, invited)}"
    return HostileTeam(address, browsers, links)


def archive(
    team: TeamDatabase, location: PostgresLocation, root: Path, owner: int, organisation: int
) -> str:
    """Archive sessions as a worker does, for all to see; return the id of one of them."""
    with Archive(msgspec.structs.replace(location, owner=owner)) as opened:
        opened.sync([root], workers=1)
        names = [session.id for session in opened.sessions()]
    team.connection.execute(
        "INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id, head_seq,"
        " derived_seq, derived_parser, failed_reason) SELECT s.owner, s.id, c.organisation_id,"
        " 'everything', c.id, 1, 1, %s, %s FROM session s JOIN scope c"
        " ON c.organisation_id = %s AND c.kind = 'project' WHERE s.owner = %s",
        (PARSER_VERSION, LABEL, organisation, owner),
    )
    row = team.connection.execute("SELECT id FROM scope WHERE kind = 'project'").fetchone()
    assert row is not None
    with closing(open_postgres_for_writing(location.database_url, owner)) as database:
        for name in names:
            with database.transaction():
                database.move_session(name, row[0])
    return names[0]


def open_all(
    context: BrowserContext, hostile: HostileTeam, role: str, places: dict[str, str]
) -> tuple[dict[str, list[str]], Watched]:
    """Open pages as somebody; return what on them only an attack can have put there."""
    if role:
        cookie = {"name": "clew_session", "value": hostile.browsers[role], "url": hostile.address}
        context.add_cookies([cookie])  # type: ignore[list-item]
    page, unsafe = context.new_page(), {}
    watched = watch(page)
    for name, place in places.items():
        response = page.goto(hostile.address + place)
        assert response is not None, place
        assert response.ok, (place, response.status)
        expect(page.locator("[data-waiting]")).to_have_count(0)
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        wait_for_frames(page)
        assert page.evaluate("window.pwned") is None, place
        unsafe[name] = page.evaluate(UNSAFE) + page.evaluate(OUT_OF_PLACE)
    return unsafe, watched


def expect_nothing(hostile: HostileTeam, unsafe: dict[str, list[str]], watched: Watched) -> None:
    assert {name: found for name, found in unsafe.items() if found} == {}
    assert watched.dialogs == []
    assert watched.errors == []
    own = (hostile.address, "data:")
    assert [url for url in watched.requests if not url.startswith(own)] == []


def test_readers_meet_no_attack(context: BrowserContext, hostile: HostileTeam) -> None:
    with team_browser(hostile.address, hostile.browsers["auditor"]) as client:
        places = {**all_places(client), "hits": "/search?q=pwned", "team": "/team"}
        places["exported hits"] = "/export?q=pwned"
        sessions = [one["id"] for one in client.get("/api/sessions").json()["sessions"]]
    del places["not there"], places["door"]
    places |= {f"session {number}": f"/sessions/{name}" for number, name in enumerate(sessions)}
    places |= {"account": "/account", "audit": "/audit", "device": hostile.links["device"]}

    expect_nothing(hostile, *open_all(context, hostile, "auditor", places))
    assert len(sessions) >= len(SCENARIOS)


def test_owners_and_administrators_meet_no_attack(
    context: BrowserContext, hostile: HostileTeam
) -> None:
    # The sessions are theirs.
    places = {"share": hostile.links["share"], "admin": "/admin", "log": "/admin/audit"}
    places |= {"audit": "/audit", "account": "/account", "sessions": "/"}
    with team_browser(hostile.address, hostile.browsers["admin"]) as client:
        shown = [client.get(place).text for place in ("/admin", "/admin/audit", "/account")]

    expect_nothing(hostile, *open_all(context, hostile, "admin", places))
    # The names are there, as text.
    assert all("&lt;script&gt;window.pwned" in text for text in shown)


def test_strangers_meet_no_attack(context: BrowserContext, hostile: HostileTeam) -> None:
    places = {name: hostile.links[name] for name in ("shared", "masked", "invite", "reset")}
    expect_nothing(hostile, *open_all(context, hostile, "", {**places, "login": "/login"}))
