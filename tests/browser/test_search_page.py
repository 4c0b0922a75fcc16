"""The search page: suggestions, chips, saved searches, hits by session or by time, keys."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.chromium import watch
from tests.build import SessionBuilder
from tests.web.serving import serving, settings_for


@pytest.fixture
def quiet(page: Page) -> Iterator[Page]:
    """Give a page on which no script may fail."""
    watched = watch(page)
    yield page
    assert watched.errors == []


def test_fields_and_filters_are_suggested(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search")
    box = quiet.get_by_role("combobox", name="Search all sessions")
    box.press_sequentially("pytest in:re")
    options = quiet.locator("#suggestions [role=option]")
    expect(options).to_have_text(["in:results"])
    box.press("ArrowDown")
    box.press("Enter")

    expect(box).to_have_value("pytest in:results ")
    expect(quiet.locator("[data-hit]")).not_to_have_count(0)
    expect(quiet.get_by_title("Remove this filter")).to_contain_text("In results")
    expect(quiet.locator("[data-hit] .field").first).to_have_text("Tool result")


def test_half_a_filter_is_not_searched_for(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search?q=retry")
    count = quiet.locator("[data-hit]").count()
    box = quiet.locator("#q")
    box.press("End")
    box.press_sequentially(" tool:")
    expect(quiet.locator("#suggestions [role=option]").first).to_be_visible()

    expect(quiet.get_by_role("alert")).to_have_count(0)
    expect(quiet.locator("[data-hit]")).to_have_count(count)


QUESTION = "why did we decide to use machine id instead of user id"


def test_a_question_is_answered_and_not_covered(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search")
    asked: list[str] = []
    quiet.on("request", lambda request: asked.append(request.url))
    box = quiet.locator("#q")
    box.press_sequentially(QUESTION)
    expect(quiet.locator("[data-hits] .empty")).to_be_visible()

    assert not any("suggest" in url and "text=id" in url for url in asked)
    expect(quiet.get_by_role("listbox", name="Suggestions")).to_be_hidden()
    expect(box).to_have_attribute("aria-expanded", "false")


def test_results_close_what_is_suggested_for_a_word(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search")
    options = quiet.locator("#suggestions [role=option]")
    # Until it is let go, the answer to the last letter is on its way.
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    quiet.route("**/search?q=*", hold)
    box = quiet.locator("#q")
    box.press_sequentially("ferry")
    expect(options.first).to_be_visible()
    expect(quiet).to_have_url(f"{app}/search?q=ferry")
    for route in held:
        route.continue_()
    quiet.unroute("**/search?q=*")

    expect(quiet.locator("[data-hit]")).not_to_have_count(0)
    expect(options.first).to_be_hidden()
    box.press_sequentially(" tool:B")
    expect(options.first).to_have_text(re.compile("^tool:B"))


def test_a_search_is_saved_found_again_and_deleted(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search")
    expect(quiet.get_by_text("Save this search")).to_be_hidden()
    quiet.locator("#q").fill("retry tool:Bash")
    expect(quiet.locator("[data-hit]")).not_to_have_count(0)
    name = quiet.get_by_label("Name of this search")
    expect(name).to_be_hidden()
    quiet.get_by_text("Save this search").click()
    expect(name).to_be_focused()
    name.fill("Retries <b>")
    name.press("Enter")
    expect(name).to_be_hidden()
    quiet.goto(f"{app}/search")
    quiet.get_by_text("Saved searches", exact=False).first.click()
    quiet.get_by_role("link", name="Retries <b>").click()

    quiet.wait_for_url(f"{app}/search?q=retry+tool%3ABash")
    expect(quiet.locator("#q")).to_have_value("retry tool:Bash")
    quiet.get_by_text("Saved searches", exact=False).first.click()
    quiet.get_by_role("button", name="Delete Retries <b>").click()
    expect(quiet.locator("[data-saved] li")).to_have_count(0)
    quiet.reload()
    expect(quiet.locator("[data-saved] li")).to_have_count(0)


def test_hits_by_time_stay_so_while_one_types(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search?q=retry")
    quiet.get_by_role("link", name="Time", exact=True).click()
    expect(quiet.locator(".of-session").first).to_be_visible()
    quiet.locator("#q").fill("upload")

    expect(quiet).to_have_url(f"{app}/search?q=upload&group=time")
    expect(quiet.locator(".of-session").first).to_be_visible()


def test_hits_are_reached_by_keys(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search?q=retry")
    hits = quiet.locator("[data-hit]")
    quiet.keyboard.press("j")
    expect(hits.nth(0)).to_be_focused()
    quiet.keyboard.press("j")
    quiet.keyboard.press("k")
    expect(hits.nth(0)).to_be_focused()
    quiet.keyboard.press("/")
    expect(quiet.locator("#q")).to_be_focused()
    quiet.keyboard.press("ArrowDown")
    expect(hits.nth(0)).to_be_focused()
    quiet.keyboard.press("Enter")

    quiet.wait_for_url(f"{app}/sessions/**")


def test_the_page_of_a_hit_marks_what_was_found(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search?q=retry+uploads")
    hit = quiet.locator("[data-hit]").first
    hit.click()

    quiet.wait_for_url(f"{app}/sessions/**")
    expect(quiet.locator("#find")).to_have_value("retry uploads")
    expect(quiet.locator("[data-found]")).to_have_text(re.compile("[1-9]"))
    quiet.reload()
    expect(quiet.locator("#find")).to_have_value("")


def test_search_works_without_scripts_on_a_phone(browser: Browser, app: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{app}/search")
    page.locator("#q").fill("retry tool:Bash")
    page.get_by_role("button", name="Search").click()

    expect(page.locator("[data-hit]")).not_to_have_count(0)
    expect(page.locator("[data-searches]")).to_be_hidden()
    page.get_by_title("Remove this filter").click()
    expect(page.locator("#q")).to_have_value("retry")
    context.close()


@pytest.mark.parametrize(
    ("place", "box", "rows"),
    [("sessions", "#text", "[data-session]"), ("search", "#q", "[data-hit]")],
)
def test_a_filter_is_suggested_behind_words_and_empties_no_list(
    quiet: Page, app: str, place: str, box: str, rows: str
) -> None:
    quiet.goto(f"{app}/{place}")
    field = quiet.locator(box)
    with quiet.expect_response("**/*retry%22*"):
        field.press_sequentially('"retry"')
    expect(quiet.locator(rows)).not_to_have_count(0)
    found = quiet.locator(rows).count()
    field.fill('"retry" is:')
    field.press_sequentially("er")
    expect(quiet.locator("#suggestions [role=option]")).to_have_count(1)
    expect(field).to_have_attribute("data-held", "")

    assert quiet.locator(rows).count() == found
    expect(quiet.get_by_role("alert")).to_have_count(0)
    assert "is%3Aer" not in quiet.url
    # Who leaves the word has finished it.
    field.blur()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill('"retry"')
    expect(quiet.locator(rows)).to_have_count(found)
    expect(field).not_to_have_attribute("aria-invalid", "true")


def test_enter_and_a_space_finish_a_word(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search?q=retry")
    field = quiet.locator("#q")
    field.press("End")
    field.press_sequentially(" is:er")
    expect(field).to_have_attribute("data-held", "")
    field.press("Escape")
    field.focus()
    field.press("Enter")
    expect(quiet.get_by_role("alert")).to_contain_text("is:error")

    field.fill("retry")
    expect(quiet.get_by_role("alert")).to_have_count(0)
    field.press("End")
    field.press_sequentially(" is:er ")
    expect(quiet.get_by_role("alert")).to_contain_text("is:error")


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an app with two sessions that say the same words very often."""
    folder = tmp_path_factory.mktemp("repeated")
    for name in ("first", "second"):
        built = SessionBuilder(name).at("2026-11-01T09:00:00Z")
        for number in range(50):
            built.user(f"Ask the {name} walrus {number}")
            built.assistant("I have asked the walrus.")
        built.write(folder / "root")
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield address


