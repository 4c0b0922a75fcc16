"""Every page can be read with other eyes and other hands, in light and dark, wide and narrow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from clew.parts import Diff, DiffHunk
from clew.render.html import HtmlOptions, render_html
from clew.store import Home
from clew.view import Detail
from clew.web import Settings
from tests.browser.axe import CONTRAST, find_violations
from tests.browser.places import PIECES, all_places, page_routes, routes_without
from tests.browser.waiting import wait_for_frames
from tests.insight.workshop import Workshop, lines
from tests.unit.render.shapes import message, page_of
from tests.web.serving import serving

pytestmark = pytest.mark.slow

OTHERS = (Path(__file__).parent / "accessible.js").read_text("utf-8")
WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FILE = "src/knots.py"


@pytest.fixture
def places(client: httpx.Client) -> dict[str, str]:
    return {**all_places(client), "no blame": "/files/blame?path=/nowhere.py"}


@pytest.fixture(scope="module")
def blame(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a file's blame, which needs a repository."""
    shop = Workshop(tmp_path_factory.mktemp("blame"))
    shop.hand(FILE, lines("one", "two", "three"))
    shop.commit("Add knots")
    shop.edit("the second knot", FILE, "two\n", "two and a half\n")
    shop.commit("Mend the second knot", "the second knot")
    shop.edit("the third knot", FILE, "three\n", "three and more\n")
    with shop.archive():
        pass
    settings = Settings(port=0, location=Home(shop.home), is_followed=False)
    with serving(settings) as address:
        yield f"{address}/files/blame?path={shop.path(FILE)}"


def test_no_page_is_left_out(places: dict[str, str]) -> None:
    assert routes_without(places.values()) == set()
    assert page_routes() >= PIECES


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_hinders_anybody(
    browser: Browser, app: str, places: dict[str, str], width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    found = {name: check(page, app + place) for name, place in places.items()}
    page.close()

    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_the_blame_of_a_file_hinders_nobody(browser: Browser, blame: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    faults = check(page, blame)
    expect(page.get_by_text("two and a half")).to_be_visible()
    page.close()

    assert faults == []


def check(page: Page, address: str) -> list[str]:
    """Tell what is wrong with a page when all of it is shown; colours in light and in dark."""
    page.emulate_media(color_scheme="light")
    page.goto(address)
    expect(page.locator("[data-waiting]")).to_have_count(0)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    read_to_the_end(page)
    faults = find_violations(page) + list(page.evaluate(OTHERS))
    page.emulate_media(color_scheme="dark")
    dark = find_violations(page, CONTRAST) + list(page.evaluate(OTHERS))
    return faults + [f"dark: {fault}" for fault in dark if fault not in faults]


def read_to_the_end(page: Page) -> None:
    """Show every part of a page once: far ones are drawn only then."""
    while not page.evaluate(_IS_END):
        page.evaluate("scrollBy(0, innerHeight)")
        wait_for_frames(page)
    wait_for_frames(page)


_IS_END = "scrollY + innerHeight >= document.documentElement.scrollHeight - 1"


@pytest.mark.parametrize("name", ["sessions", "usage", "a session", "Changes"])
def test_what_opens_over_a_page_hinders_nobody(
    page: Page, app: str, places: dict[str, str], name: str
) -> None:
    page.goto(app + places[name])
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    faults = find_violations(page)
    page.emulate_media(color_scheme="dark")

    assert faults + find_violations(page, CONTRAST) == []


@pytest.mark.parametrize("scheme", SCHEMES)
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
    page = browser.new_page(color_scheme=scheme)
    page.goto(file.as_uri())
    expect(page.locator(".changed")).to_have_count(2 * len(kinds))
    faults = find_violations(page, CONTRAST)
    page.close()

    assert faults == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_window(
    browser: Browser, app: str, places: dict[str, str], width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    too_wide = []
    for name, place in places.items():
        page.goto(app + place)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            too_wide.append(name)
    page.close()

    assert too_wide == []
