"""A session in the app: in pieces, with everything that leads elsewhere."""

import httpx
from playwright.sync_api import Page, expect

from tests.browser.chromium import watch
from tests.browser.waiting import settled_top


def test_the_first_screen_comes_before_the_rest(
    page: Page, app: str, client: httpx.Client, longest: str
) -> None:
    sent = client.get(f"/sessions/{longest}").text

    page.goto(f"{app}/sessions/{longest}")

    assert "data-waiting" in sent
    expect(page.locator("[data-waiting]")).to_have_count(0)
    turns = page.locator("nav.outline li").count()
    assert page.locator("section.turn .turn-head").count() >= turns - 1


def test_a_link_to_what_is_not_there_yet_gets_there(
    page: Page, app: str, client: httpx.Client, longest: str
) -> None:
    messages = client.get(f"/api/sessions/{longest}/conversation").json()["messages"]
    prompts = [message["id"] for message in messages if message["kind"] == "prompt"]
    watched = watch(page)
    page.goto(f"{app}/sessions/{longest}#m-{prompts[-2]}")
    expect(page.locator("[data-waiting]")).to_have_count(0)

    place = page.locator(f"[id='m-{prompts[-2]}']")
    expect(place).to_be_in_viewport()
    assert 0 <= settled_top(place) < 300
    assert watched.errors == []


def test_a_link_to_a_call_opens_it(
    page: Page, app: str, client: httpx.Client, longest: str
) -> None:
    calls = client.get(f"/api/sessions/{longest}/conversation").json()["tool_calls"]

    page.goto(f"{app}/sessions/{longest}#c-{calls[-1]['id']}")

    call = page.locator(f"[id='c-{calls[-1]['id']}']")
    expect(call).to_be_in_viewport()
    expect(call).to_have_attribute("open", "")


def test_all_lines_of_a_difference_begin_at_one_place(page: Page, app: str) -> None:
    page.goto(f"{app}/sessions/b6aa330c")
    page.locator("[data-waiting]").first.wait_for(state="detached")
    page.locator("summary").filter(has_text="tests/test_upload.py").filter(
        has_text="Edit"
    ).first.click()
    lines = page.locator(".diff .text:visible").first.locator(":scope > span")

    expect(lines.locator(":scope.same").first).to_be_visible()
    expect(lines.locator(":scope.added").first).to_be_visible()
    starts = lines.evaluate_all("all => all.map((one) => one.getBoundingClientRect().left)")
    assert len(set(starts)) == 1, starts


def test_the_map_leads_to_what_is_not_there_yet(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}")
    box = page.locator("[data-map]").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 10, box["y"] + box["height"] * 0.9)

    expect(page.locator("nav.outline li:nth-last-child(-n+5) a[aria-current]")).to_be_visible()


def test_another_branch_is_chosen_by_its_tab(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}")
    fork = page.locator("[data-fork]").first
    expect(fork.locator(":scope > [data-main]")).to_be_visible()
    fork.locator("[data-branch][aria-pressed=false]").first.click()

    expect(fork.locator(":scope > section.branch[data-chosen]")).to_be_visible()
    expect(fork.locator(":scope > [data-main]")).to_be_hidden()


def test_a_message_shows_the_lines_that_it_comes_from(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}")
    first = page.locator("main article.prompt").first
    first.hover()
    first.get_by_role("button", name="Show the raw lines").click()

    expect(first.locator("pre.raw")).to_contain_text('"type": "user"')
    first.get_by_role("button", name="Show the raw lines").click()
    expect(first.locator("pre.raw")).to_have_count(0)
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.locator("pre.raw")).to_contain_text('"uuid"')


def test_a_session_leads_to_all_that_there_is_of_it(
    page: Page, app: str, client: httpx.Client, longest: str
) -> None:
    page.goto(f"{app}/sessions/{longest}")
    links = page.locator(".session-links a")
    addresses = [link.get_attribute("href") or "" for link in links.all()]

    statuses = {address: client.get(address).status_code for address in addresses}

    assert set(statuses.values()) == {200}
    for word in ("export?session=", "conversation", "transcripts/0", "timeline", "kept"):
        assert any(word in address for address in addresses)


def test_the_command_that_goes_on_with_it_is_there(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}")
    page.locator(".about > summary").click()

    expect(page.locator("[data-copied]")).to_contain_text(f"claude --resume {longest}")


def test_results_in_files_of_their_own_can_be_had(
    page: Page, app: str, client: httpx.Client, longest: str
) -> None:
    page.goto(f"{app}/sessions/{longest}/kept")
    result = page.get_by_role("link", name="tool-results/").get_attribute("href") or ""

    assert client.get(result).headers["content-type"].startswith("text/plain")


def test_a_bar_of_the_timeline_leads_to_its_message(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}/timeline")
    page.locator("[data-timeline] a:has(rect.model)").nth(40).click()

    expect(page.locator("article:target")).to_be_in_viewport()


def test_the_timeline_zooms_by_keys(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}/timeline")
    before = page.locator("[data-chart]").bounding_box()
    page.locator("[data-timeline]").press("+")
    after = page.locator("[data-chart]").bounding_box()

    assert before is not None
    assert after is not None
    assert after["width"] > before["width"]
    assert after["height"] == before["height"]


def test_an_agent_run_is_opened_on_a_page_of_its_own(
    page: Page, app: str, client: httpx.Client
) -> None:
    run = client.get("/api/agent-runs").json()["agent_runs"][0]
    session = f"{app}/sessions/{run['session_id']}"
    page.goto(f"{session}#c-{run['tool_call_id']}")
    page.locator(f"a.own-page[href*='{run['id']}']").first.click()

    expect(page).to_have_url(f"{session}/runs/{run['id']}")
    expect(page.locator("main article").first).to_be_visible()
    page.get_by_role("link", name="Call that started it").click()
    expect(page.locator("details.tool-call:target")).to_be_in_viewport()


def test_find_reaches_what_came_later(page: Page, app: str, longest: str) -> None:
    page.goto(f"{app}/sessions/{longest}")
    expect(page.locator("[data-waiting]")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("tessera watch")

    expect(page.locator("[data-found]")).not_to_be_empty()


def test_the_head_of_a_session_leaves_room_for_the_conversation(
    page: Page, app: str, longest: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{app}/sessions/{longest}")
    first = page.locator("[data-sections]").bounding_box()
    more = page.locator(".more-pages")

    assert first is not None
    assert first["y"] < 900 / 2
    expect(page.get_by_role("link", name="JSONL")).to_be_hidden()
    more.locator("summary").click()
    expect(page.get_by_role("link", name="JSONL")).to_be_visible()
