"""Agent runs in a browser: from a call and a lane to a run, the timeline, resume and take back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from clew.archive import open_archive
from clew.store import Home
from clew.web import Settings
from tests.browser.axe import find_violations
from tests.browser.chromium import watch
from tests.browser.waiting import wait_for_frames
from tests.build import SessionBuilder
from tests.web.agents_session import write_agents
from tests.web.serving import PATIENCE, serving

MORE = 42


class Shown:
    """An app with a session of more than 40 runs, and one that can be resumed."""

    def __init__(self, address: str, session: str, resumable: str) -> None:
        self.session = f"{address}/sessions/{session}"
        self.resumable = f"{address}/sessions/{resumable}"
        self.resumable_id = resumable


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("many-agents")
    name = write_agents(folder / "claude", MORE)
    (folder / "work").mkdir()
    other = SessionBuilder("resumed", cwd=str(folder / "work")).user("Go").assistant("Gone.")
    other.write(folder / "claude")
    home = Home(folder / "home")
    with open_archive(home) as archive:
        archive.sync([folder / "claude"])
    with serving(Settings(port=0, location=home, is_followed=False)) as address:
        yield Shown(address, name, other.session_id)


@pytest.fixture
def timeline(page: Page, shown: Shown) -> Iterator[Page]:
    """Open the timeline; no script may fail on it."""
    watched = watch(page)
    page.goto(f"{shown.session}/timeline")
    yield page
    assert watched.errors == []


@pytest.fixture
def narrow(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 390, "height": 800}, locale="en-GB")
    made.set_default_timeout(PATIENCE * 1000)
    yield made
    made.close()


def width_of(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box is not None
    return box["width"]


def bars(page: Page) -> Locator:
    return page.locator("[data-chart] a:has(rect.model)")


def test_a_call_leads_to_its_run_and_on_to_what_it_changed(page: Page, shown: Shown) -> None:
    page.goto(shown.session)
    call = page.locator("details.tool-call", has_text="Outer work").first
    page.locator(".called", has=call).locator("> .own-page").first.click()

    expect(page).to_have_url(re.compile("/runs/"))
    expect(page.locator("h1")).to_have_text("Outer work")
    page.get_by_role("link", name="What it changed").click()
    expect(page.locator(".changed-file")).to_have_count(1)
    expect(page.locator(".changed-file h2")).to_contain_text("main.py")


def test_rows_of_runs_hinder_nobody(page: Page, shown: Shown) -> None:
    page.goto(shown.session)
    call = page.locator("details.tool-call", has_text="Outer work").first
    expect(call).to_be_visible()
    assert find_violations(page) == []
    call.locator("> summary").click()
    expect(call.locator("details.agent-run").first).to_be_visible()

    assert find_violations(page) == []
    page.keyboard.press("f")
    page.get_by_label("Only calls of this tool").select_option("Write")
    expect(page.locator("details.tool-call", has_text="Part 0").first).to_be_hidden()
    links = page.locator(".called > .own-page").locator("visible=true")
    folded = page.locator(".called > details").locator("visible=true")
    assert links.count() == folded.count()


def test_the_tree_opens_on_the_session_and_leads_to_every_run(page: Page, shown: Shown) -> None:
    page.goto(shown.session)
    fold = page.locator("#run-fold")
    expect(fold.locator("> summary")).to_contain_text("45 runs")
    fold.locator("> summary").click()

    rows = fold.get_by_role("rowheader")
    expect(rows).to_have_count(3 + MORE)
    expect(fold).to_contain_text("3 suggestions, 1 warm-up")
    rows.nth(1).get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("Inner work")
    page.get_by_role("link", name="Parent run").click()
    expect(page.locator("h1")).to_have_text("Outer work")
    page.get_by_role("link", name="Next run").click()
    expect(page.locator("h1")).to_have_text("Inner work")


def test_a_row_of_the_tree_says_how_long_a_run_took(page: Page, shown: Shown) -> None:
    page.goto(f"{shown.session}/agents")

    row = page.get_by_role("row", name=re.compile("Slow count"))
    expect(row.get_by_role("cell").nth(1)).to_have_text(re.compile(r"1 min 2\d s|1 min 3\d s"))


def test_what_the_client_started_is_folded(page: Page, shown: Shown) -> None:
    page.goto(f"{shown.session}/agents#hidden-runs")
    folded = page.locator("#hidden-runs table")
    expect(folded).to_be_hidden()
    page.locator("#hidden-runs > summary").click()
    expect(folded.get_by_role("rowheader")).to_have_count(4)


def test_lanes_have_names_that_stay_out_of_the_chart(timeline: Page, shown: Shown) -> None:
    names = timeline.locator(".lane-names li")
    expect(names).to_have_count(1 + 3 + MORE + 1)
    expect(names.last).to_contain_text("3 suggestions, 1 warm-up")
    for n in (0, 2, 20):
        name, chart = names.nth(n).bounding_box(), timeline.locator("[data-chart]").bounding_box()
        assert name is not None
        assert chart is not None
        assert name["x"] + name["width"] <= chart["x"] + 1
    timeline.get_by_role("link", name="planner: Outer work", exact=True).click()
    expect(timeline).to_have_url(re.compile(f"{re.escape(shown.session)}/runs/"))


def test_dragging_selects_a_span_and_the_address_keeps_it(timeline: Page) -> None:
    box = timeline.locator("[data-timeline]").bounding_box()
    assert box is not None
    before = width_of(timeline.locator("[data-chart]"))
    y = box["y"] + 100
    timeline.mouse.move(box["x"] + 400, y)
    timeline.mouse.down()
    timeline.mouse.move(box["x"] + 450, y, steps=4)
    timeline.mouse.move(box["x"] + 500, y, steps=4)
    timeline.mouse.up()

    expect(timeline).to_have_url(re.compile("from=.*&to="))
    wide = width_of(timeline.locator("[data-chart]"))
    assert wide > 4 * before
    seen = timeline.locator("[data-timeline]").evaluate("(box) => box.scrollLeft")
    timeline.reload()
    expect(timeline.locator("[data-zoom=all]")).to_be_enabled()
    assert abs(width_of(timeline.locator("[data-chart]")) - wide) < 0.05 * wide
    again = timeline.locator("[data-timeline]").evaluate("(box) => box.scrollLeft")
    assert abs(again - seen) < 0.05 * seen + 5
    timeline.get_by_role("button", name="Show everything").click()
    expect(timeline).not_to_have_url(re.compile("from="))
    assert abs(width_of(timeline.locator("[data-chart]")) - before) < 2


def test_a_part_that_is_seen_has_whole_labels_and_keys_lead_out_of_it(timeline: Page) -> None:
    box = timeline.locator("[data-timeline]").bounding_box()
    assert box is not None
    for _ in range(3):
        timeline.get_by_role("button", name="Zoom in").click()
    timeline.mouse.click(5, 5)
    expect(timeline).to_have_url(re.compile("from="))
    expect(timeline.locator("body")).to_be_focused()
    axis = timeline.locator("[data-axis] text:not(.day)")
    left = timeline.locator("[data-timeline]").evaluate(
        "(box) => box.getBoundingClientRect().left + box.querySelector('.lane-names').offsetWidth"
    )

    for scrolled in range(100, 900, 37):
        timeline.locator("[data-timeline]").evaluate(
            "(box, x) => { box.scrollLeft = x; }", scrolled
        )
        wait_for_frames(timeline)
        places = axis.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().left)")
        assert [place for place in places if place < left] == []
    timeline.keyboard.press("0")
    expect(timeline).not_to_have_url(re.compile("from="))


def test_a_drag_that_ends_on_a_bar_does_not_open_it(timeline: Page) -> None:
    bar = bars(timeline).first.bounding_box()
    assert bar is not None
    address = timeline.url.partition("?")[0]
    timeline.mouse.move(bar["x"] + 200, bar["y"] + 4)
    timeline.mouse.down()
    timeline.mouse.move(bar["x"] + 1, bar["y"] + 4, steps=5)
    timeline.mouse.up()

    expect(timeline).to_have_url(re.compile("from="))
    assert timeline.url.startswith(address)


def test_wheel_keys_and_buttons_zoom(timeline: Page) -> None:
    chart = timeline.locator("[data-chart]")
    widths = [width_of(chart)]
    chart.hover(position={"x": 300, "y": 40})
    timeline.keyboard.down("Control")
    timeline.mouse.wheel(0, -300)
    timeline.keyboard.up("Control")
    expect(timeline.locator("[data-zoom=out]")).to_be_enabled()
    widths.append(width_of(chart))
    timeline.locator("[data-timeline]").press("+")
    widths.append(width_of(chart))
    timeline.get_by_role("button", name="Zoom in").click()
    widths.append(width_of(chart))
    assert widths == sorted(set(widths))
    timeline.locator("[data-timeline]").press("0")
    assert abs(width_of(chart) - widths[0]) < 2
    expect(timeline.locator("[data-zoom=all]")).to_be_disabled()


def test_the_wheel_alone_scrolls_the_page_or_the_lanes(timeline: Page) -> None:
    chart = timeline.locator("[data-chart]")
    before = width_of(chart)
    chart.hover(position={"x": 300, "y": 40})
    timeline.mouse.wheel(0, 200)
    wait_for_frames(timeline)

    assert width_of(chart) == before


def test_the_map_selects_and_moves(timeline: Page) -> None:
    drawn = timeline.locator("[data-timeline-map] svg").bounding_box()
    assert drawn is not None
    middle = drawn["y"] + 15
    timeline.mouse.move(drawn["x"] + 100, middle)
    timeline.mouse.down()
    timeline.mouse.move(drawn["x"] + 200, middle, steps=4)
    timeline.mouse.up()
    window = timeline.locator("[data-timeline-map] .seen")
    expect(timeline).to_have_url(re.compile("from="))
    assert abs(width_of(window) - 100) < 30
    left = timeline.locator("[data-timeline]").evaluate("(box) => box.scrollLeft")
    timeline.mouse.move(drawn["x"] + 150, middle)
    timeline.mouse.down()
    timeline.mouse.move(drawn["x"] + 350, middle, steps=4)
    timeline.mouse.up()
    wait_for_frames(timeline)

    moved = timeline.locator("[data-timeline]").evaluate("(box) => box.scrollLeft")
    assert moved > left
    assert abs(width_of(window) - 100) < 30


def test_keys_reach_every_bar_and_say_its_name(timeline: Page) -> None:
    stops = timeline.locator("[data-chart] a[tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    reached = set()
    for _ in range(400):
        lane, at = timeline.evaluate(
            "[document.activeElement.dataset.lane, document.activeElement.dataset.t]"
        )
        if (lane, at) in reached:
            break
        reached.add((lane, at))
        timeline.keyboard.press("ArrowRight")
    of_lane = timeline.locator("[data-chart] a[data-lane='0']").evaluate_all(
        "(links) => links.map((link) => link.dataset.t)"
    )
    assert {at for _, at in reached} == set(of_lane)
    for _ in range(MORE + 10):
        timeline.keyboard.press("ArrowDown")
    last = timeline.evaluate("document.activeElement.dataset.lane")
    assert int(last) == 1 + 3 + MORE
    expect(stops).to_have_count(1)
    expect(timeline.locator("[data-reading]")).to_contain_text(re.compile("Suggestion|Warm-up"))
    named = timeline.get_by_role("link", name=re.compile("^(Suggestion|Warm-up), 2.0 s"))
    expect(named.first).to_be_attached()
    timeline.keyboard.press("Enter")
    expect(timeline).to_have_url(re.compile("/runs/"))


def test_long_pauses_are_folded_and_say_how_long(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}/timeline")
    strips = page.locator("[data-idle-strip]")
    expect(strips.first).to_contain_text(re.compile(r"\d+ (min|h|d)"))
    before = width_of(strips.first.locator("rect"))
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").click()

    assert abs(width_of(strips.first.locator("rect")) - before) < 1


def test_a_narrow_window_shows_names_and_chart(narrow: BrowserContext, shown: Shown) -> None:
    page = narrow.new_page()
    watched = watch(page)
    for place in ("timeline", "agents", "changes"):
        page.goto(f"{shown.session}/{place}")
        wait_for_frames(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto(f"{shown.session}/timeline")
    assert width_of(page.locator(".lane-names")) < 130
    before = width_of(page.locator("[data-chart]"))
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator("[data-zoom=all]")).to_be_enabled()
    assert width_of(page.locator("[data-chart]")) > before
    assert watched.errors == []


def test_resume_copies_the_command(context: BrowserContext, page: Page, shown: Shown) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(shown.resumable)
    button = page.get_by_role("button", name="Copy resume command")
    before = page.locator("h1").bounding_box()
    button.click()

    expect(page.locator("[data-resume-said]")).to_have_text(re.compile("^Copied"))
    assert page.locator("h1").bounding_box() == before
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("cd ")
    assert copied.endswith(f"claude --resume {shown.resumable_id}")


def test_what_takes_it_back_is_two_clicks_away(
    context: BrowserContext, page: Page, shown: Shown
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(shown.session)
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Take back").click()
    expect(page.locator("#take-back")).to_be_visible()
    expect(page.locator("#take-back")).to_contain_text("This patch takes back")
    page.get_by_role("button", name="Copy the patch that takes it back").click()
    expect(page.locator("#take-back button")).to_have_text("Copied")

    copied = page.evaluate("navigator.clipboard.readText()")
    assert "deleted file mode" in copied
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the patch that takes it back").click()
    assert Path(saved.value.suggested_filename).name.endswith("-reverse.patch")


def test_a_phone_shows_the_whole_line_of_a_run_in_the_background(
    narrow: BrowserContext, shown: Shown
) -> None:
    page = narrow.new_page()
    page.goto(shown.session)
    row = page.locator(".tool-call summary", has_text="Slow count").first
    expect(row).to_contain_text("background")

    link = page.locator(".called", has=row).locator("> .own-page").last.bounding_box()
    assert link is not None
    assert link["x"] + link["width"] <= 390
    wait_for_frames(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
