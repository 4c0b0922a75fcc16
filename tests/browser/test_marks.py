"""Marks in lists and on calls: each says what it means, or the help does."""

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.chromium import watch

UNNAMED: Final = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const around = walker.currentNode.parentElement;
    if (!/[≥✗≈★☆✎⚑●◆○◧⋯«]/.test(walker.currentNode.data)) continue;
    if (!around.checkVisibility() || around.closest("bdi, pre, code, .prose, dialog")) continue;
    if (!around.closest("[title], [aria-label]")) found.push(around.outerHTML.slice(0, 160));
  }
  return found;
}"""


@pytest.mark.parametrize("path", ["/", "/sessions", "/sessions/{}", "/sessions/{}/agents"])
def test_every_mark_says_what_it_means(page: Page, app: str, longest: str, path: str) -> None:
    page.goto(f"{app}{path.format(longest)}")
    expect(page.locator("main")).to_be_visible()

    assert page.evaluate(UNNAMED) == []


@pytest.mark.parametrize("path", ["/sessions", "/sessions/{}"])
def test_the_help_has_a_legend(page: Page, app: str, longest: str, path: str) -> None:
    watched = watch(page)
    page.goto(f"{app}{path.format(longest)}")
    page.keyboard.press("?")
    legend = page.locator("dialog[open] .marks")

    for mark in ("✗", "≥, 9+", "12 k → 340", "≈", "● ◆ ○"):
        expect(legend.get_by_text(mark, exact=True)).to_have_count(1)
    assert find_violations(page) == []
    assert watched.errors == []
