"""The list of sessions: rows of one height, suggestions, chips, several sessions at once."""

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from clew.render.site import APP
from tests.browser.chromium import watch
from tests.browser.many import title_of
from tests.browser.waiting import wait_for_frames
from tests.build import SessionBuilder
from tests.web.serving import client_for, serving, settings_for

pytestmark = pytest.mark.slow

ROWS = "[data-session]"
HEIGHTS = "rows => [...new Set(rows.map((row) => row.getBoundingClientRect().height))]"


def titles(page: Page) -> list[str]:
    return page.locator(f"{ROWS} .title").all_text_contents()


@pytest.fixture
def quiet(page: Page) -> Iterator[Page]:
    """Give a page on which no script may fail."""
    watched = watch(page)
    yield page
    assert watched.errors == []


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_rows_have_one_height_which_pointing_does_not_change(
    browser: Browser, app: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"{app}{APP.sessions}?group=project")
    rows = page.locator(ROWS)
    [height] = rows.evaluate_all(HEIGHTS)
    before = rows.last.bounding_box()
    for number in range(3):
        rows.nth(number).hover()

    assert rows.evaluate_all(HEIGHTS) == [height]
    assert rows.last.bounding_box() == before
    assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


@pytest.mark.parametrize("width", [1280, 700])
def test_rows_keep_their_columns_on_paper(quiet: Page, app: str, width: int) -> None:
    quiet.set_viewport_size({"width": width, "height": 900})
    for address in (APP.sessions, f"{APP.sessions}?group=project"):
        quiet.goto(f"{app}{address}")
        on_screen = quiet.locator(f"{ROWS} .what").first.bounding_box()
        quiet.emulate_media(media="print")
        when, what = (
            quiet.locator(f"{ROWS} {place}").first.bounding_box() for place in (".when", ".what")
        )
        quiet.emulate_media(media="screen")

        assert on_screen is not None
        assert when is not None
        assert what is not None
        assert when["x"] + when["width"] <= what["x"]
        assert what["width"] > 0.8 * on_screen["width"]


def test_a_title_keeps_half_of_a_narrow_row(browser: Browser, app: str) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 900})
    page = context.new_page()
    for address in (APP.sessions, f"{APP.sessions}?group=project"):
        page.goto(f"{app}{address}")
        row, what = (page.locator(place).first.bounding_box() for place in (ROWS, f"{ROWS} .what"))
        assert row is not None
        assert what is not None
        assert what["width"] >= row["width"] / 2
        assert page.locator(ROWS).first.evaluate(
            "row => row.querySelector('.cost').getBoundingClientRect().right"
            " <= row.getBoundingClientRect().right + 1"
        )
    context.close()


def test_every_number_of_a_row_leads_to_what_it_counts(
    quiet: Page, app: str, client: httpx.Client
) -> None:
    found = client.get("/api/sessions", params={"sort": "errors", "limit": 1}).json()
    session = found["sessions"][0]
    for name, place in (
        ("errors", f"/search?q=is%3Aerror+in%3Aall&session={session['id']}"),
        ("calls", f"/sessions/{session['id']}?detail=tools"),
        ("length", f"/sessions/{session['id']}/timeline"),
        ("tokens", f"/sessions/{session['id']}/context"),
        ("cost", f"/usage?session={session['id']}"),
    ):
        quiet.goto(f"{app}{APP.sessions}")
        quiet.locator(f"[data-session='{session['id']}'] .{name} a").click()
        quiet.wait_for_url(re.compile(re.escape(app + place)))
    quiet.goto(f"{app}/search?q=is%3Aerror+in%3Aall&session={session['id']}")
    expect(quiet.locator("[data-hit]")).not_to_have_count(0)


def test_a_heading_leads_to_its_sessions(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}{APP.sessions}?group=project")
    group = quiet.locator("[data-group]").nth(1)
    count = group.locator(ROWS).count()
    group.locator(".totals a").first.click()

    expect(quiet.locator(ROWS)).to_have_count(count)
    expect(quiet.get_by_title("Remove this filter")).to_contain_text("Repository")


