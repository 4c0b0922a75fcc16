"""A running session grows on the page: what one reads, opened and chose stays as it is."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import launch_with_scrollbars
from tests.browser.waiting import expect_at, settled_top
from tests.browser.writer import Plan, write_lines
from tests.build import SessionBuilder
from tests.recordings import HERE
from tests.web.serving import client_for, serving, settings_for

pytestmark = pytest.mark.slow


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "claude"
    (place / "projects").mkdir(parents=True)
    return place


@pytest.fixture
def running(root: Path, tmp_path: Path) -> Iterator[str]:
    """Give the address of an app that follows the root."""
    with serving(settings_for(tmp_path / "archive", root, is_followed=True)) as address:
        yield address


def talk(root: Path) -> tuple[str, Plan]:
    """Give the id of a session of many turns, and its lines."""
    builder = SessionBuilder("live")
    for number in range(1, 31):
        builder.user(f"Prompt {number}")
        builder.tool("Bash", {"command": f"echo {number}"}, f"output {number}")
        builder.assistant(f"Answer {number}. " + "It goes on for a while. " * 30)
    path = root / "projects" / "-home-dev-code-demo" / f"{builder.session_id}.jsonl"
    return builder.session_id, [(path, line) for line in builder.lines()]


def open_session(page: Page, address: str, session_id: str) -> None:
    """Open a session as soon as the app knows it."""
    with client_for(address) as client, client.stream("GET", "/api/events") as events:
        for _ in events.iter_lines():
            if client.get(f"/api/sessions/{session_id}").status_code == 200:
                break
    page.goto(f"{address}/sessions/{session_id}")


def first_part(plan: Plan, words: bytes) -> int:
    """Count the lines before the one with these words."""
    return next(number for number, (_, line) in enumerate(plan) if words in line)


def test_what_is_written_appears_and_the_reader_stays(page: Page, running: str, root: Path) -> None:
    session_id, plan = talk(root)
    turns = [first_part(plan, f"Prompt {number}".encode()) for number in range(25, 31)]
    write_lines(plan[: turns[0]])
    open_session(page, running, session_id)
    expect(page.locator("[data-waiting]")).to_have_count(0)
    fold = page.locator("details.tool-call").nth(12)
    fold.locator("summary").first.click()
    before = settled_top(fold)
    for start, end in pairwise((*turns, len(plan))):
        write_lines(plan[start:end])
        expect(page.locator("nav.outline li")).to_have_count(24 + turns.index(start) + 1)
    expect(page.get_by_text("Answer 30.")).to_have_count(1)

    expect(page.locator("[data-unread]")).to_have_text("18 new messages")
    expect_at(fold, before)
    expect(fold).to_have_attribute("open", "")
    page.locator("[data-unread]").click()
    expect(page.locator("[data-unread]")).to_be_hidden()
    expect(page.get_by_text("Answer 30.")).to_be_in_viewport()


@pytest.fixture
def followed(page: Page, running: str, root: Path) -> Plan:
    return begin_following(page, running, root)


def begin_following(page: Page, running: str, root: Path) -> Plan:
    """Open a session and follow it; give the lines that are still to be written."""
    session_id, plan = talk(root)
    cut = first_part(plan, b"Prompt 28")
    write_lines(plan[:cut])
    open_session(page, running, session_id)
    expect(page.locator("[data-waiting]")).to_have_count(0)
    page.get_by_label("follow").check()
    expect(page.get_by_text("Answer 27.")).to_be_in_viewport()
    return plan[cut:]


def test_whoever_follows_sees_the_end(page: Page, followed: Plan) -> None:
    write_lines(followed)

    expect(page.get_by_text("Answer 30.")).to_be_in_viewport()
    expect(page.locator("[data-unread]")).to_be_hidden()
    expect(page.get_by_label("follow")).to_be_checked()


def turn_wheel(page: Page, by: int = -600) -> None:
    page.mouse.move(500, 400)
    page.mouse.wheel(0, by)


def swipe(page: Page) -> None:
    touch = page.context.new_cdp_session(page)
    for kind, y in (("Start", 200), *(("Move", y) for y in range(220, 600, 20)), ("End", None)):
        points = [] if y is None else [{"x": 500, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})


def press_p(page: Page) -> None:
    for _ in range(3):
        page.keyboard.press("p")


FIRST_IN_VIEW = """() => [...document.querySelectorAll("main article")]
  .find((article) => article.getBoundingClientRect().bottom > 100).id"""
AWAY: dict[str, Callable[[Page], None]] = {
    "PageUp": lambda page: page.keyboard.press("PageUp"),
    "Home": lambda page: page.keyboard.press("Home"),
    "p": press_p,
    "wheel": turn_wheel,
    "a little by wheel": lambda page: turn_wheel(page, -20),
    "a little by key": lambda page: page.keyboard.press("ArrowUp"),
    "finger": swipe,
    # As the scrollbar and a finger do it: no key, no wheel, only another place.
    "scrollbar": lambda page: page.evaluate("scrollBy(0, -900)"),
    "outline": lambda page: page.locator("nav.outline a").first.click(),
}


@pytest.mark.parametrize("way", AWAY)
def test_scrolling_away_from_the_end_ends_following(page: Page, followed: Plan, way: str) -> None:
    settled_top(page.locator("main article").last)
    page.locator("#talk").focus()
    AWAY[way](page)
    expect(page.get_by_label("follow")).not_to_be_checked()
    settled_top(page.locator("main article").last)
    read = page.locator(f"[id='{page.evaluate(FIRST_IN_VIEW)}']")
    before = settled_top(read)
    write_lines(followed)

    expect(page.locator("[data-unread]")).to_have_text("9 new messages")
    expect_at(read, before)


def test_the_scrollbar_ends_following(browser: Browser, running: str, root: Path) -> None:
    """Drag it as a person does; browsers for tests hide it otherwise."""
    with closing(launch_with_scrollbars(browser)) as desktop:
        page = desktop.new_page(viewport={"width": 1280, "height": 800})
        plan = begin_following(page, running, root)
        settled_top(page.locator("main article").last)
        assert page.evaluate("innerWidth > document.documentElement.clientWidth")
        page.mouse.move(1273, 760)
        page.mouse.down()
        page.mouse.move(1273, 600, steps=4)
        expect(page.get_by_label("follow")).not_to_be_checked()
        page.mouse.up()
        settled_top(page.locator("main article").last)
        read = page.locator(f"[id='{page.evaluate(FIRST_IN_VIEW)}']")
        before = settled_top(read)
        write_lines(plan)

        expect(page.locator("[data-unread]")).to_have_text("9 new messages")
        expect_at(read, before)


def test_following_begins_again_on_request(page: Page, followed: Plan) -> None:
    page.keyboard.press("PageUp")
    expect(page.get_by_label("follow")).not_to_be_checked()
    write_lines(followed[:6])
    unread = page.locator("[data-unread]")
    expect(unread).to_be_visible()
    unread.click()
    expect(page.get_by_label("follow")).to_be_checked()
    expect(unread).to_be_hidden()
    write_lines(followed[6:])

    expect(page.get_by_text("Answer 30.")).to_be_in_viewport()


def test_reaching_the_end_begins_following_again(page: Page, followed: Plan) -> None:
    page.keyboard.press("g")
    expect(page.get_by_label("follow")).not_to_be_checked()
    page.keyboard.press("G")
    expect(page.get_by_label("follow")).to_be_checked()
    write_lines(followed)

    expect(page.get_by_text("Answer 30.")).to_be_in_viewport()


def test_a_line_appears_on_the_open_page(page: Page, running: str, root: Path) -> None:
    session_id, plan = talk(root)
    cut = first_part(plan, b"Answer 30")
    write_lines(plan[:cut])
    open_session(page, running, session_id)
    expect(page.locator("article.prompt", has_text="Prompt 30")).to_have_count(1)
    expect(page.get_by_text("Answer 30.")).to_have_count(0)
    write_lines(plan[cut : cut + 1])

    expect(page.get_by_text("Answer 30.")).to_have_count(1)


def test_the_title_follows(page: Page, running: str, root: Path) -> None:
    session_id, plan = talk(root)
    write_lines(plan[:3])
    open_session(page, running, session_id)
    expect(page).to_have_title("Prompt 1 · clew")
    title = {"type": "custom-title", "customTitle": "A better name", "sessionId": session_id}
    write_lines([(plan[0][0], json.dumps(title).encode())])

    expect(page).to_have_title("A better name · clew")
    expect(page.locator(".top .name")).to_contain_text("A better name")


def test_a_session_that_was_cut_short_is_shorter_on_the_page(
    page: Page, running: str, root: Path
) -> None:
    session_id, plan = talk(root)
    write_lines(plan)
    open_session(page, running, session_id)
    expect(page.locator("[data-waiting]")).to_have_count(0)
    cut = first_part(plan, b"Prompt 3")
    plan[0][0].write_bytes(b"".join(line + b"\n" for _, line in plan[:cut]))

    expect(page.locator("article.prompt")).to_have_count(2)
    expect(page.locator("[data-section]")).to_have_count(2)


def test_a_key_reaches_an_error_inside_an_agent_run(page: Page, running: str, root: Path) -> None:
    def fail(run: SessionBuilder) -> None:
        run.tool("Bash", {"command": "false"}, "Exit code 1", error=True).assistant("No.")

    builder = SessionBuilder("errors").user("Look").agent("look", "please", fail)
    builder.assistant("It failed.").write(root)
    open_session(page, running, builder.session_id)
    expect(page.locator("main [data-error]").last).to_be_hidden()
    page.keyboard.press("e")

    expect(page.locator("main [data-error]").last).to_be_in_viewport()


def test_an_agent_run_grows_while_it_runs(page: Page, running: str, root: Path) -> None:
    plan = recorded_plan(HERE / "2.1.325" / "subagent" / "root", root)
    cut = first_part(plan, b"Counting.")
    write_lines(plan[:cut])
    session_id = next((root / "projects").glob("*/*.jsonl")).stem
    open_session(page, running, session_id)
    page.locator("details.tool-call").first.evaluate("(call) => { call.open = true; }")
    run = page.locator("details.agent-run").first
    expect(run).to_have_count(1)
    run.evaluate("(run) => { run.open = true; }")
    write_lines(plan[cut:])
    expect(run.get_by_text("There are some files")).to_be_visible()

    expect(run).to_have_attribute("open", "")
    expect(page.locator(".prose", has_text="All three sub-agents are done.")).to_have_count(1)
    expect(page.locator("details.agent-run")).to_have_count(3)


def test_the_page_of_a_run_grows_too(page: Page, running: str, root: Path) -> None:
    plan = recorded_plan(HERE / "2.1.325" / "subagent" / "root", root)
    cut = first_part(plan, b"There are some files")
    write_lines(plan[:cut])
    session_id = next((root / "projects").glob("*/*.jsonl")).stem
    open_session(page, running, session_id)
    expect(page.locator("details.tool-call")).to_have_count(1)
    page.goto(f"{running}/sessions/{session_id}/runs/aeb786a874128d20f")
    expect(page.get_by_text("Counting.")).to_be_visible()
    write_lines(plan[cut:])
    expect(page.get_by_text("There are some files")).to_be_visible()

    expect(page.get_by_text("Delegate")).to_have_count(0)


def test_a_new_session_appears_in_the_list(page: Page, running: str, root: Path) -> None:
    _, plan = talk(root)
    SessionBuilder("other").user("Something else").assistant("Yes.").write(root)
    page.goto(f"{running}/sessions")
    expect(page.get_by_text("Something else").first).to_be_visible()
    write_lines(plan[:6])

    expect(page.locator("[data-session]")).to_have_count(2)


def recorded_plan(source: Path, root: Path) -> Plan:
    """Give the lines of a recording's files in the order in which they were written."""
    lines = []
    for path in sorted(source.rglob("*.jsonl")):
        at = ""
        for line in path.read_bytes().splitlines():
            at = json.loads(line).get("timestamp") or at
            lines.append((at, root / path.relative_to(source), line))
    return [(path, line) for _, path, line in sorted(lines, key=lambda one: one[0])]


