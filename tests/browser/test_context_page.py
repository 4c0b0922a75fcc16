"""The chart of a context: its words are legible, and none is written over another."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.chromium import watch
from tests.build import SessionBuilder, Usage, bash, read
from tests.web.serving import serving, settings_for

TEXTS: Final = """() => [...document.querySelectorAll(".chart.context text")].map((text) => {
  const box = text.getBoundingClientRect();
  const height = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d;
  return { word: text.textContent, height, left: box.left, right: box.right, top: box.top,
    bottom: box.bottom };
})"""
SMALLEST: Final = 10.5


@pytest.fixture(scope="module")
def context_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("context")
    built = SessionBuilder("context")
    for turn in range(30):
        built.user(f"Turn {turn}: {'words ' * 40 * turn}")
        built.tools(read(f"/home/dev/code/demo/{turn}.py", "x = 1\n" * 200), bash("ls", "a\n" * 90))
        cached = 0 if turn in (9, 10, 20) else 20_000 + 3_000 * turn
        usage = Usage(input=23_000 + 3_000 * turn - cached, cache_read=cached, output=300)
        built.assistant("Done.", usage=usage)
    built.write(folder / "root")
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield f"{address}/sessions/{built.session_id}/context"


@pytest.fixture
def shown(page: Page, context_page: str) -> Iterator[Page]:
    watched = watch(page)
    page.goto(context_page)
    yield page
    assert watched.errors == []


@pytest.mark.parametrize("width", [390, 768, 1366, 1920])
def test_words_in_the_chart_are_legible_and_apart(shown: Page, width: int) -> None:
    shown.set_viewport_size({"width": width, "height": 900})

    texts = shown.evaluate(TEXTS)

    assert len(texts) > 8
    assert [text for text in texts if text["height"] < SMALLEST] == []
    overlaps = [
        (one["word"], other["word"])
        for number, one in enumerate(texts)
        for other in texts[:number]
        if one["left"] < other["right"] - 1
        and other["left"] < one["right"] - 1
        and one["top"] < other["bottom"] - 3
        and other["top"] < one["bottom"] - 3
    ]
    assert overlaps == []
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_is_not_known_is_said(shown: Page) -> None:
    expect(shown.locator("main")).to_contain_text("System text and tools are one part here")
    breaks = shown.locator("section", has=shown.locator("#breaks"))
    expect(breaks).to_contain_text("the transcript does not say why")
    expect(breaks.locator("tbody tr").first).to_contain_text("same model,")
    assert find_violations(shown) == []
