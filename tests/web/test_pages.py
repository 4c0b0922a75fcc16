"""Pages as they are sent: what stands on them, where they lead, how they refuse."""

import gzip
import html
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx
import pytest

from clew.render.site.files import name_projects
from clew.store import Home
from clew.web import Settings
from tests.build import SessionBuilder
from tests.web.serving import client_for, serving, settings_for

HTML = {"accept": "text/html"}


def show(client: httpx.Client, address: str, **asked: Any) -> str:
    found = client.get(address, params=asked or None, headers=HTML)
    assert found.status_code == 200, found.text
    assert found.headers["content-type"].startswith("text/html")
    return found.text


@pytest.fixture
def session_id(client: httpx.Client) -> str:
    found = client.get("/api/sessions", params={"sort": "messages", "limit": 1}).json()
    return str(found["sessions"][0]["id"])


def test_old_links_to_the_list_lead_to_it(client: httpx.Client) -> None:
    old = "?project=%2Fhome%2Fa%20b&counted=tool:Bash&counted=day:2026-11-01"
    found = client.get(f"/{old}", headers=HTML)

    assert (found.status_code, found.headers["location"]) == (307, f"/sessions{old}")


def test_the_list_shows_every_session(client: httpx.Client) -> None:
    found = show(client, "/sessions")
    ids = [session["id"] for session in client.get("/api/sessions").json()["sessions"]]

    assert re.findall(r'data-session="([^"]+)"', found) == ids
    assert "With errors" in found


def test_the_list_is_cut_and_leads_on(client: httpx.Client) -> None:
    found = show(client, "/sessions", limit=3)
    more = re.search(r'<a href="([^"]+)" data-more', found)

    assert found.count("data-session=") == 3
    assert more is not None
    assert show(client, more[1].replace("&amp;", "&").replace("&#x2f;", "/")) != found


def test_filters_are_chips_that_can_be_taken_away(client: httpx.Client) -> None:
    found = show(client, "/sessions", tool="Bash", sort="cost", text="a")

    assert 'href="/sessions?sort=cost&amp;text=a"' in found.replace("&#x2f;", "/")
    assert found.count("Remove this filter") == 1


def test_a_least_cost_is_chosen_from_a_list(client: httpx.Client) -> None:
    page = show(client, "/sessions", min_cost="1")

    assert '<option value="1" selected>≥ $1</option>' in page
    assert 'type="hidden" name="min_cost"' not in page
    assert page.count("Remove this filter") == 1
    assert "Remove this filter" not in show(client, "/sessions", min_cost="0")


def test_what_means_nothing_to_the_list_is_no_filter(client: httpx.Client) -> None:
    page = show(client, "/sessions", has_errors="false", utm_source="mail", tool="Bash")

    assert page.count("Remove this filter") == 1
    assert "utm_source" not in page
    assert not re.search(r'name="has_errors"[^>]* checked', page)
    assert re.search(r'name="has_errors"[^>]* checked', show(client, "/sessions", has_errors="1"))


def test_a_project_stands_in_one_place_of_a_list_of_many_pages(client: httpx.Client) -> None:
    address, projects = "/sessions?group=project&limit=3", list[str]()
    while address:
        page = show(client, address)
        projects += re.findall(r"<h2><bdi>([^<]+)</bdi></h2>", page)
        more = re.search(r'<a href="([^"]+)" data-more', page)
        address = html.unescape(more[1]) if more else ""

    shown = [name for name, _ in groupby(projects)]
    assert len(shown) == len(set(shown)) > 3


@pytest.mark.parametrize("group", ["project", ""])
def test_sessions_stand_in_groups(client: httpx.Client, group: str) -> None:
    assert show(client, "/sessions", group=group).count("data-group") > 1


def test_a_sorted_list_has_no_days(client: httpx.Client) -> None:
    assert show(client, "/sessions", sort="cost").count("data-group") == 1


def test_the_beginning_of_an_id_leads_to_the_session(client: httpx.Client, session_id: str) -> None:
    found = client.get(f"/sessions/{session_id[:8]}", headers=HTML)

    assert (found.status_code, found.headers["location"]) == (302, f"/sessions/{session_id}")


@pytest.mark.parametrize("part", ["", "/changes", "/context", "/timeline", "/agents", "/kept"])
def test_the_beginning_of_an_id_leads_to_all_pages(
    client: httpx.Client, session_id: str, part: str
) -> None:
    short = client.get(f"/sessions/{session_id[:8]}{part}", params={"a": "b c"}, headers=HTML)

    assert short.status_code == 302
    assert short.headers["location"] == f"/sessions/{session_id}{part}?a=b+c"
    assert client.get(f"/sessions/x{session_id[:7]}{part}", headers=HTML).status_code == 404


