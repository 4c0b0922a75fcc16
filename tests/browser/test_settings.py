"""The page of settings in a browser: what is chosen there takes effect on other pages."""

import re

from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.chromium import watch


def test_settings_are_reached_from_everywhere_and_are_accessible(page: Page, app: str) -> None:
    watched = watch(page)
    page.goto(f"{app}/usage")
    page.get_by_role("link", name="Settings").click()

    expect(page.locator("h1")).to_have_text("Settings")
    assert page.locator(".settings dt").count() > 15
    assert find_violations(page) == []
    assert watched.errors == []


def test_theme_detail_and_time_zone_are_chosen_for_this_browser(
    page: Page, app: str, longest: str
) -> None:
    page.goto(f"{app}/settings")
    page.get_by_label("Theme").select_option("dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_label("Times in").select_option("Asia/Tokyo")
    page.get_by_label("Sessions open at").select_option("talk")
    expect(page.locator("[data-saved]")).to_contain_text("Saved")

    page.goto(f"{app}/sessions/{longest}")

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_attribute("data-detail", "2")
    time = page.locator(".facts time").first
    stated = time.get_attribute("datetime") or ""
    tokyo = page.evaluate(
        "(at) => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit',"
        " hourCycle: 'h23', timeZone: 'Asia/Tokyo' }).format(new Date(at))",
        stated,
    )
    expect(time).to_contain_text(tokyo)
    page.goto(f"{app}/sessions/{longest}?detail=prompts")
    expect(page.locator("body")).to_have_attribute("data-detail", "1")


def test_a_choice_is_taken_back(page: Page, app: str) -> None:
    page.goto(f"{app}/settings")
    page.get_by_label("Theme").select_option("dark")
    page.reload()
    expect(page.get_by_label("Theme")).to_have_value("dark")
    page.get_by_label("Theme").select_option("")
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.get_by_label("Theme")).to_have_value("")


def test_an_address_shows_the_same_whatever_detail_a_reader_chose(
    page: Page, app: str, longest: str
) -> None:
    page.goto(f"{app}/settings")
    page.get_by_label("Sessions open at").select_option("talk")
    shown = page.locator("body")

    page.goto(f"{app}/sessions/{longest}")
    expect(page).to_have_url(re.compile(r"\?detail=talk$"))
    page.goto(f"{app}/sessions/{longest}?detail=tools")
    expect(shown).to_have_attribute("data-detail", "3")
    page.reload()
    expect(shown).to_have_attribute("data-detail", "3")
    page.goto(f"{app}/sessions/{longest[:8]}?tool=Bash")
    expect(shown).to_have_attribute("data-detail", "3")
    expect(page.locator("main .tool-call").locator("visible=true").first).to_be_visible()