def test_filters_and_values_are_suggested(quiet: Page, many: str) -> None:
    quiet.goto(f"{many}{APP.sessions}")
    box = quiet.get_by_role("combobox", name="Filter sessions")
    box.press_sequentially("proj")
    options = quiet.locator("#suggestions [role=option]")
    expect(options.first).to_contain_text("project:")
    expect(box).to_have_attribute("aria-expanded", "true")
    box.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    expect(options).to_have_count(5)
    box.press_sequentially("quar")
    expect(options).to_have_count(1)
    box.press("ArrowDown")
    box.press("Enter")

    expect(box).to_have_value("project:/home/dev/code/quarry ")
    expect(quiet.locator("[data-total]")).to_have_text("400 sessions")
    expect(quiet.get_by_role("listbox")).to_be_hidden()
    chip = quiet.get_by_title("Remove this filter")
    expect(chip).to_contain_text("Project /home/dev/code/quarry")
    chip.focus()
    quiet.keyboard.press("Delete")
    expect(quiet.locator("[data-total]")).to_have_text("2,000 sessions")


def test_escape_closes_what_is_suggested_first(quiet: Page, many: str) -> None:
    quiet.goto(f"{many}{APP.sessions}")
    box = quiet.locator("#text")
    box.press_sequentially("is:")
    expect(quiet.locator("#suggestions [role=option]")).to_have_count(3)
    box.press("Escape")
    expect(quiet.get_by_role("listbox")).to_be_hidden()
    expect(box).to_be_focused()
    box.press("Escape")

    expect(box).not_to_be_focused()


def test_a_chip_begins_a_filter_in_the_box(quiet: Page, many: str) -> None:
    quiet.goto(f"{many}{APP.sessions}")
    quiet.get_by_role("link", name="Project…").click()
    expect(quiet.locator("#text")).to_have_value("project:")
    quiet.locator("#suggestions").get_by_text("lantern").first.click()

    expect(quiet.locator("[data-total]")).to_have_text("400 sessions")
    quiet.get_by_role("link", name="Last 7 days").click()
    expect(quiet.get_by_title("Remove this filter")).to_have_count(2)


def test_the_other_filters_are_behind_more(quiet: Page, many: str) -> None:
    quiet.goto(f"{many}{APP.sessions}")
    expect(quiet.get_by_label("Tool", exact=True)).to_be_hidden()
    quiet.get_by_text("More", exact=True).click()
    quiet.get_by_label("Tool", exact=True).fill("Bash")
    with client_for(many) as client:
        total = client.get("/api/sessions", params={"tool": "Bash"}).json()["total"]

    assert 0 < total < 1000
    expect(quiet.locator("[data-total]")).to_have_text(f"{total} sessions")
    expect(quiet.locator("#values-tool option[value=Bash]")).to_have_count(1)