def test_a_page_names_the_sessions_of_an_ambiguous_id(client: httpx.Client) -> None:
    page = html.unescape(client.get("/sessions/8/changes", headers=HTML).text)

    assert "Which session?" in page
    assert len(re.findall('href="/sessions/8[^"]+"', page)) > 1


@pytest.mark.parametrize(
    ("beginning", "status", "told"),
    [("8", 409, "session ids start with '8': 8"), ("zzz", 404, "No session has the id")],
)
def test_the_beginning_of_several_ids_or_none_leads_nowhere(
    client: httpx.Client, beginning: str, status: int, told: str
) -> None:
    found = client.get(f"/sessions/{beginning}", headers=HTML)

    assert found.status_code == status
    assert told in html.unescape(found.text)


def test_without_scripts_the_rest_of_a_session_is_a_page_too(
    client: httpx.Client, session_id: str
) -> None:
    first = show(client, f"/sessions/{session_id}")
    rest = re.search(r'<a href="([^"]+sections[^"]+)">', first)
    assert rest is not None
    page = show(client, html.unescape(rest[1]))
    number = re.search(r"(\d+)$", rest[1])

    assert number is not None
    assert f'data-section="{number[1]}" data-waiting' in first
    assert f'data-section="{number[1]}" data-waiting' not in page
    assert ">Archived files</a>" in page


def test_there_is_no_page_behind_the_last_section(client: httpx.Client, session_id: str) -> None:
    found = client.get(f"/sessions/{session_id}/sections/999", headers=HTML)

    assert found.status_code == 404


def test_search_shows_hits_below_their_sessions(client: httpx.Client) -> None:
    found = show(client, "/search", q="test")

    assert "<mark>test</mark>" in found
    assert "#m-" in found.replace("&#x2f;", "/")
    assert "More hits" in found


def test_a_search_for_nothing_teaches(client: httpx.Client) -> None:
    assert "Search syntax" in show(client, "/search")
    assert "No hits." in show(client, "/search", q="zzzzqqqq")
    assert 'role="alert"' in show(client, "/search", q='"')


@pytest.mark.parametrize("asked", [{}, {"since": "30d"}, {"model": "opus"}, {"project": "tessera"}])
def test_usage_is_drawn_for_a_period(client: httpx.Client, asked: dict[str, str]) -> None:
    found = show(client, "/usage", **asked)

    assert "Cost (estimate)" in found
    assert "Costs are API-equivalent estimates" in found


def test_usage_of_nothing_says_so(client: httpx.Client) -> None:
    assert "No model calls in this period." in show(client, "/usage", model="none such")


def test_usage_is_held_against_the_period_before(client: httpx.Client) -> None:
    found = show(client, "/usage", since="2026-11-01", until="2026-11-08")

    assert "vs. previous period" in found


def test_files_are_listed_and_narrowed(client: httpx.Client) -> None:
    assert "upload.py" in show(client, "/files", sort="changes", limit=5)
    assert "No files match this path." in show(client, "/files", path="no/such/file")
    assert show(client, "/files", sort="nonsense")


def test_a_file_shows_its_changes_as_diffs(client: httpx.Client) -> None:
    path = client.get("/api/files", params={"sort": "changes"}).json()["files"][0]["path"]

    found = show(client, "/files/history", path=path)

    # Each change is a version; one of them is drawn.
    assert (found.count('data-part="diff"'), found.count('class="edit"')) == (1, 0)
    assert found.index('id="sessions"') < found.index('id="versions"')
    assert "#c-toolu" in found.replace("&#x2f;", "/")


def test_a_file_is_listed_by_name_folder_and_project(client: httpx.Client) -> None:
    page = show(client, "/files", path="upload.py")
    row = re.findall(r'<td class="path".*?</tr>', page.replace("&#x2f;", "/"))[0]
    told = re.findall(r"<bdi>([^<]*)</bdi>", row)
    [path] = re.findall(r'<td class="path" title="([^"]+)"', row)

    name, *folder, project = told
    assert name == "upload.py"
    assert path.endswith("/".join([project, *folder, name]))


