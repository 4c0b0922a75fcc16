"""Every control of every page is reached by the Tab key, and shows that it has the focus."""

from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import CONTRAST, find_violations
from tests.browser.places import all_places

pytestmark = pytest.mark.slow

TOUR = (Path(__file__).parent / "tour.js").read_text("utf-8")
# Boxes that scroll are stops, too, and they are known only when they are near.
MORE = 3
STEPS = 6


@pytest.mark.parametrize("width", [1280, 390])
def test_the_tab_key_reaches_everything(
    browser: Browser, app: str, client: httpx.Client, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    found = {name: tour(page, app + place) for name, place in all_places(client).items()}
    page.close()

    assert {name: faults for name, faults in found.items() if faults} == {}


def tour(page: Page, address: str) -> list[str]:
    """Press Tab until all has been reached; tell what was not."""
    page.goto(address)
    expect(page.locator("[data-waiting]")).to_have_count(0)
    stops = page.evaluate(TOUR)
    for _ in range(MORE):
        for _ in range(stops):
            page.keyboard.press("Tab")
        if not page.evaluate("tour.left()"):
            break
    return list(page.evaluate("tour.faults()"))


def test_the_tab_key_leads_back_too(page: Page, app: str, client: httpx.Client) -> None:
    trapped = []
    for name, place in all_places(client).items():
        page.goto(app + place)
        ways = [focused_after(page, key, STEPS) for key in ("Tab", "Shift+Tab")]
        is_round = any("<body" in told for way in ways for told in way)
        if not is_round and ways[0][:-1] != ways[1][-2::-1]:
            trapped.append((name, ways))

    assert trapped == []


def focused_after(page: Page, key: str, times: int) -> list[str]:
    """Press a key, and tell what has the focus each time."""
    told = []
    for _ in range(times):
        page.keyboard.press(key)
        told.append(page.evaluate("document.activeElement.outerHTML.slice(0, 100)"))
    return told


def test_nothing_moves_by_itself_for_who_asks_for_that(
    browser: Browser, app: str, client: httpx.Client
) -> None:
    page = browser.new_page(reduced_motion="reduce")
    moving = {}
    for name, place in all_places(client).items():
        page.goto(app + place)
        moving[name] = page.evaluate(_MOVING)
    page.close()

    assert {name: what for name, what in moving.items() if what} == {}


_MOVING = """() => [...document.querySelectorAll("*")].flatMap((element) =>
  ["", "::before", "::after"].map((part) => [element, getComputedStyle(element, part || null)]))
  .filter(([, style]) => style.scrollBehavior === "smooth"
    || style.transitionDuration.split(",").some((time) => parseFloat(time) > 0.01)
    || (style.animationName !== "none" && parseFloat(style.animationDuration) > 0.01))
  .map(([element]) => element.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_printed_dark_on_light(
    browser: Browser, app: str, client: httpx.Client, scheme: Literal["light", "dark"]
) -> None:
    page = browser.new_page(color_scheme=scheme)
    found = {}
    for name, place in all_places(client).items():
        page.goto(app + place)
        page.emulate_media(media="print")
        found[name] = find_violations(page, CONTRAST) + page.evaluate(_ON_PAPER)
        page.emulate_media(media="screen")
    page.close()

    assert {name: faults for name, faults in found.items() if faults} == {}


_ON_PAPER = """() => {
  const all = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
  const told = (element) => element.outerHTML.slice(0, 80);
  const paper = getComputedStyle(document.body).backgroundColor;
  const [r, g, b, a = 1] = paper.match(/[\\d.]+/g).map(Number);
  const fixed = all.filter((one) => getComputedStyle(one).position === "fixed");
  const controls = all.filter((one) => one.matches("button.js, input, select"));
  return [
    ...(a > 0 && Math.min(r, g, b) < 240 ? [`the paper is ${paper}`] : []),
    ...fixed.map((one) => `on every sheet: ${told(one)}`),
    ...controls.map((one) => `a control: ${told(one)}`),
  ];
}"""
