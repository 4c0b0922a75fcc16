"""The header of every page, the palette, and the sessions around one."""

import html
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.browser.places import all_places, routes_without
from tests.build import SessionBuilder, edit, read
from tests.web.serving import client_for, serving, settings_for
from tools.screenshots import shots

HTML = {"accept": "text/html"}
SECTIONS = ("Home", "Sessions", "Search", "Usage", "Files", "Lessons", "Permissions")
WORK = (
    ("/home/dev/mill", edit("/home/dev/mill/src/Wheel.py", "a\n", "a", "b")),
    ("/home/dev/mill", edit("/home/dev/mill/src/wheel_test.py", "a\n", "a", "b")),
    ("/home/dev/mill", read("/home/dev/mill/wheel.py/notes.md", "a")),
    ("/home/dev/mill", read("/etc/wheel.pyc", "a")),
    (
        "/home/dev/mill/.worktrees/3",
        edit("/home/dev/mill/.worktrees/3/src/wheel.py", "a", "a", "b"),
    ),
)
TITLES = ("Mend the gate", "Paint the gate", "Paint the fence", "Feed the hens", "Paint <b>it")


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve five sessions of two projects, one each hour, and one without talk."""
    root = tmp_path_factory.mktemp("root")
    for hour, title in enumerate(TITLES):
        folder = "/home/dev/barn" if title.startswith("Feed") else "/home/dev/yard"
        built = SessionBuilder(f"farm-{hour}", cwd=folder).at(f"2026-11-0{hour + 1}T08:00:00Z")
        built.user(f"{title}, please").assistant(f"The {hour} zebra is done.").write(root)
    settings = settings_for(tmp_path_factory.mktemp("archive"), root)
    with serving(settings) as address, client_for(address) as client:
        yield client


def ask(client: httpx.Client, path: str, **params: Any) -> Any:
    found = client.get(path, params=params)
    assert found.status_code == 200, found.text
    return found.json()


def ids(client: httpx.Client) -> dict[str, str]:
    """Give the id of each session by its title."""
    found = ask(client, "/api/sessions")["sessions"]
    return {one["title"].removesuffix(", please"): one["id"] for one in found}


def titles(found: list[dict[str, Any]]) -> list[str]:
    return [one["title"].removesuffix(", please") for one in found]


def header_of(page: str) -> str:
    found = re.search(r'<header class="site-head".*?</header>', page, re.DOTALL)
    assert found is not None
    return found[0]


def test_every_page_has_a_picture_in_the_docs() -> None:
    taken = [shot.path for shot in shots("retry", "agents", "longest", "run")]

    # The blame of a file needs a repository, and has a tool of its own.
    assert routes_without([*taken, "/files/blame"]) == set()


def test_every_page_has_the_same_header(client: httpx.Client) -> None:
    places = all_places(client)
    del places["door"]
    headers = {
        name: header_of(client.get(place, headers=HTML, follow_redirects=True).text)
        for name, place in places.items()
    }

    for name, header in headers.items():
        words = re.findall(r'<li><a href="[^"]*"[^>]*>([^<]+)</a>', header)
        assert tuple(words[: len(SECTIONS)]) == SECTIONS, name
        assert 'id="palette"' in header, name


def test_pages_about_a_session_lead_to_one_another(client: httpx.Client) -> None:
    own = all_places(client)["a session"]
    for part in ("changes", "context", "timeline", "kept"):
        page = client.get(f"{own}/{part}", headers=HTML).text
        links = [html.unescape(url) for url in re.findall(r'href="([^"]*)"', page)]
        query = "" if part == "kept" else f"?part={part}"
        for url in (own, f"{own}/changes", f"{own}/previous{query}", f"{own}/next{query}"):
            assert url in links


def test_whoever_must_log_in_has_no_sections(client: httpx.Client) -> None:
    header = header_of(client.get("/login", headers=HTML).text)

    assert "<nav" not in header
    assert 'id="palette"' not in header


def test_without_words_the_palette_has_the_latest_sessions(farm: httpx.Client) -> None:
    found = ask(farm, "/api/palette")

    assert found["schema"] == "clew.palette/1"
    assert titles(found["sessions"]) == list(reversed(TITLES))
    assert found["hits"] == found["projects"] == []


def test_the_palette_finds_titles_before_texts(farm: httpx.Client) -> None:
    found = ask(farm, "/api/palette", q="paint gate")

    assert titles(found["sessions"]) == ["Paint the gate"]
    assert found["sessions"][0]["url"] == f"/sessions/{ids(farm)['Paint the gate']}"
    assert [hit["session_id"] for hit in found["hits"]] == [ids(farm)["Paint the gate"]]


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve three sessions that read and edit files of a project, a worktree and another place."""
    root = tmp_path_factory.mktemp("root")
    for day, (folder, call) in enumerate(WORK, 1):
        built = SessionBuilder(f"mill-{day}", cwd=folder).at(f"2026-11-0{day}T08:00:00Z")
        built.user(f"Turn the wheel {day}").tools(call).write(root)
    settings = settings_for(tmp_path_factory.mktemp("archive"), root)
    with serving(settings) as address, client_for(address) as client:
        yield client


