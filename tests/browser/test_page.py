"""A session page in a real browser, opened from a file: every means that it gives to a reader."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from clew.render.html import HtmlOptions, render_html
from tests.browser.chromium import watch
from tests.browser.story import LONG, write_story
from tests.unit.render.shapes import RUN, call, message, page_of

# What was copied, for a browser that has no clipboard.
CLIPBOARD = """
  Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (text) => { window.copied = text; } },
  });
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_story(tmp_path_factory.mktemp("page"))


@pytest.fixture
def story(page: Page, address: str) -> Iterator[Page]:
    """Open the page; whatever is done with it, it never complains and never asks anybody."""
    watched = watch(page)
    page.add_init_script(CLIPBOARD)
    page.goto(address)
    yield page
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith(("file:", "data:"))] == []


def prompt(page: Page, words: str) -> Locator:
    return page.locator("main [data-kind=prompt]", has_text=words).first


def now(page: Page) -> str:
    """Give the words of the message that the keys are at."""
    return page.locator("[data-now]").inner_text()


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def anchor_of(locator: Locator) -> str:
    return str(locator.evaluate("element => element.id"))


def open_folds(page: Page) -> int:
    return page.locator("main .turn details[open]").count()


def test_all_folds_open_and_close_at_once(story: Page) -> None:
    assert open_folds(story) == 0

    story.keyboard.press("f")
    story.get_by_role("button", name="Expand all").click()
    assert open_folds(story) == story.locator("main .turn details").count() > 20
    expect(story.get_by_text("narwhal").first).to_be_visible()

    story.get_by_role("button", name="Collapse all", exact=True).click()
    assert open_folds(story) == 0


def test_a_key_opens_what_a_message_holds(story: Page) -> None:
    press(story, "n j")
    assert "I will look at the uploader first." in now(story)

    story.keyboard.press("o")
    expect(story.locator("[data-now] .tool-call[open]")).to_have_count(2)
    expect(story.locator("[data-now]").get_by_text("send(chunk)")).to_be_visible()

    story.keyboard.press("o")
    assert open_folds(story) == 0


def test_long_output_opens_to_its_ends(story: Page) -> None:
    call = story.locator(".tool-call", has_text="seq 200")
    call.locator("> summary").click()

    expect(call.get_by_text("line 199")).to_be_visible()
    expect(call.get_by_text("line 100\n")).to_be_hidden()
    call.locator(".middle > summary").click()
    assert "line 100\n" in call.inner_text()


@pytest.mark.parametrize(
    ("detail", "shown", "hidden"),
    [
        ("everything", "octopus", ""),
        ("tools", "seq 200", "octopus"),
        ("talk", "I will look", "seq 200"),
        ("prompts", "Fix the retry bug", "I will look"),
        ("outline", "Fix the retry bug", "I will look"),
    ],
)
def test_the_detail_says_what_is_shown(story: Page, detail: str, shown: str, hidden: str) -> None:
    story.get_by_label("detail").select_option(detail.capitalize())

    visible = story.locator("main").inner_text()
    assert shown in visible
    assert not hidden or hidden not in visible


def test_keys_change_the_detail_too(story: Page) -> None:
    press(story, "d")
    expect(story.get_by_label("detail")).to_have_value("4")

    press(story, "D D")
    expect(story.get_by_label("detail")).to_have_value("2")


def test_kinds_can_be_left_out_and_say_how_many_they_are(story: Page) -> None:
    answers = story.locator("main [data-kind=answer]")
    count = answers.count()
    assert answers.first.is_visible()

    story.keyboard.press("f")
    choice = story.locator("#menu label", has_text="Answer")
    # Agent runs have answers of their own, which are not the session's.
    assert 0 < int(choice.locator(".figure").inner_text()) <= count
    choice.locator("input").uncheck()

    expect(answers.locator("visible=true")).to_have_count(0)
    expect(prompt(story, "Fix the retry bug")).to_be_visible()
    choice.locator("input").check()
    assert answers.first.is_visible()


def test_finding_opens_folds_and_goes_from_match_to_match(story: Page) -> None:
    story.keyboard.press("/")
    story.keyboard.type("narwhal")
    found = story.locator("[data-found]")
    expect(found).to_have_text(re.compile(r"^\d$"))

    story.keyboard.press("Enter")
    expect(found).to_have_text(re.compile(r"^1 / \d$"))
    assert open_folds(story) >= 3
    match = story.locator("pre", has_text="narwhal").first
    expect(match).to_be_visible()
    expect(match).to_be_in_viewport()


def test_finding_steps_forth_and_back_and_ends(story: Page) -> None:
    found = story.locator("[data-found]")
    story.keyboard.press("/")
    story.keyboard.type("is made.")
    expect(found).to_have_text("12")

    press(story, "Enter Enter")
    expect(found).to_have_text("2 / 12")
    press(story, "Shift+Enter Shift+Enter")
    expect(found).to_have_text("12 / 12")
    expect(story.get_by_text("Part 11 is made.")).to_be_in_viewport()

    story.keyboard.press("Escape")
    expect(found).to_have_text("")
    expect(story.locator("#find")).to_have_value("")


