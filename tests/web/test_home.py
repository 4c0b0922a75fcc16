"""Home and what is running, as they are sent."""

import datetime as dt
import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from clew.store import Home
from clew.web import Settings
from clew.web.cache import ArchiveCache
from clew.web.home_figures import make_expiring
from clew.web.settings import CacheLimits
from tests.build import Call, SessionBuilder, bash, tool_use
from tests.web.serving import client_for, serving, settings_for

HTML = {"accept": "text/html"}
REPOSITORY = "/home/dev/code/demo"
PLACES = (
    REPOSITORY,
    f"{REPOSITORY}/.worktrees/1",
    f"{REPOSITORY}/.worktrees/2",
    "/home/dev/code/lantern-worktrees/wick",
    "/home/dev/old/demo",
)


def at(**ago: float) -> str:
    return (dt.datetime.now(dt.UTC) - dt.timedelta(**ago)).isoformat()


def failing(name: str, cwd: str) -> SessionBuilder:
    """Give a session of yesterday in which something goes wrong."""
    builder = SessionBuilder(name, cwd=cwd).at(at(days=1)).user(f"Work in {cwd}")
    call = Call("Bash", {"command": "uv run pytest"}, "Exit code 1\nno such option", error=True)
    return builder.tools(call).assistant("It failed.")


def write(root: Path, builder: SessionBuilder, days_old: float = 0) -> None:
    path = builder.write(root)
    time = dt.datetime.now(dt.UTC).timestamp() - days_old * 86_400
    os.utime(path, (time, time))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("claude")
    for number, cwd in enumerate(PLACES):
        write(place, failing(f"s{number}", cwd), days_old=25 if number == 4 else 0)
    asking = SessionBuilder("asking", cwd=PLACES[2]).at(at(hours=10)).user("Ask me")
    write(place, asking.assistant(tool_use("AskUserQuestion", {"questions": []})))
    ended = SessionBuilder("ended", cwd=REPOSITORY, headless=True).at(at(minutes=50))
    write(place, ended.user("Once").assistant("Done."))
    working = SessionBuilder("working", cwd=REPOSITORY).at(at(seconds=5))
    write(place, working.user("Go <b>on</b>"))
    return place


