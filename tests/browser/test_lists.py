"""Lists in a browser: filters as one types, order, more rows, keys, light and dark."""

import re

import httpx
from playwright.sync_api import Page, expect

from tests.browser.many import title_of

ROWS = "[data-session]"


def test_thousands_of_sessions_begin_with_the_latest(page: Page, many: str) -> None:
    page.goto(f"{many}/sessions")

    expect(page.locator("[data-total]")).to_have_text("2,000 sessions")
    expect(page.locator(ROWS)).to_have_count(100)
    expect(page.locator(ROWS).first).to_contain_text(title_of(1999))


def test_the_list_narrows_as_one_types(page: Page, many: str) -> None:
    page.goto(f"{many}/sessions")
    page.locator("#text").press_sequentially("task 0123")

    expect(page.locator("[data-total]")).to_have_text("1 session")
    expect(page.locator(ROWS)).to_contain_text(title_of(123))
    assert page.url.endswith("?text=task+0123")


def test_what_is_typed_comes_back_with_the_address(page: Page, many: str) -> None:
    page.goto(f"{many}/sessions?text=task+0123&project=/home/dev/code/lantern")

    expect(page.locator("[data-total]")).to_have_text("1 session")
    expect(page.locator("#text")).to_have_value("task 0123")
    page.get_by_title("Remove this filter").click()
    expect(page).to_have_url(f"{many}/sessions?text=task+0123")


def test_filters_and_order_apply_at_once(page: Page, many: str) -> None:
    page.goto(f"{many}/sessions")
    page.get_by_text("More", exact=True).click()
    page.get_by_label("with errors").check()
    page.get_by_label("Sort by").select_option("title")

    expect(page.locator("[data-total]")).to_have_text("200 sessions")
    expect(page.locator(ROWS).first).to_contain_text(title_of(0))


def test_rows_tell_their_days_where_no_heading_does(page: Page, many: str) -> None:
    page.goto(f"{many}/sessions")
    expect(page.locator("time.when").first).to_have_text(re.compile(r"^\d\d:\d\d$"))
    page.get_by_label("Sort by").select_option("title")
    expect(page.locator("time.when").first).to_have_text(re.compile(r"^\d+ \w+ \d{4}$"))
    page.goto(f"{many}/sessions?group=project")

    expect(page.locator("time.when").first).to_have_text(re.compile(r"^\d+ \w+ \d{4}$"))


def test_the_title_of_the_page_says_what_is_searched_for(page: Page, many: str) -> None:
    page.goto(f"{many}/search?q=first")
    page.locator("#q").fill("task")

    expect(page).to_have_title("Search: task · clew")


def test_more_rows_come_below(page: Page, many: str) -> None:
    page.goto(f"{many}/sessions")
    page.get_by_role("link", name="more sessions").click()

    expect(page.locator(ROWS)).to_have_count(200)
    expect(page.locator(ROWS).last).to_contain_text(title_of(1800))


def test_rows_are_reached_by_keys(page: Page, many: str) -> None:
    page.goto(f"{many}/sessions")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_contain_text(title_of(1998))


def test_a_slash_leads_to_the_filter_and_escape_away(page: Page, app: str) -> None:
    page.goto(f"{app}/sessions")
    page.keyboard.press("/")

    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#text")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_light_and_dark_are_chosen_for_all_pages(page: Page, app: str) -> None:
    page.goto(f"{app}/sessions")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Switch between light and dark").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto(f"{app}/usage")

    assert before != after
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_numbers_of_usage_lead_to_what_they_count(page: Page, app: str) -> None:
    page.goto(f"{app}/usage")
    page.locator("main tr", has_text="tessera").first.get_by_role("link").first.click()

    expect(page.locator(ROWS).first).to_contain_text("tessera")
    page.go_back()
    page.locator(".chart a").first.click()
    expect(page.locator(ROWS)).not_to_have_count(0)
    page.goto(f"{app}/usage")
    page.locator("td.bad a").first.click()
    expect(page.locator("[data-hit]")).not_to_have_count(0)


