"""An exported site in a real browser, opened from its files."""

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from clew.archive import open_archive
from clew.export import ExportOptions, export
from clew.samples import samples_root
from tests.browser.chromium import watch
from tests.browser.story import story
from tests.build import SessionBuilder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export the samples once, and a session with a fork and agent runs."""
    place = tmp_path_factory.mktemp("export")
    story().write(place / "root")
    write_site(place, [samples_root(), place / "root"])
    return place / "site"


def write_site(place: Path, roots: list[Path]) -> None:
    with open_archive(place / "home") as archive:
        archive.sync(roots)
        options = ExportOptions(form="html", workers=1)
        export(archive, list(archive.sessions()), place / "site", options)


@pytest.fixture
def site(page: Page, folder: Path) -> Iterator[Page]:
    """Open the first page; nothing on the way complains, or asks for more than files."""
    watched = watch(page)
    page.goto((folder / "index.html").as_uri())
    yield page
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith(("file:", "data:"))] == []


def test_the_index_lists_all_sessions_and_leads_to_each(site: Page, folder: Path) -> None:
    rows = site.locator("[data-session]")
    links = site.locator("[data-session] a.title")
    there = [str(link.get_attribute("href")) for link in links.all()]

    assert rows.count() == len(there) == len(list((folder / "sessions").glob("*.html")))
    assert all((folder / link).is_file() for link in there)


def test_the_index_is_filtered_by_words(site: Page) -> None:
    rows = site.locator("[data-session]").locator("visible=true")
    site.keyboard.press("/")
    site.keyboard.type("ferry retry")

    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Retry uploads on 503")
    expect(site.locator("[data-total]")).to_have_text("1 session")

    site.locator("[data-filter]").fill("no such thing anywhere")
    expect(rows).to_have_count(0)


def test_a_session_is_opened_and_left_again(site: Page) -> None:
    site.get_by_role("link", name="Retry uploads on 503").click()
    expect(site.locator("h1")).to_have_text("Retry uploads on 503")

    site.locator("header.top .path a").first.click()
    expect(site.locator("[data-session]").first).to_be_visible()


def test_the_search_finds_words_and_lands_on_their_message(site: Page) -> None:
    site.get_by_role("link", name="Search", exact=True).click()
    site.locator("#q").fill("uploads")
    hits = site.locator("[data-hit]")
    expect(hits.first).to_be_visible()
    assert "uploads" in (hits.first.locator("mark").first.text_content() or "").lower()

    name = follow(hits.first)

    expect(site.locator(f"[id='{name}']")).to_be_in_viewport()


def follow(hit: Locator) -> str:
    """Follow a hit to its page, whose address moves on with what is read; return where it led."""
    name = (hit.get_attribute("href") or "").partition("#")[2]
    hit.click()
    hit.page.wait_for_url(lambda url: "search.html" not in url)
    return name


@pytest.mark.parametrize("words", ["says the heron", "There are five.", "Fix the retry bug"])
def test_a_hit_is_shown_wherever_it_stands(site: Page, folder: Path, words: str) -> None:
    """On another branch, in an agent run, on the page itself."""
    site.goto((folder / "search.html").as_uri())
    site.locator("#q").fill(f'"{words}"')

    name = follow(site.locator(".found", has_text="Mend the uploader").locator("[data-hit]").first)

    expect(site.locator(f"[id='{name}']")).to_be_in_viewport()
    expect(site.locator(f"[id='{name}']").get_by_text(words).first).to_be_visible()


def test_the_search_asks_for_all_words_and_for_phrases(site: Page) -> None:
    site.get_by_role("link", name="Search", exact=True).click()
    field, count = site.locator("#q"), site.locator("[data-hits] .count")

    field.fill("uploads retry")
    expect(count).to_have_text(re.compile(r"^[1-9]\d* hits?$"))
    field.fill('"uploads retry"')
    expect(count).to_have_text("0 hits")
    field.fill("")
    expect(site.locator("[data-hits]")).to_be_empty()


def test_a_phrase_is_one_before_its_end_is_typed(site: Page, folder: Path) -> None:
    site.goto((folder / "search.html").as_uri())

    site.locator("#q").fill('"Fix the retry')

    expect(site.locator("[data-hit] mark").first).to_have_text("Fix the retry")


def test_coming_back_from_a_hit_the_others_are_there(site: Page, folder: Path) -> None:
    site.goto((folder / "search.html").as_uri())
    site.locator("#q").fill('"more words" made')
    site.locator("[data-hit]").first.click()
    expect(site.locator("h1")).to_have_text("Mend the uploader")

    site.go_back()

    expect(site.locator("#q")).to_have_value('"more words" made')
    expect(site.locator("[data-hit]")).to_have_count(12)


def test_all_hits_of_a_session_can_be_reached(site: Page, folder: Path) -> None:
    site.goto((folder / "search.html").as_uri())
    site.locator("#q").fill("e")
    found = site.locator(".found", has=site.get_by_role("link", name="Mend the uploader"))
    expect(found.locator("[data-hit]")).to_have_count(20)

    found.get_by_role("button", name=re.compile(r"^\d+ more in this session$")).click()

    expect(found.locator("[data-hit]")).not_to_have_count(20)
    expect(found.locator("[data-hit]").nth(20)).to_be_focused()
    expect(found.locator("time").last).not_to_be_empty()


def test_broken_texts_of_a_session_do_not_hide_the_others(page: Page, tmp_path: Path) -> None:
    for name in ("one", "two"):
        SessionBuilder(name).user(f"A wave of {name}").write(tmp_path / "root")
    write_site(tmp_path, [tmp_path / "root"])
    search = tmp_path / "site" / "search.html"
    whole = search.read_text("utf-8")
    packed = re.search(r'id="texts">([^<]+)', whole)
    assert packed
    first, second = packed[1].split(" ")
    search.write_text(whole.replace(packed[1], f"{first[:40]} {second}"), "utf-8")

    page.goto(search.as_uri())
    page.locator("#q").fill("wave")

    expect(page.locator(".found")).to_have_count(1)


def test_all_sessions_with_hits_can_be_reached(page: Page, tmp_path: Path) -> None:
    for number in range(12):
        built = SessionBuilder(f"wave-{number}")
        for _ in range(20):
            built.user("A wave").assistant("Water.")
        built.write(tmp_path / "root")
    write_site(tmp_path, [tmp_path / "root"])
    page.goto((tmp_path / "site" / "search.html").as_uri())
    page.locator("#q").fill("wave")
    expect(page.locator(".found")).to_have_count(10)

    page.get_by_role("button", name="2 more sessions").click()

    expect(page.locator(".found")).to_have_count(12)
    expect(page.get_by_role("button", name="more")).to_have_count(0)


def test_coming_back_to_the_index_the_same_rows_are_there(site: Page) -> None:
    rows = site.locator("[data-session]").locator("visible=true")
    site.locator("[data-filter]").fill("ferry retry")
    site.get_by_role("link", name="Retry uploads on 503").click()
    expect(site.locator("h1")).to_have_text("Retry uploads on 503")

    site.go_back()

    expect(rows).to_have_count(1)
    expect(site.locator("[data-filter]")).to_have_value("ferry retry")


@pytest.mark.parametrize("name", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_days_are_the_readers_own_as_times_are(browser: Browser, folder: Path, name: str) -> None:
    context = browser.new_context(timezone_id=name)
    page = context.new_page()
    page.goto((folder / "index.html").as_uri())
    groups = page.locator("[data-group]").evaluate_all(
        "groups => groups.map((g) => [g.querySelector('h2').innerText,"
        " [...g.querySelectorAll('time')].map((time) => time.dateTime)])"
    )
    context.close()

    titles = [title for title, _ in groups]
    assert titles == list(dict.fromkeys(titles))
    for title, times in groups:
        local = [dt.datetime.fromisoformat(at).astimezone(ZoneInfo(name)) for at in times]
        assert {f"{at:%A}, {at.day} {at:%B %Y}" for at in local} == {title}


def test_usage_shows_charts_and_leads_to_sessions(site: Page, folder: Path) -> None:
    site.get_by_role("link", name="Usage", exact=True).click()

    expect(site.locator("main svg").first).to_be_visible()
    assert site.locator("main svg rect").count() > 10
    assert "$" in site.locator("main").inner_text()
    leading = [str(a.get_attribute("href")) for a in site.locator("main a[href]").all()]
    files = {link.partition("#")[0] for link in leading if not link.startswith(("#", "http"))}
    assert files
    assert all((folder / name).is_file() for name in files)


@pytest.mark.parametrize("name", ["index.html", "usage.html", "search.html"])
def test_the_pages_of_a_site_fit_a_phone(browser: Browser, folder: Path, name: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto((folder / name).as_uri())

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


def test_the_index_is_read_without_scripts(browser: Browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "index.html").as_uri())

    page.get_by_role("link", name="Retry uploads on 503").click()
    expect(page.locator("h1")).to_have_text("Retry uploads on 503")
    context.close()
