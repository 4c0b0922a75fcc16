"""The list of sessions, filtered by what is typed above it, and what is suggested for it."""

import datetime as dt
import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from clew.render.site import APP
from tests.build import SessionBuilder
from tests.web.serving import client_for, serving, settings_for

HTML = {"accept": "text/html"}


def show(client: httpx.Client, **asked: str) -> str:
    found = client.get(APP.sessions, params=asked, headers=HTML)
    assert found.status_code == 200, found.text
    return html.unescape(found.text)


def listed(client: httpx.Client, **asked: str) -> set[str]:
    found = client.get("/api/sessions", params={"limit": "1000", **asked})
    assert found.status_code == 200, found.text
    return {session["id"] for session in found.json()["sessions"]}


def with_tool(client: httpx.Client, tool: str) -> set[str]:
    """Give the sessions that called a tool, from their calls."""
    calls = client.get("/api/tool-calls", params={"limit": 1000}).json()["tool_calls"]
    return {call["session_id"] for call in calls if call["tool"] == tool}


def test_filters_can_be_typed(client: httpx.Client) -> None:
    everything, edited = listed(client), with_tool(client, "Edit")

    assert edited
    assert listed(client, text="tool:Edit") == edited
    assert listed(client, text="-tool:Edit") == everything - edited
    assert listed(client, text="tool:Edit tool:Read") == edited | with_tool(client, "Read")
    assert listed(client, text="tool:Edit ferry") == edited & listed(client, text="ferry")
    assert listed(client, text="tool:Edit", tool="Read") == edited & with_tool(client, "Read")


def test_times_and_files_can_be_typed(client: httpx.Client) -> None:
    uses = client.get("/api/file-uses", params={"path": "upload.py", "limit": 1000}).json()["uses"]
    cut = "2026-11-01"
    parts = [listed(client, text=f"{word}:{cut}") for word in ("before", "after")]

    assert listed(client, text="file:upload.py") == {use["session_id"] for use in uses} != set()
    assert parts[0] | parts[1] == listed(client)
    assert parts[1] == listed(client, since=cut)


def test_what_is_typed_is_a_chip_that_can_be_removed(client: httpx.Client) -> None:
    page = show(client, text="tool:Edit ferry -is:error", sort="cost")
    chips = re.findall(r'<a class="chip-set" href="([^"]+)" [^>]+>(.*?)</a>', page)

    words = [" ".join(re.sub("<[^>]+>", " ", chip).split()[:-1]) for _, chip in chips]
    assert words == ["Tool Edit", "Not with errors"]
    assert [dict(parse_qsl(urlsplit(url).query))["text"] for url, _ in chips] == [
        "ferry -is:error",
        "tool:Edit ferry",
    ]


def test_a_text_that_is_no_query_is_looked_for_and_says_why(client: httpx.Client) -> None:
    page = show(client, text='tool:Edit "ferry')

    assert "missing closing quotation mark" in page.lower()
    assert 'aria-invalid="true"' in page
    assert "0 sessions" in page
    assert "aria-invalid" not in show(client, text="ferry")


def test_what_is_used_most_is_offered_until_it_is_set(client: httpx.Client) -> None:
    offered = re.findall(r'class="chip-quick" href="([^"]+)"[^>]*>([^<]+)', show(client))

    assert [label for _, label in offered][:2] == ["Project…", "Running"]
    for url, label in offered[1:]:
        page = html.unescape(client.get(url, headers=HTML).text)
        assert "Remove this filter" in page
        assert f">{label}</a>" not in page


@pytest.mark.parametrize("asked", [{}, {"group": "project"}, {"text": "is:error"}])
def test_a_heading_counts_what_it_links_to(client: httpx.Client, asked: dict[str, str]) -> None:
    page = show(client, **asked)
    totals = re.findall(r'<p class="totals"><a href="([^"]+)">([\d,]+) sessions?</a>', page)

    assert len(totals) > 3
    for url, count in totals:
        own = client.get("/api/sessions", params=parse_qsl(urlsplit(url).query)).json()
        assert own["total"] == int(count)
    assert sum(int(count) for _, count in totals) == len(listed(client, **asked))


def test_a_form_without_scripts_asks_for_the_same(client: httpx.Client) -> None:
    """Every field of the form has a name that the list knows, and its value comes back."""
    page = show(client, text="is:error", tool="Bash", since="90d", counted="any")
    form = page[page.index('<form class="filters') :].partition("</form>")[0]

    assert 'name="text"' in form
    assert 'value="is:error"' in form
    assert re.search(r'name="tool" value="Bash"', form)
    assert '<input type="hidden" name="counted" value="any">' in form
    names = set(re.findall(r' name="(\w+)"', form))
    sent = dict.fromkeys(names - {"has_errors", "counted"}, "") | {"sort": "when", "min_cost": "0"}
    assert client.get(APP.sessions, params=sent, headers=HTML).status_code == 200


