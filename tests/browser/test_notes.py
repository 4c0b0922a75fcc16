"""Own notes on the page of a session, and their marks in lists."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from clew.render.site import APP
from clew.samples import samples_root
from tests.browser.chromium import watch
from tests.web.serving import client_for, serving, settings_for

pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an app with sample sessions, for one test: it changes them."""
    with serving(settings_for(tmp_path_factory.mktemp("samples"), samples_root())) as address:
        yield address


@pytest.fixture
def client(app: str) -> Iterator[httpx.Client]:
    with client_for(app) as asking:
        yield asking


@pytest.fixture
def session(client: httpx.Client) -> str:
    sessions = client.get("/api/sessions").json()["sessions"]
    return str(max(sessions, key=lambda one: one["messages"])["id"])


def test_star_tags_text_title_and_hiding_are_set_on_the_page(
    page: Page, app: str, client: httpx.Client, session: str
) -> None:
    watched = watch(page)
    page.goto(f"{app}/sessions/{session}")
    panel = page.get_by_role("region", name="Your note")

    panel.get_by_role("button", name="Star").click()
    expect(panel.get_by_role("button", name="Starred")).to_have_attribute("aria-pressed", "true")
    panel.get_by_text("Note", exact=True).click()
    panel.get_by_label("Add a tag").fill("bug, later")
    panel.get_by_label("Add a tag").press("Enter")
    expect(panel.locator("[data-tag]")).to_have_count(2)
    expect(panel.get_by_label("Add a tag")).to_be_focused()
    panel.get_by_role("button", name="Remove the tag later").click()
    expect(panel.locator("[data-tag]")).to_have_count(1)
    panel.get_by_role("button", name="Add note").click()
    panel.get_by_label("Your note").fill("<b>Breaks</b> on 503.")
    panel.get_by_role("button", name="Save").click()
    expect(panel.locator("[data-text]")).to_have_text("<b>Breaks</b> on 503.")
    panel.get_by_role("button", name="Rename").click()
    page.get_by_label("Your title").fill("Retries, at last")
    page.get_by_label("Your title").press("Enter")
    expect(page.locator("h1")).to_have_text("Retries, at last")
    expect(page).to_have_title("Retries, at last · clew")
    panel.get_by_role("button", name="Hide").click()
    expect(panel.get_by_text("You have hidden this session")).to_be_visible()

    note = client.get(f"/api/sessions/{session}/note").json()["note"]
    assert (note["is_starred"], note["tags"], note["title"]) == (True, ["bug"], "Retries, at last")
    assert (note["text"], note["is_hidden"]) == ("<b>Breaks</b> on 503.", True)
    assert watched.errors == []


def test_messages_are_bookmarked_by_key_and_found_again(
    page: Page, app: str, client: httpx.Client, session: str
) -> None:
    watched = watch(page)
    page.goto(f"{app}/sessions/{session}")
    expect(page.locator("[data-waiting]")).to_have_count(0)
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("b")
    page.get_by_label("Comment on the bookmark").fill("the cause")
    page.keyboard.press("Enter")

    expect(page.locator(".own-bookmarks a")).to_contain_text("the cause")
    expect(page.locator(".own-outline a")).to_have_text("⚑the cause")
    expect(page.locator(".own-flag")).to_have_count(1)
    [mark] = client.get(f"/api/sessions/{session}/note").json()["note"]["bookmarks"]
    message = page.locator(f"[id='m-{mark['message_id']}']")
    expect(message).to_have_attribute("data-bookmarked", "")
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    page.locator(".own-outline a").click()
    expect(message).to_be_in_viewport()
    message.hover()
    message.get_by_role("button", name="Bookmark the message").click()
    expect(page.locator(".own-bookmarks")).to_have_count(0)
    expect(page.locator(".own-flag")).to_have_count(0)
    assert watched.errors == []


def test_rows_show_small_marks(page: Page, app: str, client: httpx.Client, session: str) -> None:
    change = {"star": True, "add_tags": ["bug"], "text": "See the log.", "title": "Retries"}
    client.post(f"/api/sessions/{session}/note", json=change)

    page.goto(f"{app}{APP.filtered_sessions(starred='yes')}")

    row = page.locator(f"[data-session='{session}']")
    expect(row).to_contain_text("Retries")
    expect(row).to_contain_text("★")
    expect(row).to_contain_text("#bug")
    expect(row.locator("[title='See the log.']")).to_be_visible()


def test_without_scripts_a_note_is_read(client: httpx.Client, session: str) -> None:
    message = client.get(f"/api/sessions/{session}/messages").json()["messages"][0]["id"]
    client.post(f"/api/sessions/{session}/note", json={"text": "See the log.", "star": True})
    client.post(
        f"/api/sessions/{session}/bookmarks", json={"message_id": message, "comment": "why"}
    )

    text = client.get(f"/sessions/{session}").text

    assert "See the log." in text
    assert f'href="#m-{message}"' in text


def test_a_mistake_is_told_beside_the_field(page: Page, app: str, session: str) -> None:
    page.goto(f"{app}/sessions/{session}")
    page.get_by_text("Note", exact=True).click()
    page.get_by_label("Add a tag").fill("a*")
    page.get_by_label("Add a tag").press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("which no tag may")
