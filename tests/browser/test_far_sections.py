"""A long session in the app: what is far away leaves the page, and is there when it is wanted."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import watch
from tests.build import SessionBuilder, bash
from tests.web.serving import serving, settings_for

pytestmark = pytest.mark.slow

TURNS = 240
ERRORS_AT = 120
AGENT_AT = 60
NEEDLE_EVERY = 40
MOST_ELEMENTS = 16_000
IS_SMALL = "most => document.querySelectorAll('*').length < most"
WAITING = "[data-waiting]"
LIST = "\n".join(f"- item {number} of `many`" for number in range(30))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of the page of a session that is longer than a page may be."""
    folder = tmp_path_factory.mktemp("long")
    built = _long()
    built.write(folder / "root")
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield f"{address}/sessions/{built.session_id}"


def _long() -> SessionBuilder:
    built = SessionBuilder("long").at("2026-11-01T09:00:00Z")
    for number in range(TURNS):
        word = "needle" if number % NEEDLE_EVERY == 0 else "hay"
        built.user(f"Prompt {number}")
        built.tools(bash(f"make part-{number}", "done"))
        if number == ERRORS_AT:
            built.tool("Bash", {"command": "false"}, "Exit code 1\nwalrus", error=True)
        if number == AGENT_AT:
            built.agent("Count", "Count all.", _count)
        built.assistant(f"Part {number} is {word}.\n\n{LIST}")
    return built


def _count(run: SessionBuilder) -> None:
    for number in range(12):
        run.tools(bash(f"wc -l {number}", "7"))
        run.assistant(f"File {number} has a narwhal.\n\n{LIST}")
    run.tool("Bash", {"command": "exit 3"}, "Exit code 3", error=True)


@pytest.fixture
def read(page: Page, long: str) -> Iterator[Page]:
    watched = watch(page)
    page.goto(long)
    # The last script empties what is to come.
    expect(page.locator(f"{WAITING} a")).to_have_count(0)
    yield page
    assert watched.errors == []


def scroll_to_end(page: Page) -> None:
    """Read on to the end, a window at a time."""
    page.mouse.move(600, 400)
    while not page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 4"):
        page.mouse.wheel(0, 3000)
        page.wait_for_function(
            "() => ![...document.querySelectorAll('[data-waiting]')].some((place) => {"
            " const box = place.getBoundingClientRect();"
            " return box.bottom > 0 && box.top < innerHeight; })"
        )


def test_what_is_far_away_leaves_the_page_and_keeps_its_height(read: Page) -> None:
    first = read.locator("#s-1")
    before = first.evaluate("place => place.getBoundingClientRect().height")

    scroll_to_end(read)

    expect(read.locator(f"#s-1{WAITING}")).to_have_count(1)
    assert first.evaluate("place => place.getBoundingClientRect().height") == pytest.approx(before)
    # Sections that are far away are emptied when the page has time.
    read.wait_for_function(IS_SMALL, arg=MOST_ELEMENTS)
    expect(read.locator(f"#s-{TURNS - 1}").get_by_text(f"Part {TURNS - 1} is")).to_be_attached()


def test_an_open_fold_is_open_when_its_section_is_back(read: Page) -> None:
    fold = read.locator("#s-1 details.tool-call")
    fold.locator("summary").first.click()
    expect(fold).to_have_attribute("open", "")
    read.evaluate("document.activeElement.blur()")
    scroll_to_end(read)
    expect(read.locator(f"#s-1{WAITING}")).to_have_count(1)

    read.keyboard.press("g")

    expect(fold).to_have_attribute("open", "")


def test_what_is_selected_stays(read: Page) -> None:
    read.evaluate("getSelection().selectAllChildren(document.querySelector('#s-1 article'))")

    scroll_to_end(read)
    expect(read.locator(f"#s-2{WAITING}")).to_have_count(1)

    assert "Prompt 1" in read.evaluate("getSelection().toString()")


def test_find_reaches_what_is_not_on_the_page(read: Page) -> None:
    assert read.locator(WAITING).count() > 0
    read.locator("#find").fill("needle")

    expect(read.locator("[data-found]")).to_have_text(str(TURNS // NEEDLE_EVERY))
    read.keyboard.press("Shift+Enter")
    read.keyboard.press("Shift+Enter")

    expect(read.locator("[data-found]")).to_have_text("6 / 6")
    expect(read.get_by_text("Part 200 is needle.")).to_be_in_viewport()


def test_find_opens_an_agent_run_that_came_without_its_messages(read: Page) -> None:
    read.locator("#find").fill("file 7 has a narwhal")
    expect(read.locator("[data-found]")).to_have_text("1")

    read.keyboard.press("Enter")

    expect(read.get_by_text("File 7 has a narwhal.")).to_be_in_viewport()


def test_an_agent_run_gets_its_messages_when_it_is_opened(read: Page) -> None:
    read.locator("nav.outline a", has_text=f"Prompt {AGENT_AT}").first.click()
    call = read.locator("details[data-tool=Agent], details[data-tool=Task]")
    expect(call).to_be_in_viewport()
    expect(call.get_by_text("File 7 has a narwhal.")).to_have_count(0)

    call.locator("summary").first.click()
    call.locator("details.agent-run > summary").click()

    expect(call.get_by_text("File 7 has a narwhal.")).to_have_count(1)


def test_the_next_error_is_found_wherever_it_is(read: Page) -> None:
    read.keyboard.press("e")
    expect(read.locator("details.tool-call[data-error]", has_text="exit 3")).to_be_in_viewport()

    read.keyboard.press("e")

    expect(read.locator("details.tool-call[data-error]", has_text="false")).to_be_in_viewport()


def test_keys_go_to_the_end_and_back(read: Page) -> None:
    read.keyboard.press("G")
    expect(read.locator(f"#s-{TURNS - 1}").get_by_text(f"Part {TURNS - 1} is")).to_be_attached()
    expect(read.locator("nav.outline [aria-current]")).to_contain_text(f"Prompt {TURNS - 1}")

    for _ in range(3):
        read.keyboard.press("p")

    expect(read.locator("[data-now]")).to_contain_text(f"Prompt {TURNS - 3}")


def test_a_link_leads_back_to_what_was_released(read: Page) -> None:
    first = read.locator("nav.outline a").nth(1)
    first.click()
    expect(read.locator("[data-now]")).to_contain_text("Prompt 1")
    read.evaluate("document.activeElement.blur()")
    scroll_to_end(read)
    expect(read.locator(f"#s-1{WAITING}")).to_have_count(1)

    first.click()

    expect(read.get_by_text("Part 1 is hay.")).to_be_in_viewport()


def test_paper_has_all_of_it(read: Page) -> None:
    read.evaluate(
        "addEventListener('beforeprint', () => { window.printed ="
        " [document.querySelectorAll('[data-waiting]').length,"
        "  document.querySelectorAll('[data-kind=prompt]').length]; })"
    )

    pdf = read.pdf()

    assert pdf.startswith(b"%PDF")
    assert read.evaluate("window.printed")[0] == 0
    assert read.evaluate("window.printed")[1] >= TURNS


def test_less_detail_leaves_no_holes(read: Page) -> None:
    read.locator("select[data-do=detail]").select_option("1")

    heights = read.locator(WAITING).evaluate_all(
        "places => places.map((place) => place.getBoundingClientRect().height)"
    )

    assert max(heights) <= 100