def test_values_are_suggested_from_the_archive(client: httpx.Client) -> None:
    projects = client.get("/api/projects").json()["projects"]
    found = client.get("/api/suggest", params={"text": "project:", "limit": 100}).json()

    assert found["schema"] == "clew.suggestions/1"
    assert {one["value"] for one in found["suggestions"]} == {p["project"] for p in projects}
    few = client.get("/api/suggest", params={"name": "tool", "text": "ba", "limit": 1}).json()
    assert few["suggestions"] == [{"text": "tool:Bash", "value": "Bash", "help": ""}]


def test_sessions_that_are_hidden_can_be_typed_for(worktrees: httpx.Client) -> None:
    own = min(listed(worktrees))
    answer = worktrees.post("/api/notes", json={"session_ids": [own], "hidden": True})
    assert answer.is_success, answer.text

    assert own not in listed(worktrees)
    assert listed(worktrees, text="hidden:yes") == listed(worktrees, hidden="yes") == {own}
    assert own not in listed(worktrees, text="-hidden:yes")


def test_an_unknown_filter_has_no_values(client: httpx.Client) -> None:
    found = client.get("/api/suggest", params={"name": "colour"})

    assert found.status_code == 400
    assert "use one of" in found.json()["error"]["message"]


@pytest.fixture
def worktrees(tmp_path: Path) -> Iterator[httpx.Client]:
    for number, path in enumerate(("cli", "cli/.worktrees/1", "cli/.worktrees/2", "other")):
        built = SessionBuilder(f"tree-{number}", cwd=f"/srv/{path}")
        built.user("Count the crates").assistant("Four.").write(tmp_path / "root")
    with (
        serving(settings_for(tmp_path / "home", tmp_path / "root")) as address,
        client_for(address) as client,
    ):
        yield client


def test_worktrees_are_gathered_under_their_repository(worktrees: httpx.Client) -> None:
    page = show(worktrees, group="project")

    assert re.findall(r"<h2><bdi>([^<]+)", page) == ["cli", "other"]
    assert re.findall(r'class="worktree"[^>]+><bdi>([^<]+)', page) in (["1", "2"], ["2", "1"])
    assert len(listed(worktrees, repository="/srv/cli")) == 3


def test_actions_are_those_that_the_app_has_routes_for(client: httpx.Client) -> None:
    page = show(client)
    schema = client.get("/api/schema/openapi.json").json()["paths"]

    assert 'data-act="compare"' in page
    assert ("data-notes=" in page) == ("/api/notes" in schema)
    has_export = client.get("/export", headers=HTML).status_code != 404
    assert ('data-act="export"' in page) == has_export


def test_an_option_of_a_command_is_text(tmp_path: Path) -> None:
    SessionBuilder("one").user("Run claude -p and ls -la.").write(tmp_path / "root")
    SessionBuilder("two").user("Run claude.").write(tmp_path / "root")
    with (
        serving(settings_for(tmp_path / "archive", tmp_path / "root")) as address,
        client_for(address) as client,
    ):
        assert len(listed(client, text="claude")) == 2
        assert len(listed(client, text="claude -p")) == 1
        page = show(client, text="run ls -la")
        (link,) = re.findall(r'<a href="([^"]+)">Search for it with its minus: ', page)
        asked = dict(parse_qsl(urlsplit(link).query))

        assert asked == {"text": 'run ls "-la"'}
        assert len(listed(client, **asked)) == 1
        assert "with its minus" not in show(client, text="nothing like this")
        assert "with its minus" in show(client, text="claude -two")
        assert "with its minus" not in show(client, text="claude -flaky")


def test_yesterday_is_a_period_of_one_day(tmp_path: Path) -> None:
    now = dt.datetime.now(dt.UTC)
    for days in range(3):
        at = (now - dt.timedelta(days=days)).isoformat()
        SessionBuilder(f"d{days}").at(at).user(f"Walrus {days}").write(tmp_path / "root")
    with (
        serving(settings_for(tmp_path / "archive", tmp_path / "root")) as address,
        client_for(address) as client,
    ):
        asked = {"since": "yesterday..yesterday", "tz": "UTC"}
        sent = {"since": "yesterday", "until": "yesterday", "tz": "UTC"}
        assert len(listed(client, **asked)) == 1
        assert listed(client, **asked) == listed(client, **sent)
        assert len(listed(client, since="yesterday..today", tz="UTC")) == 2
        found = client.get("/api/search", params={"q": "walrus", **asked}).json()
        assert [hit["snippet"]["text"] for hit in found["hits"]] == ["Walrus 1"]
        assert client.get("/api/sessions", params={"since": "..x"}).status_code == 400
        option = '<option value="yesterday..yesterday">Yesterday</option>'
        for place in ("/sessions", "/usage", "/lessons", "/permissions"):
            page = html.unescape(client.get(place, headers=HTML).text)
            assert option in page
            chosen = html.unescape(client.get(place, params=asked, headers=HTML).text)
            assert option.replace('">', '" selected>', 1) in chosen
        page = html.unescape(client.get("/search", params={"q": "walrus"}, headers=HTML).text)
        link = re.search(r'<a href="([^"]+)"><bdi>Yesterday<', page)
        assert link is not None
        narrowed = html.unescape(client.get(f"{link[1]}&tz=UTC", headers=HTML).text)
        assert "<bdi><mark>Walrus</mark> 1" in narrowed
        assert narrowed.count("data-hit>") == 1
