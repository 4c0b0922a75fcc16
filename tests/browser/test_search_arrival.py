"""A hit of a search leads to its words: in closed calls, thinking and sections that come later."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chromium import watch
from tests.build import SessionBuilder, bash
from tests.web.serving import serving, settings_for

TURNS = 60
LIST = "\n".join(f"- item {number} of `many`" for number in range(20))
MARKED = "[...(CSS.highlights.get('found-now') ?? [])].map(String)"
IS_IN_VIEW = """() => {
  const [range] = CSS.highlights.get('found-now');
  const box = range.getBoundingClientRect();
  return box.height > 0 && box.top >= 40 && box.bottom <= innerHeight;
}"""


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an app with a session of which most is not sent with its page."""
    folder = tmp_path_factory.mktemp("far")
    _long().write(folder / "root")
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield address


def _long() -> SessionBuilder:
    built = SessionBuilder("far").at("2026-11-01T09:00:00Z")
    for number in range(TURNS):
        built.user(f"Prompt {number}")
        think = "A heron may do it." if number == 50 else None
        shows = "a walrus swims" if number == 45 else "done"
        built.tools(bash(f"make part-{number}", shows), think=think)
        if number == 40:
            built.agent("Count", "Count all.", _count)
        built.assistant(f"Part {number} is {'needle' if number == 55 else 'hay'}.\n\n{LIST}")
    return built


def _count(run: SessionBuilder) -> None:
    for number in range(30):
        run.tools(bash(f"wc -l {number}", "7"))
        run.assistant(f"File {number} has a {'narwhal' if number == 20 else 'fish'}.\n\n{LIST}")


@pytest.fixture
def searching(page: Page, far: str) -> Iterator[Page]:
    """Open the search page; no script may fail."""
    watched = watch(page)
    page.goto(f"{far}/search")
    yield page
    assert watched.errors == []


def follow(page: Page, query: str) -> Locator:
    """Search for something, and follow the first hit; return the count of what was found."""
    page.goto(f"{page.url.partition('/search')[0]}/search?q={quote(query)}")
    page.locator("[data-hit]").first.click()
    page.wait_for_url("**/sessions/**")
    return page.locator("search [data-found]")


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("needle", "needle"),
        ("swims in:results", "swims"),
        ('"part-45"', "part-45"),
        ("heron in:thinking", "heron"),
        ("narwhal", "narwhal"),
    ],
)
def test_a_hit_is_marked_and_in_view(searching: Page, query: str, word: str) -> None:
    count = follow(searching, query)

    expect(searching.locator("#find")).to_have_value(word)
    expect(count).to_have_text(re.compile(r"^1 / \d+$"))
    assert searching.evaluate(MARKED) == [word]
    searching.wait_for_function(IS_IN_VIEW)


def test_a_hit_in_a_tools_input_opens_its_call(searching: Page) -> None:
    follow(searching, "part-44 tool:Bash")

    call = searching.locator("[data-tool=Bash]", has_text="make part-44")
    expect(call).to_have_attribute("open", "")
    assert searching.url.partition("#")[2] == call.get_attribute("id")


def test_find_goes_on_from_the_hit(searching: Page) -> None:
    count = follow(searching, '"item 7" "part 30"')
    expect(count).to_have_text(re.compile(r"^\d+ / \d+$"))
    number, total = map(int, count.inner_text().split(" / "))
    searching.locator("#find").press("Enter")

    expect(count).to_have_text(f"{number % total + 1} / {total}")


@pytest.mark.parametrize(
    ("query", "shown", "marked"),
    [
        ("item needle", "item needle", ["needle", "item"]),
        ('"item 7" needle', '"item 7" needle', ["needle", "item 7"]),
        ('"is needle"', "is needle", ["is needle"]),
    ],
)
def test_find_has_all_that_was_asked_for(
    searching: Page, query: str, shown: str, marked: list[str]
) -> None:
    count = follow(searching, query)

    expect(searching.locator("#find")).to_have_value(shown)
    expect(count).to_have_text(re.compile(r"^\d+ / \d+$"))
    found = searching.evaluate("[...CSS.highlights.get('found')].map(String)")
    assert set(found) >= set(marked)


