"""Filters for what messages contain, and turns that fold, on a page that is opened from a file."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from clew.render.html import HtmlOptions, render_html
from clew.sessions import load
from clew.view import ViewOptions, make_page
from tests.build import SessionBuilder

CONTENTS = [
    pytest.param("thinking", "main .thinking", id="thinking"),
    pytest.param("agent_run", "main details.agent-run", id="agent runs"),
    pytest.param("tool_call", "main .tool-call", id="calls"),
]


def turn_head(page: Page, number: int) -> Locator:
    return page.locator(f'.turn[data-turn="{number}"] > .turn-head')


def words_of(page: Page, number: int) -> Locator:
    """Give the messages of a turn."""
    return page.locator(f'.turn[data-turn="{number}"] > [data-kind]')


@pytest.mark.parametrize(("name", "elements"), CONTENTS)
def test_what_messages_contain_is_counted_and_can_be_left_out(
    story: Page, address: str, name: str, elements: str
) -> None:
    story.get_by_label("detail").select_option("Everything")
    story.locator("[data-do=unfold]").evaluate("button => button.click()")
    shown = story.locator(elements).locator("visible=true")
    box = story.locator(f"[data-filter={name}]")
    count = box.locator("xpath=..").locator(".figure").text_content()
    expect(shown).to_have_count(int(count or 0))

    story.keyboard.press("f")
    box.uncheck()

    expect(shown).to_have_count(0)
    expect(story).to_have_url(f"{address}?detail=everything&hide={name}")
    story.goto("about:blank")
    story.goto(f"{address}?detail=everything&hide={name}")
    expect(box).not_to_be_checked()
    expect(shown).to_have_count(0)


def test_finding_leaves_out_thinking_that_is_not_shown(story: Page, address: str) -> None:
    story.goto(f"{address}?detail=everything")
    story.locator("#find").fill("octopus")
    expect(story.locator("[data-found]")).to_have_text(re.compile("^[1-9]"))

    story.locator("header [data-do=menu]").click()
    story.locator("[data-filter=thinking]").uncheck()

    expect(story.locator("[data-found]")).to_have_text("0")


def test_a_turn_is_folded_to_one_line_with_its_first_words(story: Page) -> None:
    head = turn_head(story, 1)
    button = head.get_by_role("button")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(head.locator(".said")).to_be_hidden()

    button.click()

    expect(button).to_have_attribute("aria-expanded", "false")
    expect(words_of(story, 1).locator("visible=true")).to_have_count(0)
    expect(head).to_contain_text("Fix the retry bug in the uploader")
    expect(head).to_contain_text("4 calls")
    expect(words_of(story, 3).first).to_be_visible()
    button.press("Enter")
    expect(words_of(story, 1).first).to_be_visible()


def test_a_key_folds_the_turn_that_is_read_and_unfolds_it(story: Page) -> None:
    story.keyboard.press("j")
    story.keyboard.press("j")

    story.keyboard.press("t")

    expect(turn_head(story, 1).get_by_role("button")).to_be_focused()
    expect(words_of(story, 1).first).to_be_hidden()
    story.keyboard.press("t")
    expect(words_of(story, 1).first).to_be_visible()


def test_keys_stop_at_a_folded_turn(story: Page) -> None:
    turn_head(story, 3).get_by_role("button").click()
    story.keyboard.press("g")
    story.keyboard.press("n")
    expect(words_of(story, 1).first).to_be_focused()
    story.keyboard.press("n")
    expect(turn_head(story, 3).get_by_role("button")).to_be_focused()

    story.keyboard.press("n")

    expect(words_of(story, 4).first).to_be_focused()


def test_whatever_leads_into_a_folded_turn_unfolds_it(story: Page) -> None:
    button = turn_head(story, 1).get_by_role("button")
    button.click()
    story.locator("#find").fill("walrus")
    story.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")

    button.click()
    story.locator('nav [data-turn="1"]').click()

    expect(button).to_have_attribute("aria-expanded", "true")


def test_unfold_all_unfolds_turns_too(story: Page) -> None:
    turn_head(story, 1).get_by_role("button").click()

    story.locator("[data-do=unfold]").evaluate("button => button.click()")

    expect(words_of(story, 1).first).to_be_visible()


def test_on_paper_a_folded_turn_is_whole(story: Page) -> None:
    turn_head(story, 1).get_by_role("button").click()

    story.emulate_media(media="print")

    expect(words_of(story, 1).first).to_be_visible()
    expect(turn_head(story, 1).locator(".said")).to_be_hidden()


def test_a_turn_without_anything_to_show_is_left_out(page: Page, tmp_path: Path) -> None:
    built = SessionBuilder("quiet").at("2026-11-01T09:00:00Z")
    hook = {"hookName": "SessionStart:startup", "hookEvent": "SessionStart", "toolUseID": "t1"}
    built.attachment("hook_success", content="", stdout="", command="make ready", **hook)
    transcript = built.user("Begin").assistant("Begun.").write(tmp_path / "quiet.jsonl")
    file = tmp_path / "quiet.html"
    file.write_text(
        "".join(render_html(make_page(load(transcript), ViewOptions()), HtmlOptions())), "utf-8"
    )
    page.goto(file.as_uri())
    before = page.locator('.turn[data-turn="0"]')
    line = page.locator(".outline li", has_text="Before the first prompt")
    expect(before).to_be_hidden()
    expect(line).to_be_hidden()

    page.get_by_label("detail").select_option("Everything")

    expect(before).to_contain_text("make ready")
    expect(line.get_by_role("link")).to_have_attribute("href", "#s-0")
