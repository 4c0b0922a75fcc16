"""Ten things that people want of the app, done through its pages, and what each of them took.

    uv run python -m tests.browser.tasks

prints a table. Each starts at home of an app that was just started.
"""

import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.browser import workplace
from tests.browser.chromium import launch
from tests.browser.workplace import Workplace, make_workplace
from tests.web.serving import PATIENCE, serving

MOST_CLICKS: Final = 4
"""Without a search; with one, a click opens what it found."""


class Reader:
    """Somebody at a page, whose clicks and searches are counted."""

    def __init__(self, page: Page, place: Workplace) -> None:
        self.page = page
        self.place = place
        self.clicks = 0
        self.searches = 0

    def click(self, target: Locator) -> None:
        """Click something, and wait for what it leads to."""
        target.click()
        self.clicks += 1

    def link(self, name: str | re.Pattern[str]) -> Locator:
        """Find a link by its whole name, or a part of it."""
        return self.page.get_by_role("link", name=name, exact=isinstance(name, str)).first

    def search(self, words: str) -> None:
        """Search for words in the box that every page has."""
        self.page.get_by_label("Search or jump to a page").fill(words)
        self.searches += 1

    def open_found(self, words: str) -> None:
        """Open what the search found, by some of its words."""
        self.click(self.page.get_by_role("option").filter(has_text=words).first)

    def open(self, title: str) -> None:
        """Open a session that the page lists."""
        self.click(self.page.get_by_role("link", name=title).first)
        expect(self.page.get_by_role("heading", level=1)).to_contain_text(title)

    def open_older(self, title: str) -> None:
        """Open a session that is not among the last ones at home."""
        self.click(self.link("Sessions"))
        self.open(title)

    @property
    def is_quick(self) -> bool:
        """Tell whether it took at most four clicks, or one search."""
        most = MOST_CLICKS if not self.searches else 1
        return self.searches <= 1 and self.clicks <= most


def find_session_of_file(reader: Reader) -> None:
    """Find the session that touched a file."""
    reader.click(reader.link("Files"))
    reader.click(reader.link(re.compile(r"moorings\.py$")))
    reader.click(reader.link(workplace.TOUCHED))
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text(workplace.TOUCHED)
    assert reader.place.ids[workplace.TOUCHED] in reader.page.url


def see_changes_of_run(reader: Reader) -> None:
    """What did the agent run change?"""
    reader.open_older(workplace.RUN)
    reader.click(reader.link(re.compile("^Agents|^1 agent run$")))
    run = reader.page.get_by_role("row").filter(has_text="Rename the constants")
    reader.click(run.get_by_role("link", name=re.compile("^1 file")))
    expect(reader.page.locator("main")).to_contain_text("signals.py")
    expect(reader.page.locator("main")).to_contain_text("SIGNAL_RED")


def see_why_a_test_failed(reader: Reader) -> None:
    """Why did this test fail?"""
    reader.search(f"in:results {workplace.TEST}")
    reader.open_found(workplace.REASON)
    expect(reader.page.get_by_text(workplace.REASON).first).to_be_in_viewport()


def see_cost_of_yesterday(reader: Reader) -> None:
    """What did yesterday cost, and why?"""
    reader.click(reader.link("Usage"))
    day = reader.place.yesterday
    reader.click(
        reader.page.get_by_role("link", name=re.compile(rf"{day}|{day.day} {day:%b}")).last
    )
    rows = reader.page.locator("[data-session]")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text=workplace.DEAR)).to_contain_text(f"${reader.place.dear_usd:.2f}")
    reader.open(workplace.DEAR)
    reader.click(reader.link("Context"))
    expect(reader.page.locator("main")).to_contain_text("tides.csv")


def find_who_waits(reader: Reader) -> None:
    """Which session is waiting for me?"""
    row = reader.page.get_by_role("listitem").filter(has_text=workplace.WAITING).first
    expect(row).to_contain_text(re.compile("wait", re.IGNORECASE))
    reader.open(workplace.WAITING)
    expect(reader.page.get_by_text("Drop the table berths_2019 now?").first).to_be_visible()


