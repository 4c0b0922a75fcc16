"""Waiting for what a page shows, never for a time."""

from playwright.sync_api import Locator, Page

_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# What is far away has a guessed height until it is drawn, so a page moves for some frames.
_SETTLED = """(element) => new Promise((done) => {
  let last = null;
  let still = 0;
  const look = () => {
    const { top } = element.getBoundingClientRect();
    still = top === last ? still + 1 : 0;
    last = top;
    if (still < 12) requestAnimationFrame(look); else done(top);
  };
  look();
})"""
_NEAR = "([element, top]) => Math.abs(element.getBoundingClientRect().top - top) <= 2"


def wait_for_frames(page: Page) -> None:
    """Wait until the page has been drawn as it is now."""
    page.evaluate(_FRAMES)


def settled_top(locator: Locator) -> float:
    """Wait until an element has stopped moving; return its distance from the top of the window."""
    return float(locator.evaluate(_SETTLED))


def expect_at(locator: Locator, top: float) -> None:
    """Wait until an element is this far from the top of the window, and stays there."""
    element = locator.element_handle()
    locator.page.wait_for_function(_NEAR, arg=[element, top])
    assert abs(settled_top(locator) - top) <= 2