def test_an_hour_of_the_week_leads_to_its_sessions(page: Page, app: str) -> None:
    page.goto(f"{app}/usage")
    busiest = page.locator(".heat a", has=page.locator(".h4")).first
    hour, _, told = str(busiest.get_attribute("aria-label")).partition(", ")
    busiest.click()

    sessions = told.rpartition(" in ")[2]
    expect(page.locator("[data-total]")).to_have_text(sessions)
    chip = page.get_by_title("Remove this filter")
    expect(chip).to_contain_text(f"Hour {hour}")
    page.locator("#text").fill("no session says this")
    expect(page.locator("[data-total]")).to_have_text("0 sessions")
    expect(chip).to_contain_text(f"Hour {hour}")
    page.locator("#text").fill("")
    expect(page.locator("[data-total]")).to_have_text(sessions)
    chip.click()
    expect(page.locator(ROWS)).to_have_count(16)


def test_a_chart_is_one_stop_for_the_tab_key_and_arrows_go_on(page: Page, app: str) -> None:
    page.goto(f"{app}/usage")
    stops = page.locator(".heat a[tabindex='0']")
    expect(stops).to_have_count(1)
    first = stops.get_attribute("aria-label")
    stops.focus()
    page.keyboard.press("ArrowRight")

    assert stops.get_attribute("aria-label") != first
    expect(stops).to_be_focused()
    page.keyboard.press("ArrowLeft")
    assert stops.get_attribute("aria-label") == first
    page.keyboard.press("ArrowDown")
    assert str(stops.get_attribute("aria-label"))[3:9] == str(first)[3:9]
    page.keyboard.press("Enter")
    expect(page.get_by_title("Remove this filter")).to_contain_text("Hour")


def test_every_number_of_a_row_leads_where_the_row_does(page: Page, app: str) -> None:
    page.goto(f"{app}/usage")
    page.locator("main tr", has_text="general-purpose").locator("td").nth(3).click(force=True)

    expect(page.get_by_title("Remove this filter")).to_contain_text("Agent general-purpose")
    expect(page.locator(ROWS)).not_to_have_count(0)


def test_usage_follows_its_period(page: Page, app: str) -> None:
    page.goto(f"{app}/usage")
    page.locator("input[name=model]").fill("no such model")

    expect(page.get_by_text("No model calls in this period.")).to_be_visible()


def test_a_file_leads_to_its_changes_and_they_to_the_call(page: Page, app: str) -> None:
    page.goto(f"{app}/files")
    page.locator("#path").fill("upload.py")
    files = page.locator("td.path a")
    expect(files.filter(has_not_text="upload.py")).to_have_count(0)
    files.first.click()
    expect(page.locator(".version .diff").first).to_be_visible()
    page.locator(".version").get_by_role("link", name="Edited in").click()

    call = page.locator("details.tool-call:target")
    expect(call).to_have_attribute("open", "")
    expect(call).to_be_in_viewport()


def test_a_query_that_cannot_be_read_says_why(page: Page, app: str) -> None:
    page.goto(f"{app}/search")
    page.locator("#q").fill('one "two')
    page.locator("#q").press("Enter")

    expect(page.get_by_role("alert")).to_be_visible()
    page.locator("#q").fill("retry")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("[data-hit]")).not_to_have_count(0)


def test_a_hit_leads_to_its_message(page: Page, app: str, client: httpx.Client) -> None:
    found = client.get("/api/search", params={"q": "in:results pytest", "limit": 1})
    hit = found.json()["hits"][0]
    assert hit["tool_call_id"]
    page.goto(f"{app}/search?q=in:results+pytest")
    page.locator(f"[data-hit][href*='#c-{hit['tool_call_id']}']").first.click()

    expect(page.locator("details.tool-call:target")).to_be_in_viewport()
    assert page.evaluate("!document.querySelector(':target').closest('details:not([open])')")
