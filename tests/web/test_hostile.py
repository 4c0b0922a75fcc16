"""Hostile texts, with NULs and halves of characters in them, are answered like all others."""

import html
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

import httpx
import pytest

from tests.browser.hostile import ATTACKS, write_hostile_root
from tests.recordings import HERE
from tests.web.serving import client_for, serving, settings_for

pytestmark = pytest.mark.slow

SCENARIOS = ("2.1.325/subagent", "2.1.325/tui-commands", "2.1.325/web", "2.1.325/tui-plan")
HTML = {"accept": "text/html"}
STARTS = ("/", "/search?q=pwned", "/usage", "/files", "/permissions", "/lessons")
PARTS = (
    "",
    "/conversation",
    "/digest",
    "/page",
    "/messages",
    "/tool-calls",
    "/agent-runs",
    "/facts",
    "/transcripts",
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    recordings = (HERE / scenario / "root" for scenario in SCENARIOS)
    payload = " ".join(ATTACKS.values())
    root = write_hostile_root(tmp_path_factory.mktemp("hostile"), recordings, payload)
    home = tmp_path_factory.mktemp("archive")
    with serving(settings_for(home, root)) as address, client_for(address) as client:
        yield client


def links(address: str, page: str) -> Iterator[str]:
    """Give where a page leads, within the app."""
    for found in re.findall(r'href="([^"]+)"', page):
        place = urlsplit(urljoin(address, html.unescape(found)))
        if not place.scheme:
            yield place.path + (f"?{place.query}" if place.query else "")


def test_every_link_of_every_page_leads_somewhere(hostile: httpx.Client) -> None:
    sessions = {s["id"] for s in hostile.get("/api/sessions").json()["sessions"]}
    found: dict[str, int] = {}
    todo = list(STARTS)
    while todo:
        address = todo.pop()
        if address in found:
            continue
        answer = hostile.get(address, headers=HTML, follow_redirects=True)
        found[address] = answer.status_code
        # Filters combine without end: a page with two of them leads no further.
        is_narrow = len(parse_qsl(urlsplit(address).query)) > 1
        if answer.headers["content-type"].startswith("text/html") and not is_narrow:
            todo += links(address, answer.text)

    # A session may name another one, from which it goes on, that is not kept.
    wrong = {
        address: status
        for address, status in found.items()
        if status != 200
        and not (address.startswith("/sessions/") and address.split("/")[2] not in sessions)
    }
    assert len(found) > 100
    assert wrong == {}
    assert set(found.values()) == {200, 404}


def test_all_that_can_be_asked_of_a_hostile_session_is_answered(hostile: httpx.Client) -> None:
    sessions = hostile.get("/api/sessions").json()["sessions"]
    places = [f"/api/sessions/{quote(s['id'], safe='')}{part}" for s in sessions for part in PARTS]

    assert len(sessions) > 3
    assert {hostile.get(place).status_code for place in places} == {200}


def test_files_and_projects_are_found_by_their_whole_names(hostile: httpx.Client) -> None:
    files = hostile.get("/api/files").json()["files"]
    projects = hostile.get("/api/projects").json()["projects"]

    assert files
    assert projects
    assert not any("\x00" in file["path"] for file in files)
    for file in files:
        found = hostile.get("/api/file-uses", params={"path": file["path"]}).json()["uses"]
        assert {use["path"] for use in found} == {file["path"]}
    for project in projects:
        found = hostile.get("/api/sessions", params={"project": project["project"]}).json()
        assert found["total"] == project["sessions"]


@pytest.mark.parametrize("text", ["%00", "%ED%A0%80", "%FF", "%F4%90%80%80"])
@pytest.mark.parametrize(
    "place",
    [
        "/sessions?text=",
        "/sessions?project=",
        "/sessions?counted=project:",
        "/sessions?counted=tool:",
        "/sessions?cursor=",
        "/search?q=",
        "/usage?model=",
        "/usage?tz=",
        "/files?path=",
        "/files/history?path=",
        "/sessions/",
        "/api/tool-calls?tool=",
        "/api/file-uses?path=",
        "/api/search?q=",
        "/api/sessions?session=",
    ],
)
def test_what_is_no_text_in_an_address_is_refused_or_found_nowhere(
    hostile: httpx.Client, place: str, text: str
) -> None:
    assert hostile.get(f"{place}{text}").status_code in (200, 400, 404)