def files_of(client: httpx.Client, query: str) -> list[str]:
    return [one["path"] for one in ask(client, "/api/palette", q=query)["files"]]


def test_files_with_the_name_come_first_and_of_these_the_last_edited(mill: httpx.Client) -> None:
    assert files_of(mill, "wheel.py") == [
        "/home/dev/mill/.worktrees/3/src/wheel.py",
        "/home/dev/mill/src/Wheel.py",
        "/etc/wheel.pyc",
        "/home/dev/mill/wheel.py/notes.md",
    ]
    assert files_of(mill, "WHEEL src test") == ["/home/dev/mill/src/wheel_test.py"]
    assert files_of(mill, "mill/src wheel_") == ["/home/dev/mill/src/wheel_test.py"]
    assert files_of(mill, "w") == files_of(mill, "windmill") == files_of(mill, "") == []


def test_a_file_names_its_project_and_leads_to_its_history(mill: httpx.Client) -> None:
    last, first, other, _ = ask(mill, "/api/palette", q="wheel.py")["files"]

    assert first == {
        "path": "/home/dev/mill/src/Wheel.py",
        "name": "Wheel.py",
        "folder": "src",
        "project": "mill",
        "sessions": 1,
        "url": "/files/history?path=%2Fhome%2Fdev%2Fmill%2Fsrc%2FWheel.py",
        "edited_at": first["edited_at"],
    }
    assert first["edited_at"].startswith("2026-11-01T08:00")
    assert (last["project"], last["folder"]) == ("mill / 3", "src")
    assert (other["project"], other["folder"], other["edited_at"]) == ("", "/etc", "")
    assert mill.get(last["url"], headers=HTML).status_code == 200


def test_files_of_hidden_sessions_are_left_out(mill: httpx.Client) -> None:
    hidden = ids(mill)["Turn the wheel 2"]
    note = f"/api/sessions/{hidden}/note"
    assert mill.post(note, json={"hidden": True}).is_success

    assert files_of(mill, "wheel_test") == []
    assert mill.post(note, json={"hidden": False}).is_success
    assert files_of(mill, "wheel_test") == ["/home/dev/mill/src/wheel_test.py"]


def test_a_title_that_begins_with_the_word_comes_first(farm: httpx.Client) -> None:
    found = ask(farm, "/api/palette", q="paint")
    assert titles(found["sessions"]) == ["Paint <b>it", "Paint the fence", "Paint the gate"]

    by_project = ask(farm, "/api/palette", q="barn")
    assert titles(by_project["sessions"]) == ["Feed the hens"]
    assert by_project["projects"] == [
        {
            "name": "barn",
            "path": "/home/dev/barn",
            "sessions": 1,
            "url": "/sessions?project=%2Fhome%2Fdev%2Fbarn",
        }
    ]


