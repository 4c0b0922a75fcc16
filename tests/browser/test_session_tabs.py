"""Links to the pages of a session: at the same place on each; notices stay in the window."""

import re
from typing import Final

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import watch

PLACES: Final = """() => [...document.querySelectorAll(".session-links > ul > li > *")]
  .slice(0, 8).map((tab) => { const box = tab.getBoundingClientRect();
    return [tab.textContent.trim().slice(0, 9), box.x, box.y, box.width].join(" "); })"""


def pages_of(session: str) -> list[str]:
    own = f"/sessions/{session}"
    below = ["", "/agents", "/changes", "/context", "/timeline", "/kept"]
    return [*(f"{own}{part}" for part in below), f"/compare?a={session}"]


@pytest.mark.parametrize("width", [1366, 1920, 390])
def test_tabs_are_at_the_same_place_on_all_pages_of_a_session(
    page: Page, app: str, client: httpx.Client, longest: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    sessions = client.get("/api/sessions", params={"limit": 5}).json()["sessions"]
    other = next(one["id"] for one in sessions if one["id"] != longest)
    addresses = [*pages_of(longest), f"/compare?a={longest}&b={other}"]
    found = {}
    for address in [*addresses, f"/export?session={longest}"]:
        page.goto(f"{app}{address}")
        page.locator(".session-links").evaluate("bar => { bar.scrollLeft = 0; }")
        found[address] = tuple(page.evaluate(PLACES))

    assert len(set(found.values())) == 1, found
    assert len(next(iter(found.values()))) == 8


@pytest.mark.parametrize(
    ("name", "address"), [("Compare", "/compare?a={}"), ("Export", "/export?session={}")]
)
def test_compare_and_export_are_pages_of_their_session(
    page: Page, app: str, longest: str, name: str, address: str
) -> None:
    watched = watch(page)
    page.goto(f"{app}{address.format(longest)}")

    current = page.locator(".session-links [aria-current]")
    expect(current).to_have_text(name)
    page.locator(".session-links").get_by_role("link", name="Conversation").click()
    expect(page).to_have_url(re.compile(rf"/sessions/{longest}$"))
    assert watched.errors == []


def test_the_shown_page_is_in_sight_in_a_narrow_window(page: Page, app: str, longest: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{app}/export?session={longest}")

    expect(page.locator(".session-links [aria-current]")).to_be_in_viewport(ratio=1)
    page.get_by_text("More", exact=True).click()
    expect(page.get_by_role("link", name="Archived files")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1366, 1024, 390])
def test_what_was_copied_is_said_within_the_window(
    browser: Browser, app: str, client: httpx.Client, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, permissions=["clipboard-write"]
    )
    page = context.new_page()
    ids = [one["id"] for one in client.get("/api/sessions").json()["sessions"]]
    resumed = (client.get(f"/api/sessions/{name}/resume").json() for name in ids)
    session = next(one["session_id"] for one in resumed if one.get("command"))
    page.goto(f"{app}/sessions/{session}")
    button = page.locator("[data-resume]")
    button.scroll_into_view_if_needed()
    before = button.bounding_box()
    button.click()

    said = page.locator("[data-resume-said]")
    expect(said).to_contain_text("Paste it into a terminal")
    assert button.bounding_box() == before
    box = said.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    expect(said).to_be_in_viewport(ratio=1)
    context.close()