def test_finding_looks_only_at_what_the_detail_shows(story: Page) -> None:
    story.keyboard.press("/")
    story.keyboard.type("octopus")
    expect(story.locator("[data-found]")).to_have_text("0")

    story.get_by_label("detail").select_option("Everything")
    expect(story.locator("[data-found]")).to_have_text(re.compile("[12]"))


def test_keys_go_from_message_to_message(story: Page) -> None:
    press(story, "j j")
    assert "I will look" in now(story)

    story.keyboard.press("k")
    assert "Fix the retry bug" in now(story)


def test_keys_go_from_prompt_to_prompt(story: Page) -> None:
    press(story, "n n")
    assert "Leave it at three" in now(story)

    story.keyboard.press("p")
    assert "Fix the retry bug" in now(story)


def test_a_key_goes_to_the_next_error(story: Page) -> None:
    story.keyboard.press("e")

    assert "uv run pytest" in now(story)
    expect(story.locator("[data-now]")).to_be_in_viewport()
    failed = story.locator("details.tool-call[data-error]").first
    expect(failed).to_have_attribute("open", "")
    expect(failed.locator("> summary")).to_be_focused()


def test_after_the_last_error_it_is_said_that_there_is_no_other(story: Page) -> None:
    for _ in range(story.locator("main [data-error]").count() + 1):
        story.keyboard.press("e")

    expect(story.get_by_role("status").filter(has_text="No more errors below")).to_be_visible()


def test_keys_go_to_the_end_and_to_the_top(story: Page) -> None:
    story.keyboard.press("G")
    story.wait_for_function("scrollY > 500")
    expect(story.get_by_text("Goodbye, all of you.", exact=True)).to_be_in_viewport()

    story.keyboard.press("g")
    story.wait_for_function("scrollY === 0")


def test_a_key_lists_the_keys(story: Page) -> None:
    story.keyboard.press("?")
    expect(story.get_by_role("dialog")).to_be_visible()

    story.keyboard.press("Escape")
    expect(story.get_by_role("dialog")).to_be_hidden()


def test_keys_mean_letters_in_the_field(story: Page) -> None:
    story.keyboard.press("/")
    story.keyboard.type("njo?")

    expect(story.locator("#find")).to_have_value("njo?")
    assert story.locator("[data-now]").count() == 0


def test_the_map_leads_to_where_it_is_clicked(story: Page) -> None:
    box = story.locator("[data-map]").bounding_box()
    assert box is not None
    marks = story.evaluate("JSON.parse(document.getElementById('marks').textContent)")
    shown = [mark for mark in marks if mark[2] <= 3]
    height = sum(mark[4] for mark in shown)
    index, wanted = next((i, mark[0]) for i, mark in enumerate(shown) if mark[1] == "compaction")
    at = sum(mark[4] for mark in shown[:index]) + 0.5

    top = box["y"] + 8 + (box["height"] - 16) * at / max(height, 120)
    story.mouse.click(box["x"] + box["width"] / 2, top)

    expect(story.locator(f"#{wanted}")).to_be_in_viewport()


def test_the_outline_marks_where_the_reader_is(story: Page) -> None:
    link = story.locator("nav a", has_text="Filler 7")
    link.click()

    expect(prompt(story, "Filler 7")).to_be_in_viewport()
    expect(link).to_have_attribute("aria-current", "location")


def test_a_link_to_a_message_of_a_run_opens_the_folds_it_is_in(page: Page, address: str) -> None:
    page.goto(address)
    deep = page.locator("main [data-kind]", has_text="narwhal").last
    name = anchor_of(deep)
    assert name.startswith("m-")
    assert not deep.is_visible()

    page.goto("about:blank")
    page.goto(f"{address}#{name}")

    expect(page.locator(f"#{name}")).to_be_in_viewport()


def test_a_link_to_a_call_opens_it(story: Page, address: str) -> None:
    name = anchor_of(story.locator(".tool-call", has_text="seq 200"))

    story.goto(f"{address}#{name}")

    expect(story.locator(f"#{name} > .inside")).to_be_visible()


def test_a_link_to_a_thought_shows_thoughts(story: Page) -> None:
    name = anchor_of(story.locator("main [data-kind=attachment]").first)

    story.evaluate("name => { location.hash = name; }", name)

    expect(story.locator(f"#{name}")).to_be_in_viewport()
    expect(story.get_by_label("detail")).to_have_value("4")


def test_a_fork_has_a_switch_between_its_branches(story: Page) -> None:
    other = story.get_by_text("says the heron")
    assert not other.is_visible()

    story.locator("[data-fork] button", has_text="Change it to five").click()
    expect(other).to_be_visible()

    story.locator("[data-fork] button", has_text="Leave it at three").click()
    expect(other).to_be_hidden()


def test_a_link_to_a_branch_chooses_it(story: Page) -> None:
    name = anchor_of(prompt(story, "Change it to five tries"))

    story.evaluate("name => { location.hash = name; }", name)

    expect(story.locator(f"#{name}")).to_be_in_viewport()
    expect(story.locator("[data-fork] button[aria-pressed=true]")).to_contain_text("Change it")