def test_three_hits_of_a_session_are_shown_and_the_rest_opens_in_place(
    quiet: Page, repeated: str
) -> None:
    quiet.goto(f"{repeated}/search?q=walrus+in:prompts")
    session = quiet.locator(".found").first
    shown = session.locator("[data-hit]:visible")
    more = session.locator("[data-rest] > summary")
    expect(shown).to_have_count(3)
    rest = session.locator("[data-rest] [data-hit]").count()
    expect(more).to_have_text(f"{rest} more in this session")
    expect(session.locator(".hit-count")).to_have_text(f"{rest + 3} hits")
    for _ in range(4):
        quiet.keyboard.press("j")
    expect(more).to_be_focused()
    quiet.keyboard.press("Enter")

    expect(shown).to_have_count(rest + 3)
    quiet.keyboard.press("j")
    expect(shown.nth(3)).to_be_focused()
    expect(quiet).to_have_url(re.compile("&opened="))
    quiet.reload()
    expect(shown).to_have_count(rest + 3)
    more.click()
    expect(shown).to_have_count(3)
    expect(quiet).to_have_url(f"{repeated}/search?q=walrus+in%3Aprompts")


def test_more_hits_join_those_of_their_session(quiet: Page, repeated: str) -> None:
    quiet.goto(f"{repeated}/search?q=walrus+in:prompts")
    while quiet.locator("[data-more]").count():
        more = quiet.locator("[data-more]")
        address = more.get_attribute("href")
        more.press("Enter")
        expect(quiet.locator(f'[data-more][href="{address}"]')).to_have_count(0)
        expect(quiet.locator(":focus")).to_have_count(1)

    expect(quiet.locator(".hit-count")).to_have_text(["50 hits", "50 hits"])
    expect(quiet.locator("[data-rest] > summary")).to_have_text(["47 more in this session"] * 2)
    expect(quiet.locator("[data-hit]:visible")).to_have_count(6)


