"""Every page can be read with other eyes and other hands, in light and dark, wide and narrow."""

from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from clew.parts import Diff, DiffHunk
from clew.render.html import HtmlOptions, render_html
from clew.view import Detail
from tests.browser.places import all_places
from tests.unit.render.shapes import message, page_of

ACCESSIBLE = (Path(__file__).parent / "accessible.js").read_text("utf-8")
WIDTHS = (1280, 390)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_hinders_anybody(
    browser: Browser, app: str, client: httpx.Client, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    found = {}
    for name, place in all_places(client).items():
        page.goto(app + place)
        expect(page.locator("[data-waiting]")).to_have_count(0)
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        found[name] = page.evaluate(ACCESSIBLE)
    context.close()

    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_that_changed_can_be_read_in_every_kind_of_message(
    browser: Browser, tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    lines = (" same", "-one old word", "+one new word")
    kinds = ("answer", "attachment", "hook", "system", "notification", "injection", "unknown")
    diff = Diff("a.py", (DiffHunk(1, 1, lines),), 1, 1)
    shown = page_of(*(message(kind, diff, who="Somebody") for kind in kinds))
    file = tmp_path / "page.html"
    options = HtmlOptions(detail=Detail.EVERYTHING)
    file.write_text("".join(render_html(shown, options)), "utf-8")
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator(".changed")).to_have_count(2 * len(kinds))
    faults = page.evaluate(ACCESSIBLE)
    context.close()

    assert [fault for fault in faults if "contrast" in fault] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_window(
    browser: Browser, app: str, client: httpx.Client, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    too_wide = []
    for name, place in all_places(client).items():
        page.goto(app + place)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            too_wide.append(name)
    context.close()

    assert too_wide == []


def test_what_has_the_focus_shows_it(page: Page, app: str, client: httpx.Client) -> None:
    hidden = []
    for name, place in all_places(client).items():
        page.goto(app + place)
        for _ in range(8):
            page.keyboard.press("Tab")
            if not page.evaluate(_IS_FOCUS_SEEN):
                hidden.append(
                    (name, page.evaluate("document.activeElement.outerHTML.slice(0, 80)"))
                )

    assert hidden == []


_IS_FOCUS_SEEN = """() => {
  const element = document.activeElement;
  if (element === document.body) return true;
  const styles = [element, ...element.children].map((one) => getComputedStyle(one));
  return styles.some(({ outlineStyle, outlineWidth, strokeWidth }) =>
    (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || strokeWidth === "2px");
}"""
