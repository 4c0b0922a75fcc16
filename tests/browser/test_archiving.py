"""A first sync in the browser: the list fills, says how far it is, and stops saying so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from clew.store import Home
from clew.web import Settings
from tests.browser.chromium import watch
from tests.build import SessionBuilder
from tests.web.first_sync import SESSIONS, FirstSync, paused_first_sync
from tests.web.serving import serving

pytestmark = pytest.mark.slow


@pytest.fixture
def first_sync(tmp_path: Path) -> Iterator[FirstSync]:
    with paused_first_sync(tmp_path) as found:
        yield found


def test_the_list_fills_until_all_is_archived(page: Page, first_sync: FirstSync) -> None:
    watched = watch(page)
    page.goto(f"{first_sync.address}/sessions")
    bar = page.locator("[data-archiving]")
    expect(bar).to_contain_text(f"of {SESSIONS} sessions (")
    expect(page.locator(".count")).to_contain_text("so far")
    row = page.locator("[data-session] .title").first
    row.focus()
    before = row.text_content()
    first_sync.resume()
    expect(bar).to_be_hidden()
    # Rows would move under who is among them.
    assert page.locator(":focus").text_content() == before
    # The last ones may come after those that are shown by the first click.
    more = page.get_by_role("button", name="Show new sessions")
    done = page.locator(".count", has_text=f"{SESSIONS} sessions ·")
    more.or_(done).first.wait_for()
    while more.is_visible():
        more.click()
        more.or_(done).first.wait_for()

    expect(page.locator(".count")).to_contain_text(f"{SESSIONS} sessions ·")
    expect(page.locator("[data-archiving-status]")).to_have_text("All transcripts are archived.")
    assert watched.errors == []


def test_usage_counts_the_rest_when_it_is_archived(page: Page, first_sync: FirstSync) -> None:
    page.goto(f"{first_sync.address}/usage")
    expect(page.locator(".coverage")).to_contain_text(f"of {SESSIONS} new sessions are archived")
    first_sync.resume()

    expect(page.locator(".coverage")).to_have_count(0)
    sessions = page.locator(".numbers-row div", has_text="Sessions").locator("dd").first
    expect(sessions).to_have_text(str(SESSIONS))


def test_hits_stay_under_the_pointer_and_come_when_it_leaves(
    page: Page, first_sync: FirstSync
) -> None:
    page.goto(f"{first_sync.address}/search?q=crates")
    hits = page.locator("[data-hits]")
    hits.hover()
    before = page.locator(".count").text_content()
    first_sync.resume()
    expect(page.locator("[data-archiving]")).to_be_hidden()

    assert page.locator(".count").text_content() == before
    page.mouse.move(5, 5)
    expect(page.locator(".coverage")).to_have_count(0)


def test_a_session_is_open_before_and_after_it_is_archived(page: Page, tmp_path: Path) -> None:
    root = tmp_path / "claude"
    (root / "projects").mkdir(parents=True)
    builder = SessionBuilder("only").user("Where is it?").assistant("It is there.")
    settings = Settings(port=0, location=Home(tmp_path / "archive"), roots=(root,))
    with serving(settings) as address:
        page.goto(f"{address}/sessions")
        expect(page.get_by_role("heading", name="No sessions yet")).to_be_visible()
        builder.write(root)
        opened = page.context.new_page()
        opened.goto(f"{address}/sessions/{builder.session_id}")

        answer = opened.get_by_role("paragraph").filter(has_text="It is there.")
        expect(answer).to_be_visible()
        expect(page.locator("[data-session]")).to_have_count(1)
        opened.reload()
        expect(answer).to_be_visible()
