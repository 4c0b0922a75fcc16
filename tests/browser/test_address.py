"""The address of a session's page names what it shows: detail, filters and place."""

import re

from playwright.sync_api import Page, expect

from tests.browser.waiting import settled_top


def reopen(page: Page) -> None:
    """Open the same address as somebody else would who was sent it."""
    address = page.url
    page.goto("about:blank")
    page.goto(address)


def test_the_detail_is_in_the_address(story: Page, address: str) -> None:
    story.get_by_label("detail").select_option("Talk")
    expect(story).to_have_url(f"{address}?detail=talk")
    reopen(story)

    expect(story.get_by_label("detail")).to_have_value("2")
    expect(story.locator(".tool-call").locator("visible=true")).to_have_count(0)
    story.get_by_label("detail").select_option("Tools")
    expect(story).to_have_url(address)


def test_filters_are_in_the_address(story: Page, address: str) -> None:
    story.keyboard.press("f")
    story.locator("[data-filter=answer]").uncheck()
    expect(story).to_have_url(f"{address}?hide=answer")
    reopen(story)

    expect(story.locator("main [data-kind=answer]").locator("visible=true")).to_have_count(0)
    expect(story.locator("[data-filter=answer]")).not_to_be_checked()


def test_only_the_calls_of_one_tool_are_shown(story: Page, address: str) -> None:
    calls = story.locator("main .tool-call").locator("visible=true")
    story.get_by_label("detail").select_option("Talk")
    story.keyboard.press("f")
    story.get_by_label("Only calls of this tool").select_option("Edit")

    expect(story).to_have_url(f"{address}?tool=Edit")
    expect(calls).to_have_count(1)
    expect(calls).to_contain_text("src/upload.py")
    reopen(story)
    expect(calls).to_have_count(1)
    story.locator("#find").fill("make part-3")
    expect(story.locator("[data-found]")).to_have_text("0")


def test_the_calls_inside_of_a_run_are_reached_by_their_tool(story: Page) -> None:
    story.keyboard.press("f")
    story.get_by_label("Only calls of this tool").select_option("Bash")

    expect(story.locator("main .tool-call[data-tool=Agent]").first).to_be_visible()
    expect(story.locator("main .tool-call[data-tool=Edit]")).to_be_hidden()


def test_the_panel_counts_what_is_shown(story: Page) -> None:
    story.keyboard.press("f")
    attachments = story.locator("#menu label", has_text="Attachment")
    expect(attachments).to_be_hidden()

    story.get_by_label("detail").select_option("Everything")
    story.keyboard.press("f")
    expect(attachments).to_contain_text("1")
    story.get_by_label("detail").select_option("Prompts")
    expect(story.locator("#menu label", has_text="Answer")).to_be_hidden()


def test_the_place_is_in_the_address(story: Page, address: str) -> None:
    filler = story.locator("main [data-kind=prompt]", has_text="Filler 7")
    filler.evaluate("element => element.scrollIntoView()")
    settled_top(filler)
    expect(story).to_have_url(re.compile("#m-"))
    reopen(story)

    expect(filler).to_be_in_viewport()
    settled_top(filler)
    story.keyboard.press("g")
    expect(story).to_have_url(address)


def test_a_link_to_a_call_stays_as_it_is(story: Page, address: str) -> None:
    name = story.locator(".tool-call", has_text="make part-9").get_attribute("id")
    story.goto(f"{address}#{name}")
    settled_top(story.locator(f"[id='{name}']"))

    expect(story).to_have_url(f"{address}#{name}")
