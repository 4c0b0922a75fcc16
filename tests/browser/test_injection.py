"""Nothing in a transcript runs, asks for anything, or breaks out of its place."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

import clew
from clew.render.html import render_html
from clew.view import ViewOptions, make_page
from tests.browser.chromium import watch
from tests.browser.hostile import ATTACKS, write_hostile
from tests.browser.waiting import wait_for_frames
from tests.recordings import HERE

pytestmark = pytest.mark.slow

SCENARIOS = ("2.1.325/subagent", "2.1.325/tui-commands", "2.1.325/web", "2.1.325/tui-plan")
UNSAFE = (Path(__file__).parent / "unsafe.js").read_text("utf-8")


CASES = [
    *(("2.1.325/plain", name, payload) for name, payload in ATTACKS.items()),
    *((scenario, "all", " ".join(ATTACKS.values())) for scenario in SCENARIOS),
]


@pytest.mark.parametrize(
    ("scenario", "payload"),
    [pytest.param(scenario, payload, id=f"{name}-{scenario}") for scenario, name, payload in CASES],
)
def test_a_hostile_session_does_nothing_in_a_browser(
    page: Page, tmp_path: Path, scenario: str, payload: str
) -> None:
    transcript = next(write_hostile(HERE / scenario / "root", tmp_path / "root", payload))
    shown = make_page(clew.load(transcript), ViewOptions())
    file = tmp_path / "page.html"
    file.write_text("".join(render_html(shown)), "utf-8", errors="strict")
    watched = watch(page)

    page.goto(file.as_uri())
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    wait_for_frames(page)

    assert page.evaluate("window.pwned") is None
    assert watched.dialogs == []
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith(("file:", "data:"))] == []
    assert page.evaluate(UNSAFE) == []
    assert page.locator("h1").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
