"""A session page in a real browser: reading on from wherever somebody has scrolled to."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from clew.render.html import HtmlOptions, render_html
from clew.sessions import load
from clew.view import ViewOptions, make_page
from tests.browser.story import write_story
from tests.build import SessionBuilder

# The bar on top ends above this line, and reading begins below it.
LINE = 70
TO_GAP = f"""(element) => {{
  for (const turn of document.querySelectorAll(".turn")) turn.style.contentVisibility = "visible";
  element.scrollIntoView();
  scrollBy(0, element.getBoundingClientRect().top - {LINE} - 4);
  const talk = document.getElementById("talk").getBoundingClientRect();
  const there = document.elementFromPoint(talk.left + talk.width / 2, {LINE});
  return there.closest("main [data-kind]") === null;
}}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_story(tmp_path_factory.mktemp("reading"))


@pytest.fixture
def between(page: Page, address: str) -> Page:
    """Open the page, and scroll until a gap between two messages stands on top."""
    page.goto(address)
    assert page.locator("main [data-kind=prompt]", has_text="Filler 5").evaluate(TO_GAP)
    return page


@pytest.mark.parametrize(
    ("key", "words"),
    [("j", "Filler 5"), ("n", "Filler 5"), ("k", "Part 4 is made."), ("p", "Filler 4")],
)
def test_keys_go_on_from_between_two_messages(between: Page, key: str, words: str) -> None:
    between.keyboard.press(key)

    expect(between.locator("[data-now]")).to_contain_text(words)


def test_writing_into_the_field_leaves_the_page_where_it_is(between: Page) -> None:
    before = between.evaluate("scrollY")

    between.keyboard.press("/")
    between.keyboard.type("retry")

    expect(between.locator("[data-found]")).to_have_text(re.compile("^[1-9]"))
    assert between.evaluate("scrollY") == before


def test_finding_begins_below_where_the_reader_is(between: Page) -> None:
    between.keyboard.press("/")
    between.keyboard.type("is made.")
    expect(between.locator("[data-found]")).to_have_text("12")

    between.keyboard.press("Enter")

    expect(between.locator("[data-found]")).to_have_text("6 / 12")
    expect(between.get_by_text("Part 5 is made.")).to_be_in_viewport()


def test_finding_at_once_finds_the_new_words(page: Page, address: str) -> None:
    page.goto(address)
    found = page.locator("[data-found]")
    page.locator("#find").fill("is made.")
    expect(found).to_have_text("12")

    page.locator("#find").fill("More words")
    page.keyboard.press("Enter")

    expect(found).to_have_text("1 / 72")


def test_finding_leaves_out_calls_that_are_not_shown(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#find").fill("make part-3")
    expect(page.locator("[data-found]")).to_have_text(re.compile("^[1-9]"))

    page.locator("header [data-do=menu]").click()
    page.locator("[data-filter=tool_call]").uncheck()

    expect(page.locator("[data-found]")).to_have_text("0")


def test_boxes_to_tick_are_copied_as_markdown(page: Page, tmp_path: Path) -> None:
    built = SessionBuilder("boxes").user("What is left?").assistant("- [x] bread\n- [ ] salt")
    shown = make_page(load(built.write(tmp_path / "boxes.jsonl")), ViewOptions())
    file = tmp_path / "boxes.html"
    file.write_text("".join(render_html(shown, HtmlOptions())), "utf-8")
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard',"
        " { value: { writeText: async (text) => { window.copied = text; } } });"
    )
    page.goto(file.as_uri())

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("c")

    text = str(page.wait_for_function("window.copied").json_value())
    assert "- [x] bread\n- [ ] salt" in text


def test_the_rule_of_a_prompt_is_on_the_paper(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 720, "height": 1000})
    page.goto(address)
    page.emulate_media(media="print")

    body = page.locator("main [data-kind=prompt] > .body").first
    assert body.evaluate("element => element.getBoundingClientRect().left") >= 0
    assert body.evaluate("element => getComputedStyle(element).borderLeftWidth") == "3px"


def test_without_colours_of_ours_one_line_of_the_outline_is_marked(
    page: Page, address: str
) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(address)
    expect(page.locator("nav [aria-current]")).to_have_count(1)

    paints = page.locator("nav [data-turn]").evaluate_all(
        "links => links.map((link) => getComputedStyle(link).borderLeftColor)"
    )
    assert len(set(paints)) == 2
    assert paints.count(paints[-1]) == len(paints) - 1
