"""The door: the token opens it once, and the browser keeps it where scripts cannot look."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from clew.samples import samples_root
from tests.web.serving import client_for, serving, settings_for

TOKEN = "a-token-that-is-long-enough"  # noqa: S105 (of a server in this test)


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("locked")
    with serving(settings_for(home, samples_root(), token=TOKEN)) as address:
        yield address


def test_the_token_opens_the_door_once(page: Page, locked: str) -> None:
    page.goto(f"{locked}/usage")
    expect(page).to_have_url(f"{locked}/login")
    page.get_by_label("Token").fill("not the token at all")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Incorrect access token.")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{locked}/usage")
    expect(page.get_by_role("heading", name="Cost by day")).to_be_visible()
    page.goto(locked)
    expect(page.locator("[data-session]").first).to_be_visible()


def test_scripts_and_addresses_do_not_know_the_token(page: Page, locked: str) -> None:
    page.goto(locked)
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator("[data-session]").first).to_be_visible()
    cookie = page.context.cookies()[0]

    assert page.evaluate("document.cookie") == ""
    assert TOKEN not in page.url
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")


def test_a_link_from_another_site_opens_what_it_leads_to(page: Page, locked: str) -> None:
    page.goto(locked)
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator("[data-session]").first).to_be_visible()
    page.route(
        "http://chat.example/",
        lambda route: route.fulfill(
            body=f'<a href="{locked}/usage">look</a>', content_type="text/html"
        ),
    )
    page.goto("http://chat.example/")
    page.get_by_text("look").click()

    expect(page.get_by_role("heading", name="Cost by day")).to_be_visible()


def test_a_link_to_a_message_leads_there_after_the_token_was_shown(page: Page, locked: str) -> None:
    with client_for(locked) as client:
        client.headers["authorization"] = f"Bearer {TOKEN}"
        sessions = client.get("/api/sessions", params={"sort": "messages"}).json()["sessions"]
        session = sessions[0]["id"]
        messages = client.get(f"/api/sessions/{session}/conversation").json()["messages"]
    prompt = [message["id"] for message in messages if message["kind"] == "prompt"][-1]
    page.goto(f"{locked}/sessions/{session}#m-{prompt}")
    page.get_by_label("Token").fill("not the token at all")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{locked}/sessions/{session}#m-{prompt}")
    expect(page.locator(f"[id='m-{prompt}']")).to_be_in_viewport()
