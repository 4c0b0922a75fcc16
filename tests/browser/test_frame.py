"""What stays on every page: the header, the palette, and the rail beside a session."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.chromium import watch
from tests.browser.places import all_places

# Where everything is on the page, to see that nothing moves.
BOXES = """() => [...document.querySelectorAll("main, main h1, .rail, .session-links, .top")]
  .map((element) => Object.values(element.getBoundingClientRect().toJSON()).join())"""
SHIFTS = """() => new Promise((done) => {
  let total = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) total += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(total), 100);
})"""


@pytest.fixture
def watched(page: Page) -> Iterator[Page]:
    """Give a page on which no script may fail."""
    seen = watch(page)
    yield page
    assert seen.errors == []


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def neighbours(client: httpx.Client) -> list[str]:
    """Give the sessions of a project with three of them, the latest first."""
    found = client.get("/api/sessions", params={"project": "tessera"}).json()["sessions"]
    assert len(found) >= 3
    return [f"/sessions/{one['id']}" for one in found]


def options(page: Page) -> list[str]:
    return page.locator("#palette-list [role=option]").all_inner_texts()


def test_the_palette_opens_a_session_by_keys_alone(watched: Page, app: str) -> None:
    watched.goto(f"{app}/usage")
    watched.keyboard.press("Control+k")
    box = watched.get_by_role("combobox", name="Search or jump")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-expanded", "true")
    watched.keyboard.type("retry uploads")
    first = watched.get_by_role("listbox").get_by_role("option").first
    expect(first).to_contain_text("Retry uploads on 503")
    expect(first).to_have_attribute("aria-selected", "true")
    watched.keyboard.press("Enter")

    expect(watched.locator("h1")).to_have_text("Retry uploads on 503")


def test_what_is_named_comes_before_sessions(watched: Page, app: str) -> None:
    watched.goto(f"{app}/files")
    first = watched.locator("#palette-list [role=option]").first
    places = {"usage": "/usage?since=30d", "compare": "/compare", "sett": "/settings"}
    for typed, place in places.items():
        watched.keyboard.press("Control+k")
        watched.locator("#palette").fill(typed)
        expect(first).to_have_attribute("href", place)
        expect(first).to_have_attribute("aria-selected", "true")
        watched.keyboard.press("Escape")


def test_arrows_move_through_all_options_and_around(watched: Page, app: str) -> None:
    watched.goto(f"{app}/files")
    watched.keyboard.press("Control+k")
    expect(watched.locator(".palette-name").first).to_have_text("Sessions")
    chosen = watched.locator("#palette-list [aria-selected=true]")
    box = watched.locator("#palette")
    count = len(options(watched))
    seen = []
    for _ in range(count):
        seen.append(box.get_attribute("aria-activedescendant"))
        watched.keyboard.press("ArrowDown")

    assert len(set(seen)) == count
    assert box.get_attribute("aria-activedescendant") == seen[0]
    watched.keyboard.press("ArrowUp")
    expect(chosen).to_have_attribute("id", str(seen[-1]))
    expect(chosen).to_be_in_viewport()


def test_escape_closes_it_and_gives_the_focus_back(watched: Page, app: str, longest: str) -> None:
    watched.goto(f"{app}/sessions/{longest}")
    before = watched.locator(".session-links a", has_text="Timeline")
    before.focus()
    watched.keyboard.press("Control+k")
    watched.keyboard.type("ret")
    watched.keyboard.press("Escape")

    expect(watched.locator("#palette-list")).to_be_hidden()
    expect(before).to_be_focused()
    expect(watched.locator("#palette")).to_have_value("")


def test_a_file_is_between_sessions_and_texts_and_leads_to_its_page(
    watched: Page, app: str, client: httpx.Client
) -> None:
    path = client.get("/api/files", params={"sort": "changes", "limit": 1}).json()["files"][0][
        "path"
    ]
    name = path.rpartition("/")[2]
    watched.goto(f"{app}/sessions")
    watched.keyboard.press("Control+k")
    watched.keyboard.type(name)
    file = watched.get_by_role("group", name="Files").get_by_role("option", name=name).first
    expect(file).to_be_visible()
    groups = watched.locator(".palette-name").all_inner_texts()
    order = [one.lower() for one in groups if one.lower() in ("sessions", "files", "texts")]
    assert order == [one for one in ("sessions", "files", "texts") if one in order]
    file.click()

    watched.wait_for_url(f"{app}/files/history?**")
    expect(watched.locator("main")).to_contain_text(name)


def test_texts_stand_below_titles_and_lead_to_their_message(watched: Page, app: str) -> None:
    watched.goto(app)
    watched.locator("#palette").click()
    watched.keyboard.type("Retry-After")
    hit = watched.locator("#palette-list [role=option]:has(mark)").first
    expect(hit).to_be_visible()
    names = watched.locator(".palette-name").all_inner_texts()
    assert names[-1] == "Texts"
    place = (hit.get_attribute("href") or "").partition("#")[2]
    hit.click()

    expect(watched.locator(f"[id='{place}']")).to_be_in_viewport()


def test_whoever_is_quick_gets_the_same(watched: Page, app: str) -> None:
    watched.goto(app)
    watched.keyboard.press("Control+k")
    watched.keyboard.type("no title is like this")
    watched.keyboard.press("Enter")

    expect(watched).to_have_url(re.compile(r"/search\?q=no\+title\+is\+like\+this"))


def test_the_palette_says_that_it_searches_and_what_is_chosen_stays(
    watched: Page, app: str
) -> None:
    watched.goto(app)
    titles, texts = re.compile("with_texts=false"), re.compile(r"palette\?q=uploads$")
    held: list[Route] = []
    watched.route(texts, lambda route: held.append(route))  # noqa: PLW0108 (a wrapper has a name)
    watched.keyboard.press("Control+k")
    with watched.expect_response(titles), watched.expect_request(texts):
        watched.keyboard.type("uploads")
    listed = watched.locator("#palette-list")
    chosen = listed.locator("[aria-selected=true]")
    state = listed.locator(".palette-state")
    expect(chosen).to_have_count(1)
    expect(state).to_have_text("Searching…")
    expect(watched.locator("[data-finder-status]")).to_have_text("Searching…")
    for _ in range(len(options(watched)) - 1):
        watched.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("Search all texts")
    before = [name.partition(" (")[0] for name in options(watched)]
    for route in held:
        route.continue_()

    expect(state).to_have_count(0)
    expect(chosen).to_contain_text("Search all texts")
    expect(listed.locator("[role=option]:has(mark)")).not_to_have_count(0)
    assert [name.partition(" (")[0] for name in options(watched)][: len(before)] == before
    expect(watched.locator("[data-finder-status]")).to_have_text(re.compile("results$"))


def test_what_was_found_for_other_words_is_not_chosen(watched: Page, app: str) -> None:
    watched.goto(app)
    watched.keyboard.press("Control+k")
    watched.keyboard.type("usage")
    listed = watched.locator("#palette-list")
    expect(listed.locator("[aria-selected=true]")).to_have_attribute("href", "/usage?since=30d")
    expect(listed.locator(".palette-state")).to_have_count(0)
    told = watched.locator("#palette").evaluate(
        """box => {
          box.value = "retry uploads";
          box.dispatchEvent(new InputEvent("input", { bubbles: true }));
          const list = document.getElementById("palette-list");
          return [list.matches("[data-old]"), list.querySelectorAll("[aria-selected=true]").length];
        }"""
    )
    watched.keyboard.press("Enter")

    assert told == [True, 0]
    expect(watched.locator("h1")).to_have_text("Retry uploads on 503")


def test_the_palette_says_when_nobody_answers(page: Page, app: str) -> None:
    page.goto(app)
    page.route("**/api/palette?*", lambda route: route.abort())
    page.keyboard.press("Control+k")
    page.keyboard.type("usage")

    expect(page.locator(".palette-state")).to_have_text("The server does not respond")
    expect(page.locator("#palette-list [aria-selected=true]")).to_contain_text("Usage")


def test_actions_of_the_page_are_in_the_palette(watched: Page, app: str, longest: str) -> None:
    watched.goto(f"{app}/sessions/{longest}")
    watched.keyboard.press("Control+k")
    watched.keyboard.type("light and dark")
    expect(watched.locator("#palette-list [role=option]").first).to_contain_text("Switch")
    watched.keyboard.press("Enter")
    expect(watched.locator("html")).to_have_attribute("data-theme", "dark")

    watched.keyboard.press("Control+k")
    watched.keyboard.type("detail: talk")
    watched.keyboard.press("Enter")
    expect(watched).to_have_url(re.compile("detail=talk"))

    watched.keyboard.press("Control+k")
    watched.keyboard.type("go to changes")
    watched.keyboard.press("Enter")
    expect(watched).to_have_url(f"{app}/sessions/{longest}/changes")


def test_the_link_and_the_resume_command_can_be_copied(
    browser: Browser, app: str, longest: str
) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{app}/sessions/{longest}")
    copied = []
    for words in ("resume", "copy the link"):
        page.keyboard.press("Control+k")
        page.keyboard.type(words)
        page.locator("#palette-list [role=option]", has_text="Copy the").first.click()
        expect(page.locator("[data-finder-status]")).to_have_text(re.compile("copied"))
        copied.append(page.evaluate("navigator.clipboard.readText()"))
    url = page.url
    context.close()

    assert f"claude --resume {longest}" in copied[0]
    assert copied[1] == url


def test_nothing_moves_when_the_palette_opens(watched: Page, app: str, longest: str) -> None:
    watched.goto(f"{app}/sessions/{longest}")
    expect(watched.locator("[data-waiting]")).to_have_count(0)
    before = watched.evaluate(BOXES)
    watched.keyboard.press("Control+k")
    expect(watched.locator("#palette-list [role=option]").first).to_be_visible()

    assert watched.evaluate(BOXES) == before


def test_without_scripts_the_box_searches(browser: Browser, app: str, longest: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{app}/sessions/{longest}")
    page.locator("#palette").fill("uploads")
    page.locator("#palette").press("Enter")
    expect(page).to_have_url(f"{app}/search?q=uploads")
    expect(page.locator("[data-hit]").first).to_be_visible()
    page.goto(f"{app}/sessions/{longest}")
    page.get_by_role("link", name="Previous session of this project").click()
    expect(page.locator("h1")).to_be_visible()
    assert longest not in page.url
    context.close()


def test_brackets_go_through_the_sessions_of_a_project(
    watched: Page, app: str, neighbours: list[str]
) -> None:
    watched.goto(app + neighbours[1])
    expect(watched.locator("[data-step=next]")).to_have_attribute("href", neighbours[0])
    watched.keyboard.press("]")
    expect(watched).to_have_url(re.compile(re.escape(neighbours[0])))
    expect(watched.locator("[data-step=next]")).to_have_attribute("aria-disabled", "true")
    watched.keyboard.press("[")
    expect(watched).to_have_url(re.compile(re.escape(neighbours[1])))
    watched.goto(f"{app}{neighbours[1]}/timeline")
    expect(watched.locator("[data-step=previous]")).to_have_attribute(
        "href", f"{neighbours[2]}/timeline"
    )
    watched.keyboard.press("[")

    expect(watched).to_have_url(f"{app}{neighbours[2]}/timeline")


def test_the_rail_shows_the_sessions_around_and_remembers(
    watched: Page, app: str, neighbours: list[str]
) -> None:
    watched.goto(app + neighbours[1])
    expect(watched.locator("nav.outline")).to_be_visible()
    watched.get_by_role("button", name="Sessions", exact=True).click()
    around = watched.get_by_role("navigation", name="Sessions of this project")
    links = around.locator("li a")
    expect(links).to_have_count(len(neighbours))
    assert [link.get_attribute("href") for link in links.all()] == neighbours
    expect(around.locator("[aria-current=page]")).to_have_attribute("href", neighbours[1])
    expect(watched.locator("nav.outline")).to_be_hidden()
    links.first.click()

    expect(watched).to_have_url(re.compile(re.escape(neighbours[0])))
    expect(around).to_be_visible()
    for part in ("changes", "context", "timeline"):
        watched.goto(f"{app}{neighbours[0]}/{part}")
        expect(links.first).to_have_attribute("href", f"{neighbours[0]}/{part}")


def test_a_hidden_rail_stays_hidden_without_a_jump(watched: Page, app: str, longest: str) -> None:
    watched.goto(f"{app}/sessions/{longest}")
    watched.keyboard.press("\\")
    expect(watched.locator("#rail")).to_be_hidden()
    toggle = watched.get_by_role("button", name="Outline and sessions")
    expect(toggle).to_have_attribute("aria-expanded", "false")
    watched.reload()

    expect(watched.locator("#rail")).to_be_hidden()
    assert watched.evaluate(SHIFTS) < 0.02
    toggle.click()
    expect(watched.locator("nav.outline")).to_be_visible()
    expect(toggle).to_have_attribute("aria-expanded", "true")


def test_a_run_has_the_rail_of_its_session(watched: Page, app: str, client: httpx.Client) -> None:
    run = client.get("/api/agent-runs").json()["agent_runs"][0]
    watched.goto(f"{app}/sessions/{run['session_id']}/runs/{run['id']}")
    expect(watched.locator("#rail")).to_be_hidden()
    watched.keyboard.press("\\")

    current = watched.locator(".around [aria-current=page]")
    expect(current).to_have_attribute("href", f"/sessions/{run['session_id']}")


def test_a_phone_has_a_menu_and_nothing_is_cut_off(phone: Page, app: str, longest: str) -> None:
    phone.goto(f"{app}/sessions/{longest}")
    bars = phone.locator(".site-head .top")
    expect(bars).to_have_count(2)
    for bar in bars.all():
        children = bar.locator(":scope > *").locator("visible=true")
        boxes = [child.bounding_box() for child in children.all()]
        assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    phone.get_by_role("button", name="Menu").tap()
    usage = phone.get_by_role("link", name="Usage", exact=True)
    expect(usage).to_be_in_viewport()
    usage.tap()

    expect(phone).to_have_url(f"{app}/usage?since=30d")


def test_on_a_phone_the_rail_is_a_drawer(phone: Page, app: str, neighbours: list[str]) -> None:
    phone.goto(app + neighbours[1])
    expect(phone.locator("#rail")).to_be_hidden()
    phone.get_by_role("button", name="Outline", exact=True).tap()
    expect(phone.locator("nav.outline")).to_be_visible()
    phone.get_by_role("button", name="Sessions", exact=True).tap()
    phone.locator(".around li a").first.tap()
    expect(phone).to_have_url(re.compile(re.escape(neighbours[0])))
    phone.goto(f"{app}{neighbours[1]}/changes")
    phone.get_by_role("button", name="Sessions around this one").tap()
    expect(phone.locator(".around [aria-current=page]")).to_be_in_viewport()
    phone.locator("main h1").tap(position={"x": 350, "y": 4})

    expect(phone.locator("#rail")).to_be_hidden()


def test_on_a_phone_pages_of_a_session_lead_to_each_other(
    phone: Page, app: str, longest: str
) -> None:
    phone.goto(f"{app}/sessions/{longest}/changes")
    links = phone.get_by_role("navigation", name="This session")
    links.get_by_role("link", name="Timeline").tap()
    expect(phone).to_have_url(f"{app}/sessions/{longest}/timeline")
    expect(links.locator("[aria-current=page]")).to_have_text("Timeline")
    links.get_by_role("link", name="Conversation").tap()

    expect(phone.locator("#talk")).to_be_visible()
    expect(links.locator("[aria-current=page]")).to_have_text("Conversation")


def test_the_palette_fits_a_phone(phone: Page, app: str) -> None:
    phone.goto(app)
    phone.locator("#palette").tap()
    phone.keyboard.type("retry")
    expect(phone.locator("#palette-list [role=option]:has(mark)").first).to_be_visible()
    box = phone.locator("#palette-list").bounding_box()

    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_calls_open_the_filter_by_tool(watched: Page, app: str, longest: str) -> None:
    watched.goto(f"{app}/sessions/{longest}")
    watched.locator(".facts > ul a", has_text="calls").click()
    expect(watched.locator("#menu")).to_be_visible()
    watched.keyboard.press("Escape")
    watched.locator(".about > summary").click()
    watched.locator(".tally a", has_text="Bash").first.click()

    expect(watched).to_have_url(re.compile("tool=Bash"))
    expect(watched.locator(".tool-call[data-tool=Read]").locator("visible=true")).to_have_count(0)
    expect(watched.locator(".tool-call[data-tool=Bash]").first).to_be_visible()


def test_the_errors_lead_to_the_first_one(watched: Page, app: str, longest: str) -> None:
    watched.goto(f"{app}/sessions/{longest}")
    watched.locator(".facts > ul .bad a").click()

    expect(watched.locator("main [data-error]").first).to_be_in_viewport()


def test_every_page_keeps_its_place_while_it_loads(
    browser: Browser, app: str, client: httpx.Client
) -> None:
    """The header and the rail come with the page: they move nothing later."""
    moved = {}
    for name, place in all_places(client).items():
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(app + place)
        shift = page.evaluate(SHIFTS)
        if shift > 0.1:
            moved[name] = shift
        context.close()

    assert moved == {}