def test_the_list_is_filtered_without_scripts(browser: Browser, app: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{app}{APP.sessions}")
    page.locator("#text").fill("project:ferry -is:error")
    page.get_by_role("button", name="Filter").click()

    expect(page.get_by_title("Remove this filter")).to_have_count(2)
    shown = page.locator(f"{ROWS} .where").all_text_contents()
    assert shown
    assert all("ferry" in text for text in shown)
    expect(page.locator(".pick").first).to_be_hidden()
    page.get_by_title("Remove this filter").first.click()
    expect(page.get_by_title("Remove this filter")).to_have_count(1)
    context.close()


def test_several_sessions_are_selected_by_mouse_and_keys(quiet: Page, many: str) -> None:
    quiet.goto(f"{many}{APP.sessions}")
    boxes, bar = quiet.locator("[data-pick]"), quiet.get_by_role("region", name="Selected sessions")
    expect(bar).to_be_hidden()
    boxes.nth(1).check()
    expect(bar).to_contain_text("1 selected")
    expect(bar.get_by_role("link", name="Compare")).to_be_hidden()
    boxes.nth(4).click(modifiers=["Shift"])
    expect(bar).to_contain_text("4 selected")
    boxes.nth(2).uncheck()
    boxes.nth(3).uncheck()
    expect(bar.get_by_role("link", name="Compare")).to_be_visible()
    quiet.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    quiet.keyboard.press("/")
    quiet.keyboard.press("Escape")
    quiet.keyboard.press("j")
    quiet.keyboard.press("x")
    quiet.keyboard.press("j")
    quiet.keyboard.press("j")
    quiet.keyboard.press("Shift+X")

    expect(bar).to_contain_text("3 selected")
    quiet.get_by_label("Sort by").select_option("title")
    expect(quiet.locator(f"{ROWS} .title").first).to_contain_text(title_of(0))
    expect(bar).to_contain_text("3 selected")


def test_two_selected_sessions_are_compared(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}{APP.sessions}")
    ids = [str(row.get_attribute("data-session")) for row in quiet.locator(ROWS).all()[:2]]
    for box in quiet.locator("[data-pick]").all()[:2]:
        box.check()
    quiet.get_by_role("link", name="Compare").click()

    quiet.wait_for_url(f"{app}/compare?a={ids[1]}&b={ids[0]}")


def session(number: int, hour: int, *more: str) -> SessionBuilder:
    built = SessionBuilder(f"moving-{number}").at(f"2026-11-01T{hour:02}:00:00Z")
    for text in (f"Prompt of {number}", *more):
        built.user(text).assistant("Done.")
    return built


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Give the address of an app that follows a root, and the root."""
    root = tmp_path / "root"
    for number in range(3):
        session(number, 9 + number).write(root)
    with serving(settings_for(tmp_path / "archive", root, is_followed=True)) as address:
        yield address, root


def test_rows_do_not_move_under_the_pointer(quiet: Page, growing: tuple[str, Path]) -> None:
    address, root = growing
    quiet.goto(f"{address}{APP.sessions}")
    before = ["Prompt of 2", "Prompt of 1", "Prompt of 0"]
    expect(quiet.locator(f"{ROWS} .title")).to_have_text(before)
    quiet.locator(ROWS).nth(1).hover()
    session(3, 20).write(root)
    news = quiet.get_by_role("button", name="Show new sessions")
    expect(news).to_be_visible()
    wait_for_frames(quiet)

    assert titles(quiet) == before
    quiet.mouse.move(5, 5)
    expect(quiet.locator(f"{ROWS} .title")).to_have_text(["Prompt of 3", *before])
    expect(news).to_be_hidden()


def test_what_is_selected_stays_when_sessions_grow(quiet: Page, growing: tuple[str, Path]) -> None:
    address, root = growing
    quiet.goto(f"{address}{APP.sessions}")
    quiet.locator(ROWS, has_text="Prompt of 1").locator("[data-pick]").check()
    quiet.locator("#text").focus()
    quiet.mouse.move(5, 5)
    session(4, 21).write(root)
    expect(quiet.locator(ROWS)).to_have_count(4)

    expect(quiet.locator(ROWS, has_text="Prompt of 1").locator("[data-pick]")).to_be_checked()
    expect(quiet.locator("[data-pick]:checked")).to_have_count(1)


def test_running_sessions_are_one_click_away(quiet: Page, growing: tuple[str, Path]) -> None:
    address, root = growing
    now = dt.datetime.now(dt.UTC)
    SessionBuilder("now").at(now.isoformat()).user("What runs").assistant("I do.").write(root)
    quiet.goto(f"{address}{APP.sessions}")
    expect(quiet.locator(ROWS)).to_have_count(4)
    quiet.get_by_role("link", name="Running", exact=True).click()

    expect(quiet.locator(f"{ROWS} .title")).to_have_text(["What runs"])
    expect(quiet.get_by_title("Remove this filter")).to_contain_text("Running")