def copied(page: Page) -> Any:
    return page.wait_for_function("window.copied").json_value()


def test_a_message_is_copied_as_markdown(story: Page) -> None:
    story.get_by_text("Mended:").hover()
    story.get_by_role("button", name="Copy message as Markdown").click()

    text = copied(story)
    assert text.startswith("### ")
    assert "Mended:\n\n- `upload.py`\n\n```python\nretry()\n```" in text


def test_a_key_copies_the_message(story: Page) -> None:
    press(story, "G")
    story.wait_for_function("scrollY > 500")
    press(story, "p n c")

    assert "Say goodbye" in copied(story)


def test_output_is_copied_whole(story: Page) -> None:
    call = story.locator(".tool-call", has_text="seq 200")
    call.locator("> summary").click()
    output = call.locator("[data-part=output]")
    output.hover()
    output.get_by_role("button", name="Copy").click()

    assert copied(story) == LONG


def test_a_copy_button_copies_its_own_block_wherever_the_pointer_went(story: Page) -> None:
    call = story.locator(".tool-call", has_text="seq 200")
    call.locator("> summary").click()
    output, command = call.locator("[data-part=output]"), call.locator("[data-part=code]")
    output.hover()
    command.hover()
    output.get_by_role("button", name="Copy").dispatch_event("click")

    assert copied(story) == LONG


def test_the_command_that_goes_on_is_copied(story: Page) -> None:
    story.get_by_text("Details", exact=True).click()
    story.locator("[data-copy]").click()

    assert re.search(r"cd /\S+ && claude --resume \S+$", copied(story))


def test_times_are_the_readers_own_with_utc_on_hover(browser: Browser, address: str) -> None:
    context = browser.new_context(timezone_id="Asia/Kolkata", locale="en-GB")
    page = context.new_page()
    page.goto(address)

    time = prompt(page, "Fix the retry bug").locator("time").first
    expect(time).to_have_text("14:30")
    expect(time).to_have_attribute("title", re.compile("^2026-11-01 09:00:.. UTC$"))
    context.close()


def test_light_and_dark_are_turned_and_remembered(story: Page, address: str) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light = story.evaluate(paper)

    story.get_by_role("button", name="Switch between light and dark").click()
    dark = story.evaluate(paper)
    story.goto(address)

    assert light != dark == story.evaluate(paper)


def test_a_dark_machine_gets_a_dark_page(story: Page) -> None:
    story.emulate_media(color_scheme="dark")

    assert story.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 22, 26)"


def test_on_paper_there_is_only_the_talk(story: Page) -> None:
    story.emulate_media(media="print")

    for selector in ("header.top", "nav.outline", ".map"):
        expect(story.locator(selector)).to_be_hidden()
    expect(prompt(story, "Say goodbye")).to_be_visible()


def test_a_phone_shows_the_page_without_moving_it_sideways(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto(address)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    expect(page.locator("nav.outline")).to_be_hidden()
    page.get_by_role("button", name="Outline").click()
    expect(page.locator("nav a", has_text="Delegate")).to_be_in_viewport()
    context.close()


def test_without_scripts_all_of_it_can_be_read(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)

    expect(page.get_by_text("says the heron")).to_be_visible()
    expect(page.locator("header.top button").first).to_be_hidden()
    call = page.locator(".tool-call", has_text="seq 200")
    call.locator("> summary").click()
    expect(call.get_by_text("line 199")).to_be_visible()
    text = page.locator("main").text_content() or ""
    for word in ("octopus", "walrus", "heron", "narwhal", "porpoise", "Goodbye"):
        assert word in text
    context.close()


def test_on_a_phone_the_whole_line_of_a_run_can_be_read(browser: Browser, tmp_path: Path) -> None:
    run = msgspec.structs.replace(RUN, status="interrupted", has_transcript=False)
    shown = page_of(message("answer", call("Agent", "Look", runs=(run,)), who="Opus 5.5"))
    file = tmp_path / "page.html"
    file.write_text("".join(render_html(shown, HtmlOptions())), "utf-8")
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()

    page.goto(file.as_uri())
    page.locator(".tool-call > summary").first.click()

    state = page.get_by_text("transcript missing").last.bounding_box()
    assert state is not None
    assert state["x"] + state["width"] <= 390
    context.close()


def test_paper_is_light_whatever_was_chosen_for_the_screen(story: Page) -> None:
    story.get_by_role("button", name="Switch between light and dark").click()
    light = "getComputedStyle(document.body).color"
    chosen = {story.evaluate(light)}
    story.get_by_role("button", name="Switch between light and dark").click()
    chosen.add(story.evaluate(light))
    story.emulate_media(media="print", color_scheme="dark")
    printed = [story.evaluate(light)]
    story.get_by_role(
        "button", name="Switch between light and dark", include_hidden=True
    ).dispatch_event("click")
    printed.append(story.evaluate(light))

    assert len(chosen) == 2
    assert printed == ["rgb(29, 28, 26)"] * 2
