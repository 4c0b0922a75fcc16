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


def test_a_link_to_a_message_leads_there_after_the_login(page: Page, address: str) -> None:
    place = f"{address}/sessions/{SHARED}?detail=talk#talk"
    seen: list[str] = []
    page.on("framenavigated", lambda frame: seen.append(frame.url))
    page.goto(place)
    page.get_by_label("Name").fill("bert")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Name").fill("bert")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    expect(page.locator("#talk")).to_contain_text(PROMPT)
    assert place in seen


def test_the_palette_finds_what_a_member_may_read(page: Page, address: str) -> None:
    log_in(page, address, "bert")
    page.goto(f"{address}/account")
    page.keyboard.press("Control+k")
    page.keyboard.type(word_of("gina", "organisation"))
    page.locator("#palette-list [role=option]:has(mark)").first.click()
    expect(page.locator("#talk")).to_contain_text(PROMPT)

    # A page shows its text before its scripts run, and keys go to the browser until then.
    page.wait_for_load_state()
    page.keyboard.press("Control+k")
    page.keyboard.type(word_of("gina", "private"))
    expect(page.locator("#palette-list [role=option]")).to_have_count(1)
    expect(page.locator("#palette-list [role=option]")).to_contain_text("Search all texts")


def test_a_member_reads_the_session_of_another(page: Page, address: str) -> None:
    log_in(page, address, "bert")
    page.goto(f"{address}/sessions")
    expect(page.locator("[data-session]")).to_have_count(4)
    page.locator("a.owner", has_text="gina").first.click()

    expect(page).to_have_url(f"{address}/sessions?member=gina")
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
    expect(page.get_by_text("possibly secret or personal")).to_be_visible()
    page.get_by_label("Secrets").select_option("shown")
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    link = page.locator(".team-code").inner_text().strip()
    stranger = browser.new_page()
    seen = watch(stranger)
    stranger.goto(link)

    expect(stranger.locator("#talk")).to_contain_text(PROMPT)
    expect(stranger.get_by_role("note")).to_contain_text("gina shares it with whoever has this")
    expect(stranger.get_by_label("Follow")).to_be_hidden()
    stranger.wait_for_load_state("networkidle")
    assert not seen.errors

    page.get_by_text("Revoke", exact=True).click()
    stranger.reload()
    expect(stranger.locator("#talk")).to_contain_text(PROMPT)
    page.get_by_role("button", name="Yes, revoke").click()
    expect(page.get_by_text("No link shows this session.")).to_be_visible()
    stranger.reload()
    expect(stranger.locator("main")).to_contain_text("ask whoever sent it for a new one")
    expect(stranger.get_by_role("navigation").get_by_role("link")).to_have_count(0)
    stranger.close()


def test_a_masked_link_offers_no_raw_lines(page: Page, browser: Browser, address: str) -> None:
    log_in(page, address, "gina")
    links = {}
    for secrets in ("masked", "shown"):
        page.goto(f"{address}/sessions/{SHARED}/share")
        page.get_by_label("Secrets").select_option(secrets)
        page.get_by_role("button", name="Make a link").click()
        links[secrets] = page.locator(".team-code").inner_text().strip()
    assert links["masked"] != links["shown"]
    stranger = browser.new_page()
    raw = stranger.get_by_role("button", name="Show the raw lines of this message")

    stranger.goto(links["shown"])
    stranger.wait_for_load_state("networkidle")
    stranger.locator("main [data-kind]").first.hover()
    expect(raw).to_be_visible()
    stranger.goto(links["masked"])
    expect(stranger.get_by_role("note")).to_contain_text("What may be secret or personal is masked")
    stranger.wait_for_load_state("networkidle")
    seen = watch(stranger)
    stranger.locator("main [data-kind]").first.hover()
    stranger.keyboard.press("j")
    stranger.keyboard.press("r")

    expect(stranger.locator("main [data-now]")).to_have_count(1)
    expect(raw).to_have_count(0)
    expect(stranger.locator("pre.raw")).to_have_count(0)
    expect(stranger.locator("#help")).not_to_contain_text("raw lines")
    assert not seen.errors
    stranger.close()
    for _ in links:
        page.goto(f"{address}/sessions/{SHARED}/share")
        page.get_by_text("Revoke", exact=True).first.click()
        page.get_by_role("button", name="Yes, revoke").first.click()
    expect(page.get_by_text("No link shows this session.")).to_be_visible()


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