def test_words_can_be_a_phrase_again(searching: Page) -> None:
    count = follow(searching, "is needle")
    expect(count).to_have_text(re.compile(r"^\d+ / \d+$"))
    every = int(count.inner_text().split(" / ")[1])
    choice = searching.get_by_role("button", name="any word")
    expect(choice).to_have_attribute("aria-pressed", "true")
    choice.click()

    expect(count).to_have_text("1")
    assert every > 1
    expect(choice).to_have_attribute("aria-pressed", "false")
    choice.click()
    expect(count).to_have_text(str(every))
    # What is typed afresh is found as it stands.
    searching.locator("#find").fill("")
    searching.locator("#find").fill("item 7")
    expect(choice).to_have_attribute("aria-pressed", "false")


def test_a_count_is_none_of_what_was_typed_before(searching: Page) -> None:
    count = follow(searching, "needle")
    expect(count).to_have_text("1 / 1")
    searching.locator("#find").evaluate(
        """box => {
          box.value = "hay";
          box.dispatchEvent(new InputEvent("input", { bubbles: true }));
          const count = document.querySelector("search [data-found]").textContent;
          window.told = [count, CSS.highlights.get("found-now").size];
        }"""
    )

    assert searching.evaluate("window.told") == ["…", 0]
    expect(count).to_have_text(str(TURNS - 1))


# In every frame in which the talk is seen: how far from the top of the window a place is. However
# slow a machine is, nobody gives up waiting for the place.
FRAMES = """
const later = window.setTimeout;
window.setTimeout = (act, ms, ...values) => (ms === 2000 ? 0 : later(act, ms, ...values));
window.tops = [];
const look = () => {
  const main = document.querySelector("main");
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (main && getComputedStyle(main).opacity === "1") {
    window.tops.push(place ? Math.round(place.getBoundingClientRect().top) : null);
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


@pytest.mark.parametrize("query", ["needle", "heron in:thinking", "Prompt 2", '"part-45"'])
def test_a_session_opens_at_the_hit(searching: Page, query: str) -> None:
    searching.add_init_script(FRAMES)
    count = follow(searching, query)
    expect(count).to_have_text(re.compile(r"^\d+ / \d+$"))
    expect(searching.locator("html:not([data-arriving])")).to_have_count(1)
    searching.wait_for_function("() => window.tops.length > 20")
    seen = searching.evaluate("window.tops")

    assert None not in seen
    assert max(seen) - min(seen) <= 2


def test_a_link_to_a_message_opens_there(searching: Page) -> None:
    href = searching.request.get(searching.url, params={"q": "needle"}).text()
    (place,) = set(re.findall(r'href="([^"]+)" data-hit', href))
    searching.add_init_script(FRAMES)
    searching.goto(searching.url.partition("/search")[0] + place.replace("&#x2f;", "/"))
    expect(searching.locator("html:not([data-arriving])")).to_have_count(1)
    searching.wait_for_function("() => window.tops.length > 20")
    seen = searching.evaluate("window.tops")

    assert None not in seen
    assert max(seen) - min(seen) <= 2


def test_a_page_without_the_place_is_seen(searching: Page) -> None:
    searching.locator("#q").fill("needle")
    searching.locator("[data-hit]").first.click()
    searching.wait_for_url("**/sessions/**")
    searching.goto(f"{searching.url.partition('#')[0]}?#m-nowhere")

    expect(searching.locator("html:not([data-arriving])")).to_have_count(1)
    expect(searching.get_by_text("Prompt 0").last).to_be_in_viewport()


def test_the_map_shows_where_something_was_found(searching: Page) -> None:
    count = follow(searching, "needle")
    expect(count).to_have_text("1 / 1")
    path = searching.locator("[data-map] path.found")
    expect(path).to_have_attribute("d", re.compile(r"^M[^M]+$"))
    box = searching.locator("#find")
    box.fill("zebra")
    expect(count).to_have_text("0")
    expect(path).to_have_count(0)
    box.fill("item 7")
    expect(count).to_have_text(re.compile(r"^\d+$"))
    expect(path).to_have_attribute("d", re.compile(r"^(M[^M]+){60,}$"))
    box.press("Escape")

    expect(path).to_have_count(0)
