"""Home and the strip of running sessions, while sessions run."""

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import watch
from tests.browser.writer import Plan, write_lines
from tests.build import SessionBuilder, bash, tool_use
from tests.web.serving import serving, settings_for

pytestmark = pytest.mark.slow

DEMO = "/home/dev/code/demo"


def now(seconds: float = 0) -> str:
    return (dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)).isoformat()


def begun(name: str, prompt: str, cwd: str = DEMO) -> SessionBuilder:
    return SessionBuilder(name, cwd=cwd).at(now(-5)).user(prompt).tools(bash("ls", "a.py"))


def lines_of(builder: SessionBuilder, root: Path) -> Plan:
    """Give the lines of a session that are not on disk yet."""
    folder = root / "projects" / "-" / f"{builder.session_id}.jsonl"
    known = folder.read_bytes().count(b"\n") if folder.exists() else 0
    return [(folder, line) for line in builder.lines()[known:]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "claude"
    old = SessionBuilder("old", cwd=f"{DEMO}/.worktrees/2").at(now(-86400 * 3))
    old.user("Try it in a worktree").assistant("Done.")
    write_lines(lines_of(old, place))
    other = SessionBuilder("other", cwd="/home/dev/code/lantern").at(now(-86400 * 25))
    write_lines(lines_of(other.user("Light the lantern").assistant("Lit."), place))
    return place


@pytest.fixture
def running(root: Path, tmp_path: Path) -> Iterator[str]:
    with serving(settings_for(tmp_path / "archive", root, is_followed=True)) as address:
        yield address


def test_home_says_what_is_there(page: Page, running: str) -> None:
    watched = watch(page)
    page.goto(running)

    expect(page.locator("[data-strip-summary]")).to_have_text("Nothing is running")
    expect(page.get_by_role("navigation").get_by_role("link", name="Home")).to_have_attribute(
        "aria-current", "page"
    )
    headings = page.locator(".home-project h2 > a")
    expect(headings).to_have_text(["demo", "lantern"])
    expect(page.locator(".worktrees")).to_have_text("Worktrees: 2 (1)")
    week = page.get_by_role("row", name="Last 7 days")
    week.get_by_role("link", name="1 session").click()
    expect(page).to_have_url(f"{running}/sessions?since=7d")
    expect(page.locator("[data-session]")).to_have_count(1)
    assert watched.errors == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_title_leaves_room_for_the_mark_of_a_running_session(
    page: Page, running: str, root: Path, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(running)
    write_lines(lines_of(begun("live", "Fix the retry bug in the uploader " * 8), root))
    row = page.locator(".home-sessions [data-session]", has_text="Fix the retry bug")
    mark = row.locator(".pulse")
    expect(mark).to_have_count(1)

    place, length = mark.bounding_box(), row.locator("> .figure").last.bounding_box()
    assert place is not None
    assert length is not None
    assert mark.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    reached = mark.evaluate(
        "(one) => { const at = one.getBoundingClientRect(); return one.parentElement"
        ".getBoundingClientRect().right >= at.right; }"
    )
    assert reached
    rows = page.locator(".home-sessions li")
    assert len(set(rows.evaluate_all("(all) => all.map((one) => one.offsetHeight)"))) == 1
    apart = rows.evaluate_all(
        "(all) => all.map((row) => { const [at, title] = ['time', '.title'].map((one) =>"
        " row.querySelector(one).getBoundingClientRect()); return title.top + title.height / 2"
        " - at.top - at.height / 2; })"
    )
    assert max(map(abs, apart)) < 4


def test_the_cost_of_a_period_is_in_sight_on_a_phone(page: Page, running: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(running)
    week = page.get_by_role("row", name="Last 7 days")
    place = week.get_by_role("link").last.bounding_box()

    assert place is not None
    assert place["x"] + place["width"] <= 390
    assert page.locator(".home-periods").evaluate("one => one.scrollWidth <= one.clientWidth")


def test_what_was_today_has_an_hour(page: Page, running: str, root: Path) -> None:
    page.goto(running)
    old = page.locator("[data-session]", has_text="Try it in a worktree").locator("time")
    expect(old).to_have_text(re.compile(r"^\d+ \w+ \d{4}$"))
    write_lines(lines_of(begun("live", "Fix the retry bug"), root))
    new = page.locator("[data-session]", has_text="Fix the retry bug").locator("time")

    expect(new).to_have_text(re.compile(r"^\d\d:\d\d$"))


def test_a_session_that_begins_is_seen_and_changes_its_state(
    page: Page, running: str, root: Path
) -> None:
    page.goto(running)
    expect(page.locator("[data-strip-summary]")).to_have_text("Nothing is running")
    builder = begun("live", "Fix the retry bug")
    write_lines(lines_of(builder, root))
    row = page.locator("[data-strip-session]")

    expect(row).to_have_count(1)
    expect(row.locator(".strip-state")).to_have_text("working")
    expect(row.locator(".title")).to_have_text("Fix the retry bug")
    expect(row.locator(".strip-action")).to_have_text("Bash ls")
    expect(row.locator(".strip-fill")).to_contain_text("% full")
    builder.at(now()).assistant(tool_use("AskUserQuestion", {"questions": []}))
    write_lines(lines_of(builder, root))
    expect(row.locator(".strip-state")).to_have_text("waits for you")
    expect(page.locator("[data-strip-summary]")).to_have_text("1 waits for you")
    status = page.locator(".live-strip + [role=status]")
    expect(status).to_have_text("Fix the retry bug waits for you")
    asked = page.locator("[data-tool=AskUserQuestion]")
    for link in (row.locator(".title"), row.get_by_role("link", name="waits for you")):
        link.click()
        expect(asked).to_be_in_viewport()
        page.goto(running)


def test_nothing_moves_below_the_pointer(page: Page, running: str, root: Path) -> None:
    builder = begun("live", "Fix the retry bug")
    write_lines(lines_of(builder, root))
    page.goto(running)
    rows = page.locator("[data-strip-session]")
    expect(rows).to_have_count(1)
    link = page.get_by_role("link", name="Light the lantern")
    link.hover()
    before = link.bounding_box()
    write_lines(lines_of(begun("second", "Write the docs"), root))

    more = page.locator("[data-strip-more]")
    expect(more).to_have_text("Show 1 more")
    expect(page.locator("[data-strip-summary]")).to_have_text("2 working")
    expect(rows).to_have_count(1)
    assert link.bounding_box() == before
    builder.at(now()).assistant("It is fixed.")
    write_lines(lines_of(builder, root))
    expect(rows.locator(".strip-state")).to_have_text("waits for you")
    assert link.bounding_box() == before
    more.click()
    expect(rows).to_have_count(2)
    expect(more).to_be_hidden()


def test_rows_are_arranged_when_the_pointer_leaves(page: Page, running: str, root: Path) -> None:
    builder, second = begun("live", "Fix the retry bug"), begun("second", "Write the docs")
    write_lines([*lines_of(builder, root), *lines_of(second, root)])
    page.goto(running)
    titles = page.locator("[data-strip-session] .title")
    expect(titles).to_have_count(2)
    titles.nth(0).hover()
    first, last = titles.all_inner_texts()
    waiting = builder if last == "Fix the retry bug" else second
    waiting.at(now()).assistant("It is done.")
    write_lines(lines_of(waiting, root))
    expect(page.locator("[data-strip-summary]")).to_have_text("1 waits for you, 1 working")
    assert titles.all_inner_texts() == [first, last]
    page.mouse.move(2, 2)

    expect(titles).to_have_text([last, first])


def test_a_guess_is_made_when_time_has_passed_and_is_marked(
    page: Page, running: str, root: Path
) -> None:
    builder = begun("live", "Fix the retry bug").at(now())
    change = {"file_path": f"{DEMO}/a.py", "old_string": "a", "new_string": "b"}
    write_lines(lines_of(builder.assistant(tool_use("Edit", change)), root))
    page.goto(running)

    state = page.locator("[data-strip-session] .strip-state")
    expect(state).to_have_text("waits for you?")
    expect(state).to_have_attribute(
        "title", "Edit: probably asks for permission. The transcript does not say so for sure."
    )


def test_the_list_has_the_strip_in_one_line(page: Page, running: str, root: Path) -> None:
    write_lines(lines_of(begun("live", "Fix the retry bug"), root))
    page.goto(f"{running}/sessions")
    strip = page.locator("[data-strip]")

    expect(strip.locator("summary")).to_have_text("1 working")
    expect(strip.locator("[data-strip-session]")).to_be_hidden()
    strip.locator("summary").click()
    expect(strip.locator("[data-strip-session] .title")).to_be_visible()
    page.reload()
    expect(strip.locator("[data-strip-session] .title")).to_be_visible()
    write_lines(lines_of(begun("second", "Write the docs"), root))
    expect(strip.locator("summary")).to_have_text("2 working")


def test_home_works_with_the_keyboard(page: Page, running: str) -> None:
    page.goto(running)
    page.keyboard.press("j")
    expect(page.locator(":focus")).to_have_text("Try it in a worktree")
    page.keyboard.press("j")
    expect(page.locator(":focus")).to_have_text("Light the lantern")
    page.keyboard.press("Enter")

    expect(page.locator("#talk")).to_contain_text("Lit.")


def test_the_dot_in_the_header_says_that_a_session_runs(
    page: Page, tmp_path: Path, root: Path
) -> None:
    write_lines(lines_of(begun("busy", "Sweep the yard"), root))
    with serving(settings_for(tmp_path / "second", root)) as address:
        page.goto(f"{address}/usage")
        dot = page.locator("[data-running]")

        expect(dot).to_have_attribute("data-state", "working")
        expect(dot).to_have_attribute("aria-label", "Running sessions: 1 working")


def test_what_waits_is_said_in_full_beside_long_titles(
    page: Page, running: str, root: Path
) -> None:
    title = "Please fix the error about the missing field that was added lately " * 2
    asking = SessionBuilder("asking", cwd=f"{DEMO}/.worktrees/a-worktree-with-a-long-name")
    command = {"command": "rm -rf build && npm publish", "description": "Publish it"}
    asking.at(now(-600)).user(title).assistant(tool_use("Bash", command, "pending-call"))
    write_lines(lines_of(asking, root))

    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(running)
        action = page.locator("[data-strip-session] .strip-action")
        expect(action).to_have_text("Bash rm -rf build && npm publish")
        expect(action).to_be_in_viewport(ratio=1)
        badge = page.locator(".home-sessions .waits")
        badge.scroll_into_view_if_needed()
        expect(badge).to_be_in_viewport(ratio=1)
        assert badge.evaluate(
            "one => one.getBoundingClientRect().right"
            " <= one.parentElement.getBoundingClientRect().right"
        )
