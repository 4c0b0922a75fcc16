"""The pages of a team server, as members and an administrator use them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from clew.server.accounts import create_member, create_organisation, require_member
from clew.server.passwords import set_password
from clew.server.settings import TeamSettings
from clew.store.postgres.team import open_team, prepare_team
from clew.store.postgres_location import PostgresLocation
from tests.browser.chromium import watch
from tests.postgres_server import PostgresServer
from tests.team.people import People, fill_team, session_of, word_of
from tests.team.team_server import serving_team

PASSWORD = "three words of mine"  # noqa: S105 (of a server in this test)
NAMES = ("ada", "bert", "gina")
SHARED = session_of("gina", "organisation").session_id
PROMPT = f"prompt {word_of('gina', 'organisation')} common"


@pytest.fixture(scope="module")
def people(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[People]:
    """Give a team with sessions, and members with passwords."""
    folder = tmp_path_factory.mktemp("people")
    url = postgres_server.make_database()
    location = PostgresLocation(url, str(folder / "blobs"))
    prepare_team(location)
    made = fill_team(location, folder)
    with open_team(location) as team:
        for name in NAMES:
            set_password(team, require_member(team, name), PASSWORD)
        newcomer = create_member(team, create_organisation(team, "new").id, "nora")
        set_password(team, newcomer, PASSWORD)
    yield made
    postgres_server.drop_database(url)


@pytest.fixture(scope="module")
def address(people: People) -> Iterator[str]:
    with serving_team(TeamSettings(location=people.location)) as told:
        yield told


def log_in(page: Page, address: str, name: str) -> None:
    page.goto(address)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("details.account summary")).to_contain_text(name)


def test_before_the_login_there_is_nowhere_else_to_go(page: Page, address: str) -> None:
    page.goto(address)

    expect(page.get_by_label("Name")).to_be_focused()
    expect(page.get_by_role("navigation").get_by_role("link")).to_have_count(0)


def test_a_member_reads_the_session_of_another(page: Page, address: str) -> None:
    log_in(page, address, "bert")
    expect(page.locator("[data-session]")).to_have_count(4)
    page.locator("a.owner", has_text="gina").first.click()

    expect(page).to_have_url(f"{address}/?member=gina")
    expect(page.locator("[data-session]")).to_have_count(2)
    page.locator(f"[data-session='{SHARED}'] a.title").click()
    expect(page.locator("#talk")).to_contain_text(PROMPT)
    expect(page.locator(".owner")).to_have_text("by gina")


def test_a_link_shows_a_session_to_whoever_has_it(
    page: Page, browser: Browser, address: str
) -> None:
    log_in(page, address, "gina")
    page.goto(f"{address}/sessions/{SHARED}")
    page.get_by_role("link", name="Share").click()
    page.get_by_role("button", name="Make a link").click()
    link = page.locator(".team-code").inner_text().strip()
    stranger = browser.new_page()
    seen = watch(stranger)
    stranger.goto(link)

    expect(stranger.locator("#talk")).to_contain_text(PROMPT)
    expect(stranger.get_by_label("Follow")).to_be_hidden()
    stranger.wait_for_load_state("networkidle")
    assert not seen.errors

    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("No link shows this session.")).to_be_visible()
    stranger.reload()
    expect(stranger.locator("main")).to_contain_text("ask whoever sent it for a new one")
    expect(stranger.get_by_role("navigation").get_by_role("link")).to_have_count(0)
    stranger.close()


def add_pushed(people: People, owner: int, session: str, reason: str | None = None) -> None:
    """Let a session be received, and perhaps fail."""
    with open_team(people.location) as team:
        team.connection.execute(
            "INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id,"
            " head_seq, failed_reason) SELECT member.id, %s, member.organisation_id, 'everything',"
            " scope.id, 1, %s FROM member JOIN scope ON scope.member_id = member.id"
            " WHERE member.id = %s",
            (session, reason, owner),
        )


def test_an_administrator_retries_a_session_that_failed(
    page: Page, people: People, address: str
) -> None:
    add_pushed(people, people.persons["gina"].id, "torn", "line 3 is torn")
    log_in(page, address, "ada")
    page.locator("details.account summary").click()
    page.get_by_role("link", name="Administration").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text("Failed sessions")
    row = page.get_by_role("row").filter(has_text="line 3 is torn")
    row.get_by_role("button", name="Retry").click()

    expect(page.get_by_text("No session failed.")).to_be_visible()
    expect(page.get_by_text("1 received and not parsed yet")).to_be_visible()


def test_an_empty_list_says_what_is_not_parsed_yet(
    page: Page, people: People, address: str
) -> None:
    log_in(page, address, "nora")
    expect(page.locator("main")).to_contain_text(f"clew login {address}")
    with open_team(people.location) as team:
        owner = require_member(team, "nora").id
    add_pushed(people, owner, "first")
    page.reload()
    expect(page.locator("main")).to_contain_text("1 session received, not parsed yet.")
    page.get_by_role("link", name="Show them").click()

    expect(page.get_by_text("0 of 1 session parsed.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="first")).to_contain_text("not parsed yet")