def test_words_that_are_typed_halfway_are_found_in_texts(farm: httpx.Client) -> None:
    found = ask(farm, "/api/palette", q="zeb")
    hit = found["hits"][0]
    start, end = hit["marks"][0]

    assert found["sessions"] == []
    assert found["total_hits"] == len(TITLES)
    assert hit["text"][start:end].startswith("zeb")
    assert hit["url"].startswith(f"/sessions/{hit['session_id']}#m-")


def test_texts_of_one_session_leave_room_for_others(client: httpx.Client) -> None:
    found = client.get("/api/palette", params={"q": "the"}).json()
    sessions = [hit["session_id"] for hit in found["hits"]]

    assert len(set(sessions)) > 1
    assert max(sessions.count(each) for each in sessions) <= 2


def test_titles_alone_can_be_asked_for(farm: httpx.Client) -> None:
    found = ask(farm, "/api/palette", q="paint gate", with_texts="false")

    assert titles(found["sessions"]) == ["Paint the gate"]
    assert (found["hits"], found["total_hits"]) == ([], 0)


def test_a_session_is_found_by_the_beginning_of_its_id(farm: httpx.Client) -> None:
    wanted = ids(farm)["Feed the hens"]
    assert titles(ask(farm, "/api/palette", q=wanted[:13])["sessions"]) == ["Feed the hens"]


def test_what_cannot_be_searched_for_is_no_failure(farm: httpx.Client) -> None:
    found = ask(farm, "/api/palette", q='"paint')

    assert found["problem"]
    assert found["hits"] == []
    assert farm.get("/api/palette", params={"q": "a" * 400}).status_code == 400
    assert farm.get("/api/palette", params={"limit": 0}).status_code == 400


def test_sessions_around_one_are_of_its_project_in_order(farm: httpx.Client) -> None:
    known = ids(farm)
    found = ask(farm, f"/api/sessions/{known['Paint the gate']}/around")

    assert titles(found["sessions"]) == [
        "Paint <b>it",
        "Paint the fence",
        "Paint the gate",
        "Mend the gate",
    ]
    assert [one["is_this"] for one in found["sessions"]] == [False, False, True, False]
    assert found["previous"]["session_id"] == known["Mend the gate"]
    assert found["next"]["session_id"] == known["Paint the fence"]
    assert (found["project"], found["total"]) == ("yard", 4)


def test_a_session_that_is_alone_has_no_neighbours(farm: httpx.Client) -> None:
    found = ask(farm, f"/api/sessions/{ids(farm)['Feed the hens']}/around")

    assert (found["previous"], found["next"], found["total"]) == (None, None, 1)


