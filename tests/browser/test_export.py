"""Export in a browser: from a session, a search and a selection to a file on disk."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from clew.web.pages import export as export_pages
from tests.browser.axe import find_violations
from tests.browser.chromium import watch
from tests.build import SessionBuilder, bash
from tests.web.serving import serving, settings_for


def saved(page: Page, folder: Path) -> Path:
    """Press Save, and give the file."""
    with page.expect_download() as download:
        page.locator("[data-save]").click()
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    return target


def test_a_session_is_saved_as_one_file_that_opens_without_a_server(
    page: Page, app: str, longest: str, tmp_path: Path
) -> None:
    watched = watch(page)
    page.goto(f"{app}/sessions/{longest}")
    page.locator(".session-links").get_by_role("link", name="Export").click()
    expect(page.locator(".redaction h2")).to_contain_text("Masked")
    file = saved(page, tmp_path)

    title = page.locator("h1 bdi").inner_text()
    watched.requests.clear()
    page.goto(file.as_uri())

    expect(page.locator("h1")).to_have_text(title)
    assert page.locator("[data-kind=prompt]").count() > 0
    assert [url for url in watched.requests if not url.startswith(("file:", "data:"))] == []
    assert watched.errors == []


def test_several_sessions_are_one_page_with_contents(
    page: Page, app: str, client: httpx.Client, tmp_path: Path
) -> None:
    watched = watch(page)
    found = client.get("/api/sessions", params={"limit": 3}).json()["sessions"]
    address = "&".join(f"session={one['id']}" for one in found)
    page.goto(f"{app}/export?{address}")
    page.goto(saved(page, tmp_path).as_uri())

    expect(page.locator(".contents li")).to_have_count(3)
    page.locator(".contents a").nth(2).click()
    expect(page.locator("#session-3 .session-title")).to_be_in_viewport()
    page.keyboard.press("/")
    page.keyboard.type("the")
    expect(page.locator("[data-found]")).to_have_text(re.compile(r"[1-9]"))
    assert find_violations(page) == []
    assert watched.errors == []


def test_a_choice_takes_effect_at_once(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/export?session={longest}")
    page.get_by_label("Secrets").select_option("false")
    expect(page.locator(".redaction h2")).to_contain_text("Not masked")
    page.get_by_label("Format").select_option("markdown")
    expect(page.locator("[data-save]")).to_contain_text(".md")
    page.get_by_label("Turns").fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("[data-save]")).to_contain_text("turns-1.md")
    assert "redact=false" in page.url


def test_a_place_of_the_report_leads_to_its_message(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/export?session={longest}")
    page.locator(".found-kinds summary").first.click()
    page.locator(".places a").first.click()

    expect(page).to_have_url(re.compile(rf"/sessions/{longest}.*#[mc]-"))


def test_a_long_report_shows_its_progress(
    page: Page, app: str, longest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_pages, "_INLINE_BYTES", 0)
    watched = watch(page)
    page.goto(f"{app}/export?session={longest}")

    expect(page.locator("[data-save]")).to_be_visible()
    expect(page.locator(".export-progress")).to_have_count(0)
    assert any("/export/report?" in url for url in watched.requests)
    assert watched.errors == []


def test_a_search_leads_to_its_export(page: Page, app: str, tmp_path: Path) -> None:
    page.goto(f"{app}/search?q=test")
    page.locator("[data-export]").click()
    page.get_by_label("Contents").select_option("hits")
    expect(page.locator("[data-save]")).to_contain_text("clew-search.html")
    page.goto(saved(page, tmp_path).as_uri())

    expect(page.locator("mark").first).to_have_text(re.compile("test", re.IGNORECASE))
    assert find_violations(page) == []


def test_the_page_is_accessible(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/export?session={longest}&redact=false")

    assert find_violations(page) == []


def test_titles_are_masked_on_the_page_and_in_the_file(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_pages, "_INLINE_BYTES", 0)
    token = "ghp_" + "n4Vq8Rk2Zt6Wb1Yx9Lm3Pc7Hd5Js0Fg2aTeU"
    phrase = "mossy-kettle-92-lantern"
    named = SessionBuilder("named").ai_title(f"Log in with {phrase}").user("Log in")
    named.tools(bash("env", f"DB_PASSWORD={phrase}")).assistant("Done.")
    cut = SessionBuilder("cut").user(f"{'Publish the board. ' * 5}Use {token} for it.")
    cut.assistant("Done.")
    for built in (named, cut):
        built.write(tmp_path / "root")
    secrets = (phrase, token[:12])
    with serving(settings_for(tmp_path / "archive", tmp_path / "root")) as address:
        for built, title in ((named, "Log in with [redacted:"), (cut, "Publish the board.")):
            page.goto(f"{address}/export?session={built.session_id}")
            expect(page.locator("h1")).to_contain_text(title)
            expect(page.locator(".top .name")).to_contain_text(title)
            shown = page.content()
            for form in ("HTML", "Markdown", "JSON"):
                page.get_by_label("Format").select_option(label=form)
                expect(page.locator("[data-save]")).to_contain_text(
                    {"HTML": ".html", "Markdown": ".md", "JSON": ".json"}[form]
                )
                shown += saved(page, tmp_path).read_text("utf-8")
            assert [secret for secret in secrets if secret in shown] == []


def test_counts_of_the_report_are_one_line_each(page: Page, app: str, longest: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{app}/export?session={longest}")
    figures = page.locator(".found-kinds summary .figure")
    expect(figures.first).to_have_text(re.compile(r"^[\d,]+ places?$"))

    assert all(not text.startswith(",") for text in figures.all_inner_texts())
    heights = figures.evaluate_all("all => all.map((one) => one.getClientRects().length)")
    assert set(heights) == {1}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
