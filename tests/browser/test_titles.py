"""Titles of sessions: cut only where there is no room for them."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Page

from tests.build import SessionBuilder
from tests.web.serving import serving, settings_for

TITLE: Final = (
    "Find out why uploads of large files fail after the second retry and mend the"
    " scheduler so that none of them is lost"
)
WIDTHS: Final = """(title) => [title.scrollWidth, title.getBoundingClientRect().width]"""


@pytest.fixture(scope="module")
def titled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("titled")
    built = SessionBuilder("titled").ai_title(TITLE).user("Mend it").assistant("Done.")
    built.write(folder / "root")
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield address, built.session_id


@pytest.mark.parametrize("path", ["/", "/sessions", "/sessions/{}", "/search?q=Mend"])
def test_a_title_is_whole_in_a_wide_window(page: Page, titled: tuple[str, str], path: str) -> None:
    address, name = titled
    page.set_viewport_size({"width": 1920, "height": 900})
    page.goto(f"{address}{path.format(name)}")

    title = page.locator("main bdi, .top .name bdi").filter(has_text=TITLE).first
    needed, given = title.evaluate(WIDTHS)

    assert needed <= given + 1


def test_a_title_that_is_cut_has_much_of_the_row_and_is_whole_in_its_tooltip(
    page: Page, titled: tuple[str, str]
) -> None:
    page.set_viewport_size({"width": 1366, "height": 800})
    page.goto(f"{titled[0]}/sessions")

    title = page.locator(".session .title")
    box = title.bounding_box()
    assert box is not None
    assert title.get_attribute("title") == TITLE
    assert box["width"] > 560
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_heading_of_a_session_is_whole_on_a_phone(page: Page, titled: tuple[str, str]) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{titled[0]}/sessions/{titled[1]}")

    heading = page.locator("main h1")
    assert heading.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
