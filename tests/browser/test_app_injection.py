"""The app shows hostile sessions on every page, and nothing in them runs or asks for anything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import watch
from tests.browser.hostile import ATTACKS, write_hostile_root
from tests.browser.places import all_places
from tests.browser.waiting import wait_for_frames
from tests.recordings import HERE
from tests.web.serving import client_for, serving, settings_for

pytestmark = pytest.mark.slow

SCENARIOS = ("2.1.325/subagent", "2.1.325/tui-commands", "2.1.325/web", "2.1.325/tui-plan")
UNSAFE = (Path(__file__).parent / "unsafe.js").read_text("utf-8")
ALL = " ".join(ATTACKS.values())


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an app that keeps hostile sessions alone."""
    recordings = (HERE / scenario / "root" for scenario in SCENARIOS)
    root = write_hostile_root(tmp_path_factory.mktemp("hostile"), recordings, ALL)
    home = tmp_path_factory.mktemp("archive")
    with serving(settings_for(home, root)) as address:
        yield address


def test_nothing_of_a_hostile_archive_does_anything(page: Page, hostile: str) -> None:
    watched = watch(page)
    with client_for(hostile) as client:
        places = {**all_places(client), "hits": "/search?q=pwned"}
        places["exported hits"] = "/export?q=pwned"
        sessions = [s["id"] for s in client.get("/api/sessions").json()["sessions"]]
    del places["not there"], places["door"]
    places |= {f"session {number}": f"/sessions/{name}" for number, name in enumerate(sessions)}
    unsafe = {}
    for name, place in places.items():
        page.goto(hostile + place)
        expect(page.locator("[data-waiting]")).to_have_count(0)
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        wait_for_frames(page)
        assert page.evaluate("window.pwned") is None
        unsafe[name] = page.evaluate(UNSAFE) + page.evaluate(_OUT_OF_PLACE)

    assert {name: found for name, found in unsafe.items() if found} == {}
    assert watched.dialogs == []
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith((hostile, "data:"))] == []


def test_raw_lines_and_filters_of_a_hostile_session_do_nothing(page: Page, hostile: str) -> None:
    watched = watch(page)
    page.goto(f"{hostile}/sessions")
    page.locator("#text").fill("<img src=x onerror=alert(1)>")
    expect(page.get_by_text("No sessions match these filters.")).to_be_visible()
    page.locator("#text").fill("")
    page.locator("[data-session] .title").first.click()
    message = page.locator("main article").first
    message.hover()
    message.get_by_role("button", name="Show the raw lines").click()
    expect(message.locator("pre.raw")).to_contain_text("window.pwned")

    assert page.evaluate("window.pwned") is None
    assert watched.dialogs == []
    assert watched.errors == []


_OUT_OF_PLACE = """() => {
  const found = [];
  if (document.querySelectorAll("h1").length !== 1) found.push("another h1");
  if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the window");
  if (getComputedStyle(document.body).display === "none") found.push("hidden");
  return found;
}"""