def test_the_same_text_is_one_line_with_its_other_places(quiet: Page, repeated: str) -> None:
    quiet.goto(f"{repeated}/search?q=walrus+in:answers")
    session = quiet.locator(".found").first
    expect(session.locator("[data-hit]")).to_have_count(1)
    again = session.locator(".same-text > summary")
    expect(again).to_have_text(re.compile(r"^The same text \d+ more times$"))
    again.click()
    place = session.locator("[data-same]").nth(2)
    leads = str(place.get_attribute("href"))
    place.click()

    quiet.wait_for_url(f"{repeated}{leads}")
    expect(quiet.locator("#find")).to_have_value("walrus")


def test_what_is_listed_under_a_new_query_is_marked_as_old(quiet: Page, app: str) -> None:
    quiet.goto(f"{app}/search?q=retry")
    place, count = quiet.locator("[data-hits]"), quiet.locator("[data-hits] .count")
    held: list[Route] = []
    quiet.route("**/search?q=*", lambda route: held.append(route))  # noqa: PLW0108 (a wrapper needs a name)
    box = quiet.locator("#q")
    box.fill("upload")
    expect(count).to_have_text("Searching…")
    expect(place).to_have_attribute("data-old", "")
    expect(quiet.locator("[data-hits] mark").first).to_contain_text(
        re.compile("retr", re.IGNORECASE)
    )
    expect(quiet).to_have_url(f"{app}/search?q=upload")
    # The answer to what was typed before is none to what is typed now.
    box.fill("ferry")
    expect(quiet).to_have_url(f"{app}/search?q=ferry")
    for route in held:
        route.continue_()
    quiet.unroute("**/search?q=*")

    expect(count).to_have_text(re.compile(r"^[\d,]+ hits in"))
    expect(place).not_to_have_attribute("data-old", "")
    expect(quiet.locator("[data-hits] mark").first).to_contain_text(
        re.compile("ferry", re.IGNORECASE)
    )
    box.press("End")
    box.press_sequentially(" is:er")
    expect(count).to_have_text("Not searched yet: below is what was found for ferry")
    expect(place).to_have_attribute("data-old", "")