def test_versions_of_a_file_are_below_the_title_of_their_session(client: httpx.Client) -> None:
    path = client.get("/api/files", params={"path": "upload.py"}).json()["files"][0]["path"]
    page = show(client, "/files/history", path=path)
    listed = page.partition("<ol data-versions>")[2].partition("</ol>")[0]

    assert listed.count('class="by-session"') == len(
        set(re.findall(r"by-session.*?bdi>([^<]+)", listed))
    )
    assert listed.index("by-session") < listed.index("data-number")
    assert re.search(r'class="what">[A-Z][a-z]+ in turn \d+<', listed)
    assert 'autocomplete="off" data-slider' in page or listed.count("data-number") == 1


def test_numbers_of_files_lead_to_what_they_count(client: httpx.Client) -> None:
    row = html.unescape(show(client, "/files", path="upload.py")).partition("<tbody>")[2]
    [sessions] = set(
        re.findall(r'href="(/sessions\?text=[^"]+)">(\d+)<', row.partition("</tr>")[0])
    )

    found = client.get(f"/api{sessions[0]}").json()["sessions"]

    assert len(found) == int(sessions[1])
    assert "#versions" in row


def test_folders_of_one_name_are_told_apart() -> None:
    named = name_projects(["/a/one/cli", "/a/two/cli", "/a/two/cli/.worktrees/fix", "/a/web"])

    assert list(named.values()) == ["one/cli", "two/cli", "two/cli / fix", "web"]


@pytest.mark.parametrize(
    ("asked", "usage"),
    [
        ({"model": "opus", "sort": "cost"}, "/usage?model=opus"),
        ({"counted": "any", "since": "2026-11-01"}, "/usage?since=2026-11-01"),
    ],
)
def test_a_list_of_parts_says_that_it_counts_whole_sessions(
    client: httpx.Client, asked: dict[str, str], usage: str
) -> None:
    found = show(client, "/sessions", **asked).replace("&#x2f;", "/")

    assert "Each session is counted whole" in found
    assert f'<a href="{usage}">Usage within them</a>' in found
    assert "counted whole" not in show(client, "/sessions", project="tessera")