def test_filters_count_what_was_written_since_and_stay_as_they_were_set(
    page: Page, running: str, root: Path
) -> None:
    session_id, plan = talk(root)
    write_lines(plan[: first_part(plan, b"Prompt 30")])
    open_session(page, running, session_id)
    label = page.locator("#menu label", has=page.locator("[data-filter=tool_call]"))
    expect(label.locator(".figure")).to_have_text("29")
    page.keyboard.press("f")
    page.locator("[data-filter=answer]").uncheck()

    write_lines(plan[first_part(plan, b"Prompt 30") :])

    expect(label.locator(".figure")).to_have_text("30")
    expect(page.locator("[data-filter=answer]")).not_to_be_checked()
    expect(page.locator("main [data-kind=answer]").locator("visible=true")).to_have_count(0)


def test_a_folded_turn_stays_folded_when_it_grows(page: Page, running: str, root: Path) -> None:
    session_id, plan = talk(root)
    write_lines(plan[: first_part(plan, b"Answer 30")])
    open_session(page, running, session_id)
    section = page.locator('.turn[data-turn="30"]')
    button = section.locator(".turn-head").get_by_role("button")
    button.click()

    write_lines(plan[first_part(plan, b"Answer 30") :])

    expect(section.locator("[data-kind]", has_text="Answer 30")).to_have_count(1)
    expect(section.locator("[data-kind]").locator("visible=true")).to_have_count(0)
    expect(button).to_have_attribute("aria-expanded", "false")
