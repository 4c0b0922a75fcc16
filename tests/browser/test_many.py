"""The app with thousands of sessions: every page is drawn, stays put, fits and obeys keys."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from clew.render.site import APP
from tests.browser.axe import find_violations
from tests.browser.chromium import watch
from tests.browser.many import LONG_WORD, title_of
from tests.browser.places import all_places
from tests.browser.shifts import find_shifts, watching_context
from tests.web.serving import client_for

pytestmark = pytest.mark.slow

ROWS = "[data-session]"
LISTS = {
    "list": APP.sessions,
    "projects": f"{APP.sessions}?group=project",
    "filtered": f"{APP.sessions}?text=task+01",
    "long titles": f"{APP.sessions}?text={LONG_WORD}",
    "hits": "/search?q=crates",
    "files": "/files",
    "usage": "/usage",
}


@pytest.fixture
def many_client(many: str) -> Iterator[httpx.Client]:
    with client_for(many) as asking:
        yield asking


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_is_drawn_fits_and_stays_put(
    browser: Browser, many: str, many_client: httpx.Client, width: int
) -> None:
    context = watching_context(browser, width)
    page = context.new_page()
    watched = watch(page)
    found = {}
    for name, place in {**all_places(many_client), **LISTS}.items():
        page.goto(many + place)
        expect(page.locator("h1")).to_have_count(1)
        found[name] = find_shifts(page)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found[name].append("wider than the window")
    context.close()

    assert {name: faults for name, faults in found.items() if faults} == {}
    assert [error for error in watched.errors if "404" not in error] == []


def test_lists_hinder_nobody(page: Page, many: str) -> None:
    found = {}
    for name, place in LISTS.items():
        page.goto(many + place)
        found[name] = find_violations(page)

    assert {name: faults for name, faults in found.items() if faults} == {}


def test_keys_move_through_rows_and_keep_them_in_sight(page: Page, many: str) -> None:
    page.goto(many + APP.sessions)
    for _ in range(40):
        page.keyboard.press("j")
    row = page.locator(ROWS, has=page.locator(":focus"))

    expect(row).to_contain_text(title_of(1960))
    expect(row).to_be_in_viewport()
    page.keyboard.press("k")
    expect(row).to_contain_text(title_of(1961))


def test_rows_of_a_list_are_of_one_height(page: Page, many: str) -> None:
    page.goto(many + APP.sessions)
    heights = page.locator(ROWS).evaluate_all("rows => rows.map((row) => row.offsetHeight)")

    assert len(heights) == 100
    assert max(heights) - min(heights) <= 1


def test_a_row_does_not_grow_under_the_pointer(page: Page, many: str) -> None:
    page.goto(many + APP.sessions)
    row = page.locator(ROWS, has_text="crate" * 10).first
    row.scroll_into_view_if_needed()
    before = row.bounding_box()
    row.hover()

    assert row.bounding_box() == before


def test_a_search_finds_one_of_thousands(page: Page, many: str) -> None:
    page.goto(f"{many}/search")
    page.get_by_role("searchbox").or_(page.locator("#q")).first.fill('"There are 1234 crates"')

    expect(page.locator("[data-hit]")).to_have_count(1)
    page.locator("[data-hit]").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(title_of(1234))


def test_usage_counts_all_of_them(page: Page, many: str, many_client: httpx.Client) -> None:
    page.goto(f"{many}/usage")
    total = many_client.get("/api/sessions", params={"limit": 1}).json()["total"]

    assert total == 2000
    expect(page.locator("main")).to_contain_text(re.compile(r"2,000|2\.0 k"))


def test_a_file_of_thousands_is_found_by_its_name(page: Page, many: str) -> None:
    page.goto(f"{many}/files")
    page.locator("#path").fill("crates_77.py")
    files = page.locator("td.path a")

    expect(files.filter(has_not_text="crates_77.py")).to_have_count(0)
    files.first.click()
    expect(page.locator(".version .diff").first).to_be_visible()