def go_on_with_an_old_session(reader: Reader) -> None:
    """Go on with an old session."""
    reader.open_older(workplace.TOUCHED)
    reader.page.wait_for_load_state()
    reader.click(reader.page.get_by_role("button", name="Resume"))
    expect(reader.page.locator("[data-resume-said]")).to_contain_text("Copied")
    copied = reader.page.evaluate("navigator.clipboard.readText()")
    assert f"claude --resume {reader.place.ids[workplace.TOUCHED]}" in copied


def share_without_secrets(reader: Reader) -> None:
    """Share a session without its secrets."""
    reader.open_older(workplace.SHARED)
    reader.click(reader.link(re.compile("^Export")))
    expect(reader.page.get_by_role("heading", name=re.compile("^Masked"))).to_be_visible()
    with reader.page.expect_download() as saving:
        reader.click(reader.link(re.compile("^Save")))
    saved = Path(saving.value.path()).read_text("utf-8")
    assert workplace.PROMISE in saved
    assert workplace.SECRET not in saved


def find_a_decision(reader: Reader) -> None:
    """Where did we decide this?"""
    reader.search("departure UTC")
    reader.open_found("convert it on the board")
    expect(reader.page.get_by_text(workplace.DECIDED).first).to_be_in_viewport()
    assert reader.place.ids["decided"] in reader.page.url


def compare_attempts(reader: Reader) -> None:
    """Compare two attempts."""
    one, two = workplace.ATTEMPTS
    reader.open_older(one)
    reader.click(reader.link(re.compile("^Compare")))
    reader.click(reader.link(re.compile(two)))
    for title in (one, two):
        expect(reader.page.locator(".compared-sessions")).to_contain_text(title)
    for way in ("heap", "index"):
        expect(reader.page.locator("main")).to_contain_text(f"find = {way}")


def see_what_filled_the_context(reader: Reader) -> None:
    """What filled the context?"""
    reader.open(workplace.DEAR)
    reader.click(reader.link("Context"))
    largest = reader.page.get_by_role("region", name="What could have been left out")
    expect(largest.get_by_role("row").nth(1)).to_contain_text("tides.csv")


TASKS: Final[tuple[Callable[[Reader], None], ...]] = (
    find_session_of_file,
    see_changes_of_run,
    see_why_a_test_failed,
    see_cost_of_yesterday,
    find_who_waits,
    go_on_with_an_old_session,
    share_without_secrets,
    find_a_decision,
    compare_attempts,
    see_what_filled_the_context,
)


class Taken(msgspec.Struct, frozen=True):
    """What a task took."""

    question: str
    clicks: int
    searches: int
    seconds: float
    is_quick: bool


def do(task: Callable[[Reader], None], browser: Browser, place: Workplace) -> Taken:
    """Start an app and do a task in it, from home."""
    with serving(place.settings()) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        began = time.perf_counter()
        page.goto(address)
        reader = Reader(page, place)
        task(reader)
        seconds = time.perf_counter() - began
        context.close()
    question = (task.__doc__ or "").strip()
    return Taken(question, reader.clicks, reader.searches, seconds, reader.is_quick)


def main() -> int:
    """Do all tasks; print what each took."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = make_workplace(Path(folder))
        browser = launch(playwright)
        print(f"{'task':<45} clicks searches seconds")  # noqa: T201
        is_quick = True
        for task in TASKS:
            taken = do(task, browser, place)
            figures = f"{taken.clicks:6} {taken.searches:8} {taken.seconds:7.1f}"
            print(f"{taken.question:<45} {figures}")  # noqa: T201
            is_quick &= taken.is_quick
        browser.close()
    return 0 if is_quick else 1


if __name__ == "__main__":
    raise SystemExit(main())