def test_sessions_that_lists_leave_out_are_counted_and_said(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    shown = SessionBuilder("shown").user("Look").assistant("I see.")
    hidden = SessionBuilder("hidden").user("Look away").assistant("I do not see.")
    shown.write(root)
    hidden.write(root)
    with (
        serving(settings_for(tmp_path / "archive", root)) as address,
        client_for(address) as client,
    ):
        client.post(f"/api/sessions/{hidden.session_id}/note", json={"hidden": True})

        assert client.get("/api/sessions").json()["total"] == 1
        assert "1 of them not in lists" in show(client, "/settings")


def test_a_session_comes_with_its_first_sections(client: httpx.Client, session_id: str) -> None:
    found = show(client, f"/sessions/{session_id}")

    assert 'id="s-0"' in found
    assert found.count("data-waiting") > 0
    assert f"claude --resume {session_id}" in found


def test_the_rest_of_a_session_comes_section_by_section(
    client: httpx.Client, session_id: str
) -> None:
    found = client.get(f"/sessions/{session_id}/sections/3")
    frame = client.get(f"/sessions/{session_id}/frame").json()

    assert found.text.startswith('<section class="turn" id="s-3"')
    assert len(frame["words"]) > 3
    assert f"<title>{frame['title']} · clew</title>" in html.unescape(
        show(client, f"/sessions/{session_id}")
    )
    assert client.get(f"/sessions/{session_id}/sections/999").status_code == 404


def test_anything_in_a_session_is_found_by_its_anchor(
    client: httpx.Client, session_id: str
) -> None:
    whole = client.get(f"/api/sessions/{session_id}/conversation").json()
    results = next(m for m in whole["messages"] if m["kind"] == "tool_results")
    call = whole["tool_calls"][-1]

    def find(anchor: str) -> Any:
        return client.get(f"/sessions/{session_id}/find", params={"anchor": anchor}).json()

    assert find(f"c-{call['id']}")["section"] > 1
    assert find(f"m-{results['id']}")["element"].startswith("c-")
    assert find("m-nothing") == {"section": None, "element": "", "run": ""}


def test_lines_of_a_message_are_found_by_its_anchor(client: httpx.Client, session_id: str) -> None:
    message = client.get(f"/api/sessions/{session_id}/messages").json()["messages"][0]
    address = f"/sessions/{session_id}/lines"

    found = client.get(address, params={"anchor": f"m-{message['id']}"}).json()

    assert len(found["lines"]) == len(message["lines"])
    assert client.get(address, params={"anchor": "m-none"}).status_code == 404


def test_an_agent_run_has_a_page(client: httpx.Client) -> None:
    run = client.get("/api/agent-runs").json()["agent_runs"][0]
    found = show(client, f"/sessions/{run['session_id']}/runs/{run['id']}")

    assert "data-run" in found
    assert "data-waiting" not in found
    assert client.get(f"/sessions/{run['session_id']}/runs/none").status_code == 404


@pytest.mark.parametrize(("form", "start"), [("html", "<!doctype html>"), ("md", "title: ")])
def test_a_session_is_taken_along_as_a_file(
    client: httpx.Client, session_id: str, form: str, start: str
) -> None:
    found = client.get(f"/sessions/{session_id}/export/{form}")

    assert start in found.text[:200]
    assert f'filename="{session_id}.{form}"' in found.headers["content-disposition"]
    assert client.get(f"/sessions/{session_id}/export/pdf").status_code == 404


def test_files_kept_can_be_taken_along(client: httpx.Client, session_id: str) -> None:
    found = show(client, f"/sessions/{session_id}/kept")

    assert f"/api/sessions/{session_id}/transcripts/0" in found.replace("&#x2f;", "/")
    assert "Tool result" in found


@pytest.mark.parametrize("zoom", [1, 4])
def test_a_timeline_is_drawn(client: httpx.Client, session_id: str, zoom: int) -> None:
    found = show(client, f"/sessions/{session_id}/timeline", zoom=zoom)

    assert 'class="model' in found
    assert "Main thread" in found


def test_a_page_is_the_same_packed_and_plain(client: httpx.Client) -> None:
    def without_nonce(text: str) -> str:
        return re.sub(r'nonce="[^"]+"', "", text)

    plain = client.get("/usage", headers={"accept-encoding": "identity"})
    with client.stream("GET", "/usage", headers={"accept-encoding": "gzip"}) as answer:
        packed = gzip.decompress(b"".join(answer.iter_raw())).decode()

    assert without_nonce(packed) == without_nonce(plain.text)
    nonce = re.search(r"'nonce-([^']+)'", plain.headers["content-security-policy"])
    assert nonce is not None
    assert set(re.findall(r'nonce="([^"]+)"', plain.text)) == {nonce[1]}


def test_styles_and_scripts_are_kept_for_good(client: httpx.Client) -> None:
    address = re.search(
        r'href="(/assets/[^"]+all.css)"', show(client, "/sessions").replace("&#x2f;", "/")
    )
    assert address is not None

    found = client.get(address[1])

    assert "immutable" in found.headers["cache-control"]
    assert client.get("/assets/x/none.js").status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/sessions/nope", 404, "Not found"),
        ("/nothing", 404, "Not found"),
        ("/sessions?since=whenever", 400, "Bad request"),
        ("/files/history?path=none", 404, "Not found"),
        ("/sessions/nope/timeline?zoom=99", 400, "Bad request"),
    ],
)
def test_what_is_not_there_is_said_on_a_page(
    client: httpx.Client, path: str, status: int, words: str
) -> None:
    found = client.get(path, headers=HTML)

    assert found.status_code == status
    assert f"<h1>{words}</h1>" in found.text


def test_a_type_names_its_charset_once(client: httpx.Client, session_id: str) -> None:
    style = re.search(r'href="([^"]+/all.css)"', html.unescape(show(client, "/sessions")))
    assert style is not None
    own = f"/sessions/{session_id}"
    for path in ("/", own, style[1], f"{own}/export/md", f"{own}/export/html", "/login"):
        kind = client.get(path, headers=HTML).headers["content-type"]
        assert kind.count("charset=utf-8") == 1, (path, kind)


@pytest.mark.parametrize("path", ["/", "/search", "/usage", "/files"])
def test_an_empty_archive_names_the_folders_and_says_what_to_do(tmp_path: Path, path: str) -> None:
    roots = (tmp_path, tmp_path / "gone")
    settings = Settings(port=0, location=Home(tmp_path / "none"), roots=roots, is_followed=False)
    with serving(settings) as place, client_for(place) as client:
        found = client.get(path, headers=HTML)

        assert "clew --demo open" in found.text
        shown = html.unescape(found.text)
        assert f"<code>{tmp_path}</code>" in shown
        assert f'<code>{tmp_path / "gone"}</code> <span class="quiet">(does not exist)' in shown
        assert client.get("/api/projects").status_code == 503
        assert client.get("/api/health").json()["sessions"] == 0
