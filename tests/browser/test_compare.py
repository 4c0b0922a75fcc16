"""Two sessions compared: what came of them first, differences of files below."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.chromium import watch
from tests.build import SessionBuilder, edit
from tests.web.serving import serving, settings_for

CWD = "/home/dev/code/demo"


def attempt(word: str) -> SessionBuilder:
    built = SessionBuilder(word, cwd=CWD).ai_title(f"Try {word}").user("Make it fast")
    for number in range(6):
        built.tools(edit(f"{CWD}/src/part_{number}.py", "x = 1\n", "1", word))
    return built.assistant(f"The {word} is in place.")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("compared")
    ids = [attempt(word).write(folder / "root").stem for word in ("heap", "index")]
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield f"{address}/compare?a={ids[0]}&b={ids[1]}"


@pytest.fixture
def shown(page: Page, compared: str) -> Iterator[Page]:
    watched = watch(page)
    page.goto(compared)
    yield page
    assert watched.errors == []


def test_what_came_of_both_is_on_the_first_screen(shown: Page) -> None:
    rows = shown.locator("tbody.results tr")

    expect(rows).to_have_count(3)
    expect(rows.last).to_contain_text("The heap is in place.")
    expect(rows.last).to_contain_text("The index is in place.")
    expect(rows.last).to_be_in_viewport()
    expect(shown.locator(".diff").first).to_be_hidden()


def test_a_difference_opens_below_the_name_of_its_file(shown: Page) -> None:
    file = shown.locator(".compared-files li", has_text="part_2.py")
    file.locator("summary").focus()
    shown.keyboard.press("Enter")

    expect(file.locator(".diff")).to_be_visible()
    expect(file.locator(".diff")).to_contain_text("x = heap")
    expect(file.locator(".diff")).to_contain_text("x = index")
    assert find_violations(shown) == []


def test_other_sessions_can_be_chosen(shown: Page) -> None:
    shown.get_by_text("Compare other sessions").click()

    expect(shown.locator("main select:visible")).to_have_count(2)


def test_a_narrow_window_has_no_width_to_scroll(shown: Page) -> None:
    shown.set_viewport_size({"width": 390, "height": 800})

    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