@pytest.fixture(scope="module")
def worktree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve a session of a repository, one of its worktree "2", and one of another repository."""
    root = tmp_path_factory.mktemp("root")
    folders = ("/home/dev/yard", "/home/dev/yard/.worktrees/2", "/home/dev/barn")
    for hour, (title, folder) in enumerate(zip(TITLES, folders, strict=False)):
        built = SessionBuilder(f"worktree-{hour}", cwd=folder).at(f"2026-11-0{hour + 1}T08:00:00Z")
        built.user(f"{title}, please").assistant("Done.").write(root)
    settings = settings_for(tmp_path_factory.mktemp("archive"), root)
    with serving(settings) as address, client_for(address) as client:
        yield client


def test_a_worktree_has_the_neighbours_of_its_repository(worktree: httpx.Client) -> None:
    found = ask(worktree, f"/api/sessions/{ids(worktree)['Paint the gate']}/around")

    assert titles(found["sessions"]) == ["Paint the gate", "Mend the gate"]
    assert (found["project"], found["url"]) == ("yard", "/sessions?repository=%2Fhome%2Fdev%2Fyard")


@pytest.mark.parametrize("part", ["", "/agents", "/changes", "/context", "/timeline", "/kept"])
def test_a_worktree_is_named_after_its_repository(worktree: httpx.Client, part: str) -> None:
    own = f"/sessions/{ids(worktree)['Paint the gate']}{part}"

    header = html.unescape(header_of(worktree.get(own, headers=HTML).text))

    assert '<a href="/sessions?repository=%2Fhome%2Fdev%2Fyard"><bdi>yard / 2</bdi></a>' in header


def test_a_worktree_is_named_alike_on_other_pages(worktree: httpx.Client) -> None:
    known = ids(worktree)
    own, other = known["Paint the gate"], known["Mend the gate"]

    palette = ask(worktree, "/api/palette", q="paint gate")
    pages = (f"/export?session={own}", f"/compare?a={own}&b={other}")
    exported, compared = (html.unescape(worktree.get(url, headers=HTML).text) for url in pages)

    assert [one["project"] for one in palette["sessions"]] == ["yard / 2"]
    assert ">yard / 2<" in exported
    assert ">yard / 2<" in compared


def test_a_session_is_compared_with_those_of_its_repository(worktree: httpx.Client) -> None:
    known = ids(worktree)

    def others(title: str) -> list[str]:
        page = html.unescape(worktree.get(f"/compare?a={known[title]}", headers=HTML).text)
        found = re.findall(r'/compare\?a=[^&]+&b=([^"]+)', page)
        return [name for name, known_id in known.items() if known_id in found]

    assert others("Paint the gate") == ["Mend the gate"]
    assert set(others("Paint the fence")) == {"Paint the gate", "Mend the gate"}


@pytest.mark.parametrize("part", ["", "/agents", "/changes", "/context", "/timeline", "/kept"])
def test_all_pages_of_a_session_have_the_same_links(farm: httpx.Client, part: str) -> None:
    own = f"/sessions/{ids(farm)['Paint the gate']}"

    def links(path: str) -> list[tuple[str, str, str]]:
        page = html.unescape(farm.get(path, headers=HTML).text)
        found = re.search(r'<nav class="session-links".*?</nav>', page, re.DOTALL)
        assert found is not None
        return re.findall(r'<a href="([^"]+)"( aria-current="page")?>([^<]+)</a>', found[0])

    assert [(url, word) for url, _, word in links(own + part)] == [
        (url, word) for url, _, word in links(own)
    ]
    assert [url for url, current, _ in links(own + part) if current] == [own + part]


@pytest.mark.parametrize("address", ["/compare?a={}", "/export?session={}"])
def test_compare_and_export_have_the_links_of_their_session(
    farm: httpx.Client, address: str
) -> None:
    known = ids(farm)
    name = known["Paint the gate"]
    page = html.unescape(farm.get(address.format(name), headers=HTML).text)

    assert f'<a href="{address.format(name)}" aria-current="page">' in page
    assert f'href="/sessions/{name}/changes"' in page
    assert (f'href="/sessions/{name}/previous"' in page) is ("compare" in address)
    both = f"/compare?a={name}&b={known['Mend the gate']}"
    assert f'href="/sessions/{name}/changes"' in farm.get(both, headers=HTML).text.replace(
        "&#x2f;", "/"
    )


def test_the_arrows_lead_to_the_neighbours(farm: httpx.Client) -> None:
    known = ids(farm)
    own = f"/sessions/{known['Paint the gate']}"

    def goes_to(path: str) -> str:
        found = farm.get(path, headers=HTML)
        assert found.status_code == 302
        return str(found.headers["location"])

    assert goes_to(f"{own}/previous") == f"/sessions/{known['Mend the gate']}"
    assert goes_to(f"{own}/next?part=changes") == f"/sessions/{known['Paint the fence']}/changes"
    assert goes_to(f"{own}/next?part=//evil.example") == f"/sessions/{known['Paint the fence']}"
    last = f"/sessions/{known['Paint <b>it']}"
    assert goes_to(f"{last}/next") == last
    assert farm.get("/sessions/nope/next", headers=HTML).status_code == 404
    assert farm.get("/api/sessions/nope/around").status_code == 404


def test_numbers_of_a_session_lead_to_what_they_count(client: httpx.Client) -> None:
    own = all_places(client)["a session"]
    page = client.get(own, headers=HTML).text
    facts = re.search(r'<header class="facts">.*?</ul>', page, re.DOTALL)
    assert facts is not None
    links = {
        re.sub(r"<[^>]+>", "", text): html.unescape(url)
        for url, text in re.findall(r'<li[^>]*><a href="([^"]*)"[^>]*>(.*?)</a></li>', facts[0])
    }
    items = re.findall(r"<li", facts[0])

    assert len(links) == len(items)
    by_word = {re.sub(r"[^a-z]+", " ", text.lower()).strip(): url for text, url in links.items()}
    assert by_word["files"] == f"{own}/changes"
    assert by_word["calls"] == f"{own}?detail=tools"
    prompts = next(url for word, url in by_word.items() if word.startswith("prompts"))
    assert prompts == f"{own}?detail=prompts"
    assert by_word["error"].startswith("#m-")
    assert next(url for text, url in links.items() if text.startswith("$")) == f"{own}/context"
    for url in links.values():
        assert client.get(own if url.startswith("#") else url, headers=HTML).status_code == 200


@pytest.mark.parametrize("name", ["model", "branch", "since"])
def test_a_fact_that_leads_to_the_list_lists_the_session(client: httpx.Client, name: str) -> None:
    own = all_places(client)["a session"]
    page = client.get(own, headers=HTML).text
    links = [html.unescape(url) for url in re.findall(r'href="([^"]*)"', page)]
    url = next(link for link in links if link.startswith("/sessions?") and f"{name}=" in link)

    listed = ask(client, f"/api{url}")["sessions"]

    assert own.removeprefix("/sessions/") in [one["id"] for one in listed]


PAGES_OF_NUMBERS = ("usage", "files", "lessons", "permissions", "a comparison", "a file", "Context")


@pytest.mark.parametrize("name", PAGES_OF_NUMBERS)
def test_the_numbers_of_a_page_lead_somewhere(client: httpx.Client, name: str) -> None:
    place = all_places(client)[name]
    page = client.get(place, headers=HTML).text
    body = page[page.index("<main") : page.index("</main>")]
    unlinked = [row for row in figure_rows(body) if "<a " not in row and "share" not in row]
    links = {html.unescape(url) for url in re.findall(r'<a [^>]*?href="([^"]*)"', body)}
    on_page = {url[1:] for url in links if url.startswith("#")}

    assert [row for row in unlinked if not is_plain(row)] == []
    assert on_page <= set(re.findall(r' id="([^"]*)"', body))
    others = [url for url in links if not url.startswith("#")]
    wrong = {url: client.get(url, headers=HTML).status_code for url in others[:60]}
    assert {url: status for url, status in wrong.items() if status != 200} == {}


def figure_rows(body: str) -> list[str]:
    """Give the rows of tables with figures, and the numbers on top of a page."""
    tables = re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    rows = [row for row in tables if '<td class="figure"' in row]
    return [*rows, *re.findall(r"<div><dt>.*?</div>", body, re.DOTALL)]


def is_plain(row: str) -> bool:
    """Return whether a row counts nothing that could be listed."""
    text = re.sub(r"<[^>]+>", " ", row)
    # Nobody was asked about what a mode or a rule decided.
    unlisted = ("Waited for answers", "The permission mode", "A rule", "A hook", "Nobody")
    is_hours = 'scope="row"' in row
    return is_hours or not re.search("[1-9]", text) or any(word in text for word in unlisted)
