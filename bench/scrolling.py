"""A long session in a real browser → what its page holds after it was scrolled to its end."""

import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.archives import in_archive, make_archive
from bench.child import Given
from bench.contestant import Contestant, Limit, Run
from bench.own_folders import one_conversation, one_session
from bench.pages import MESSAGES
from bench.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Playwright is imported inside, as what a contest does not need is not loaded.
# ruff: noqa: PLC0415

CHROMIUM: Final = "chromium"
RICH_MB: Final = 30
_WIDTH: Final = 1280
_HEIGHT: Final = 800
_PATIENCE_MS: Final = 120_000
# What Chromium counts as a layout shift, from the beginning of the page on.
_WATCH: Final = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
_SETTLED: Final = """() => {
  const isAway = (place) => {
    const box = place.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  };
  return ![...document.querySelectorAll("[data-waiting]")].some(isAway);
}"""
_IS_END: Final = "() => innerHeight + scrollY >= document.documentElement.scrollHeight - 4"
_NODES: Final = """() => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  let count = 1;
  while (walker.nextNode()) count += 1;
  return count;
}"""
_LARGEST: Final = """() => Math.max(...[...document.querySelectorAll("[data-section]")]
  .map((section) => section.getElementsByTagName("*").length))"""


def clew_scrolled() -> Run:
    """Scroll the page of the longest session to its end, as a reader does."""

    def run(given: Given) -> dict[str, float]:
        session = max(given.paths, key=lambda path: path.stat().st_size).stem
        command = [sys.executable, "-m", "clew", "serve", "--no-sync", "--port", "0"]
        environ = {**os.environ, **in_archive(given.folder)}
        with serving(command, environ) as (address, _):
            return in_browser(partial(_read_to_end, address=f"{address}/sessions/{session}"))

    return run


def in_browser(measure: "Callable[[Page], dict[str, float]]") -> dict[str, float]:
    """Measure a new page of the system's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which(CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
            page.set_default_timeout(_PATIENCE_MS)
            return measure(page)
        finally:
            browser.close()


def _read_to_end(page: "Page", address: str) -> dict[str, float]:
    page.add_init_script(_WATCH)
    page.goto(address)
    most = largest = 0
    page.mouse.move(_WIDTH / 2, _HEIGHT / 2)
    while not page.evaluate(_IS_END):
        page.mouse.wheel(0, 2 * _HEIGHT)
        page.wait_for_timeout(30)
        page.wait_for_function(_SETTLED)
        most = max(most, page.evaluate("document.getElementsByTagName('*').length"))
        largest = max(largest, page.evaluate(_LARGEST))
    # What is far away goes when the reader has come to rest.
    page.wait_for_timeout(1000)
    return {
        "nodes": page.evaluate(_NODES),
        "most elements": most,
        "in a section": largest,
        "heap MB": _heap_bytes(page) / 1e6,
        "shift": page.evaluate("window.shift"),
    }


def _heap_bytes(page: "Page") -> float:
    """Count the bytes of the scripts' objects that are in use."""
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    usage = tools.send("Runtime.getHeapUsage")
    return float(usage["usedSize"])


def _scrolled(name: str, does: str, place: Callable[[], Path]) -> Contestant:
    return Contestant(
        name,
        "page",
        does,
        prepare=clew_scrolled,
        place=place,
        setup=make_archive,
        limits=(
            Limit("nodes", 40_000),
            Limit("heap MB", 30),
            Limit("shift", 0.1),
            Limit("in a section", 10_000),
        ),
        needs=CHROMIUM,
    )


SCROLLING: Final = (
    _scrolled(
        "clew read to the end",
        f"{MESSAGES:,} messages in Chromium",
        partial(one_conversation, MESSAGES),
    ),
    _scrolled(
        "clew read to the end, long results",
        f"one session of {RICH_MB} MB in Chromium",
        partial(one_session, RICH_MB * 1_000_000),
    ),
)