@pytest.fixture(scope="module")
def client(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    home = tmp_path_factory.mktemp("archive")
    with serving(settings_for(home, root)) as address, client_for(address) as asking:
        yield asking


def show(client: httpx.Client, address: str) -> str:
    found = client.get(address, headers=HTML)
    assert found.status_code == 200, found.text
    return html.unescape(found.text)


def live(client: httpx.Client) -> dict[str, Any]:
    found = client.get("/api/live").json()
    assert found["schema"] == "clew.live/1"
    return {session["title"]: session for session in found["sessions"]}


def test_what_waits_comes_first_then_what_works(client: httpx.Client) -> None:
    found = client.get("/api/live").json()

    assert [one["state"] for one in found["sessions"]] == ["waiting", "working", "finished"]
    assert (found["waiting"], found["working"]) == (1, 1)


def test_a_running_session_says_what_it_does(client: httpx.Client) -> None:
    asking = live(client)["Ask me"]

    assert asking["last_action"].startswith("AskUserQuestion")
    assert asking["project"] == PLACES[2]
    assert asking["project_name"] == "demo / 2"
    assert asking["reason"] == "AskUserQuestion: a question is open"
    assert 0 < asking["context_fill"] < 1
    full = asking["context_tokens"] / asking["context_window"]
    assert asking["context_fill"] == pytest.approx(full, abs=0.0001)
    assert asking["cost_usd"] > 0
    one = client.get(f"/api/sessions/{asking['session_id']}").json()
    assert asking["updated_at"] == one["ended_at"]


def test_the_strip_is_sent_alone(client: httpx.Client) -> None:
    whole, compact = show(client, "/live"), show(client, "/live?compact=true")

    assert whole.count("data-strip-session") == compact.count("data-strip-session") == 3
    assert "1 waits for you, 1 working" in whole
    assert ("<details" in compact, "<details" in whole) == (True, False)
    assert "Go <b>on</b>" not in client.get("/live").text


def test_worktrees_are_gathered_below_their_repository(client: httpx.Client) -> None:
    page = show(client, "/")
    headings = re.findall(r'<h2><a href="[^"]*" title="([^"]*)"><bdi>(.*?)</bdi>', page)

    assert dict(headings) == {
        REPOSITORY: "code/demo",
        PLACES[4]: "old/demo",
        "/home/dev/code/lantern": "lantern",
    }
    assert "<bdi>1</bdi></a> <span>(1)</span>" in page
    assert "<bdi>2</bdi></a> <span>(2)</span>" in page


def test_each_number_leads_to_what_it_counts(client: httpx.Client) -> None:
    page = show(client, "/")
    counted = re.findall(r'<a href="(/sessions\?[^"]*)">([\d,]+) sessions?</a>', page)

    assert len(counted) >= 4
    for address, number in counted:
        query = address.removeprefix("/sessions?")
        assert client.get(f"/api/sessions?{query}").json()["total"] == int(number)
    week = re.search(r'<a href="/usage\?since=7d">([^<]+)</a>', page)
    assert week is not None
    assert week[1] in show(client, "/usage?since=7d")


def test_what_keeps_going_wrong_is_one_line(client: httpx.Client) -> None:
    page = show(client, "/")

    found = re.search(r'Keeps going wrong:</span> <a href="(/lessons[^"]*)"><bdi>([^<]*)<', page)
    assert found is not None
    url, words = found.groups()
    assert words.startswith("Bash uv run pytest: ")
    assert url == "/lessons?since=30d#lesson-0"
    assert re.search(r'href="/lessons\?since=30d#lesson-0-calls">5 sessions</a>', page)
    first = show(client, url.partition("#")[0]).partition('id="lesson-0"')[2]
    assert ">5 sessions</a>" in first.partition("</section>")[0]


def test_what_is_deleted_soon_is_said_to_be_archived(client: httpx.Client) -> None:
    page = show(client, "/")

    assert "Claude Code deletes 1 session within a week, the first" in page
    assert "it is archived" in page


def test_what_is_deleted_soon_and_not_archived_is_a_warning(root: Path, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "archive", root)
    lost = SessionBuilder("lost").at(at(days=26)).user("Keep me").assistant("Yes.")
    write(tmp_path / "claude", lost, days_old=26)
    followed = Settings(
        port=0, location=settings.location, roots=(tmp_path / "claude",), is_followed=True
    )
    cache = ArchiveCache(followed)
    found = make_expiring(cache, cache.catalogue(), dt.datetime.now(dt.UTC), dt.UTC)
    cache.close()

    assert found is not None
    assert [name for name, _ in found.missing] == [lost.session_id[:8]]


def test_an_empty_archive_has_an_empty_home(tmp_path: Path) -> None:
    settings = Settings(port=0, location=Home(tmp_path / "archive"), is_followed=False)
    with serving(settings) as address, client_for(address) as asking:
        assert "No sessions yet" in show(asking, "/")
        assert asking.get("/api/live").json()["sessions"] == []
        assert "Nothing is running" in show(asking, "/live")


def test_a_long_session_is_judged_by_its_time(root: Path, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "archive", root)
    short = Settings(
        port=0,
        location=settings.location,
        is_followed=False,
        cache=CacheLimits(long_session=1),
    )
    with serving(short) as address, client_for(address) as asking:
        found = live(asking)

    assert {one["is_inferred"] for one in found.values()} == {True}
    assert found["Go <b>on</b>"]["state"] == "working"
    assert "Ask me" not in found


def test_what_waits_is_called_so_in_lists_and_can_be_filtered(client: httpx.Client) -> None:
    asking = SessionBuilder("asking").session_id
    found = client.get("/api/sessions", params={"text": "is:waiting"}).json()["sessions"]
    others = client.get("/api/sessions", params={"text": "-is:waiting"}).json()["sessions"]
    row = show(client, "/sessions?text=is:waiting")

    assert asking in [session["id"] for session in found]
    assert asking not in [session["id"] for session in others]
    assert row.count('<span class="pulse waits" title="Waits for you">waiting</span>') == len(found)
    assert '<span class="pulse waits">waiting</span>' in show(client, "/")


def test_words_that_look_like_filters_are_said_to_be_none(client: httpx.Client) -> None:
    for address in ("/sessions?text=user:nobody", "/search?q=user:nobody"):
        assert "user: is no filter; the filters are project:" in show(client, address).lower()


def test_the_page_of_a_session_says_that_it_waits(client: httpx.Client) -> None:
    asking, ended = (SessionBuilder(name).session_id for name in ("asking", "ended"))

    page = show(client, f"/sessions/{asking}")

    assert "<b>Waits for you:</b>" in page
    assert "a question is open." in page
    assert "data-waits" not in show(client, f"/sessions/{ended}")


def test_repositories_of_one_name_are_told_apart_in_lists(client: httpx.Client) -> None:
    for page in (show(client, "/sessions"), show(client, "/sessions?group=project")):
        assert "<bdi>old/demo</bdi>" in page
        assert "<bdi>code/demo</bdi>" in page
        assert "<bdi>demo</bdi>" not in page


def test_a_session_of_which_nothing_came_is_quiet_and_says_for_how_long(tmp_path: Path) -> None:
    left = SessionBuilder("left").at(at(minutes=47)).user("Fix it").tools(bash("make all", "ok"))
    write(tmp_path / "root", left)
    with (
        serving(settings_for(tmp_path / "archive", tmp_path / "root")) as address,
        client_for(address) as asking,
    ):
        strip = show(asking, "/live")

    quiet = re.search(
        r'<span class="strip-state" title="([^"]+)">quiet for (\d+ min)</span>', strip
    )
    assert quiet is not None
    assert quiet[1] == (
        f"Nothing new for {quiet[2]}: it has probably ended."
        " The transcript does not say so for sure."
    )
    assert ">last: <bdi>Bash make all</bdi>" in strip
    assert "Nothing is running; 1 session quiet<" in strip
    assert "finished?" not in strip


def test_what_waits_leads_to_its_question(client: httpx.Client) -> None:
    asking = live(client)["Ask me"]
    strip = show(client, "/live")
    place = re.escape(f"/sessions/{asking['session_id']}#c-{asking['call_id']}")

    assert re.search(rf'<a class="strip-state" href="{place}"', strip)
    assert re.search(rf'<a class="title" href="{place}"><bdi>Ask me<', strip)
    assert re.search(r'<a class="title" href="/sessions/[^"#]+"><bdi>Go <b>on</b><', strip)
