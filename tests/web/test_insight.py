"""Pages and API of permissions, lessons and comparisons, and waiting in timelines."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from clew.figures import duration
from clew.view import make_timeline
from tests.build import Call, SessionBuilder, bash, edit, write
from tests.surface.test_insight import ONCE, session
from tests.unit.conversation.built import conversation_of
from tests.web.serving import client_for, serving, settings_for

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve sessions with decisions and failures."""
    root = tmp_path_factory.mktemp("root")
    for number in (1, 2, 3):
        session(number).write(root)
    evil = Call("Bash", {"command": "<b>x"}, "Exit code 1\n<img src=x onerror=a>", error=True)
    for number in range(3):
        SessionBuilder(f"evil {number}", cwd="/home/dev/<i>").user("x").tools(evil).write(root)
    settings = settings_for(tmp_path_factory.mktemp("archive"), root)
    with serving(settings) as address, client_for(address) as client:
        yield client


def show(client: httpx.Client, path: str, **asked: str) -> str:
    """Open a page."""
    found = client.get(path, params=asked, headers=HTML)
    assert found.status_code == 200
    return found.text


def links(page: str) -> list[str]:
    """Give the addresses that a page leads to."""
    return [html.unescape(url) for url in re.findall(r'href="([^"]*)"', page)]


def test_permissions_are_shown_with_the_rule_to_copy(reports: httpx.Client) -> None:
    page = show(reports, "/permissions")

    assert "Bash(git push:*)" in page
    assert 'aria-current="page">Permissions</a>' in page
    assert any(re.fullmatch("/sessions/[^#]+#c-.+", url) for url in links(page))


def test_what_was_asked_leads_to_each_of_its_calls(reports: httpx.Client) -> None:
    page = show(reports, "/permissions")
    report = reports.get("/api/permissions").json()

    refs = [ref for row in (*report["patterns"], *report["refusals"]) for ref in row["examples"]]
    wanted = {f"/sessions/{ref['session_id']}#c-{ref['call_id']}" for ref in refs}
    assert [row["asked"] for row in report["patterns"]] == [
        len(row["examples"]) for row in report["patterns"]
    ]
    assert wanted <= set(links(page))


def test_what_nobody_was_asked_about_does_not_lead_to_what_was_asked(tmp_path: Path) -> None:
    by_mode = {"decision": "accept", "source": "config", "reasonType": "mode"}
    built = SessionBuilder("mode", version="2.1.325").user("x")
    built.tools(Call("Bash", {"command": "ls"}, "a", permission=by_mode))
    built.tools(Call("Bash", {"command": "touch a"}, "a", permission=ONCE))
    built.write(tmp_path / "root")
    with (
        serving(settings_for(tmp_path / "archive", tmp_path / "root")) as address,
        client_for(address) as client,
    ):
        page = show(client, "/permissions")

    rows = re.findall(r"<tr><td>(.*?)</td><td>(accepted[^<]*)</td>", page)
    assert {(re.sub("<[^>]+>", "", who), "#asked-about" in who) for who, _ in rows} == {
        ("The permission mode", False),
        ("A person", True),
    }


def test_each_lesson_leads_to_its_calls(reports: httpx.Client) -> None:
    page = show(reports, "/lessons")

    assert "File has not been read yet." in page
    for number in (1, 2, 3):
        start = f"/sessions/{session(number).session_id}#c-"
        assert any(url.startswith(start) for url in links(page))


@pytest.mark.parametrize("path", ["/lessons", "/permissions"])
def test_words_of_strangers_are_escaped(reports: httpx.Client, path: str) -> None:
    page = show(reports, path)

    assert "<img src=x" not in page
    assert "<b>x" not in page


@pytest.mark.parametrize("path", ["/lessons", "/permissions"])
def test_filters_that_match_nothing_say_so(reports: httpx.Client, path: str) -> None:
    assert 'class="empty"' in show(reports, path, project="none such")


def test_short_ids_name_the_sessions_to_compare(client: httpx.Client) -> None:
    ids = [one["id"] for one in client.get("/api/sessions").json()["sessions"][:2]]
    short, full = ({"a": a, "b": b} for a, b in ([one[:8] for one in ids], ids))

    assert 'id="figures"' in show(client, "/compare", **short)
    assert 'id="others"' in show(client, "/compare", a=short["a"])
    asked = [client.get("/api/compare", params=params) for params in (short, full)]
    assert asked[0].json() == asked[1].json()
    assert client.get("/api/compare", params={"a": "8", "b": ids[0]}).status_code == 409


def test_two_sessions_stand_side_by_side(reports: httpx.Client) -> None:
    a, b = session(1).session_id, session(2).session_id

    page = show(reports, "/compare", a=a, b=b)

    assert "Task 1" in page
    assert "Task 2" in page
    assert f"/sessions/{a}" in links(page)
    asked = show(reports, "/compare", a=a)
    assert re.search(rf'<option value="{a}" selected>[^<]*Task 1', asked)
    assert f"/compare?a={a}&b={b}" in links(asked)
    assert f"b={a}" not in asked
    assert f"/compare?a={a}" in links(show(reports, f"/sessions/{a}"))


def test_a_comparison_shows_results_and_figures_before_files(tmp_path: Path) -> None:
    one, two = SessionBuilder("one"), SessionBuilder("two")
    for name in ("app", "store", "season"):
        path = f"/home/dev/code/demo/{name}.py"
        one.user(name).tools(edit(path, "x = 1\n", "1", "2"))
        two.user(name).tools(edit(path, "x = 1\n", "1", "3"))
    one.assistant("Done.").write(tmp_path / "root")
    two.assistant("Done.").write(tmp_path / "root")
    settings = settings_for(tmp_path / "archive", tmp_path / "root")
    with serving(settings) as address, client_for(address) as client:
        page = show(client, "/compare", a=one.session_id, b=two.session_id)

    words = (">Outcome<", ">Last answer<", ">Turns<", 'id="files"')
    assert [word for word in words if word not in page] == []
    order = [page.index(word) for word in words]
    assert order == sorted(order)
    assert [f'id="file-{number}"' in page for number in range(1, 5)] == [True] * 3 + [False]
    assert "3 files: 3 by both." in page
    assert page.count("<details><summary><bdi") == 3


def test_a_comparison_has_dates_and_differences_and_each_file_once(tmp_path: Path) -> None:
    path = "/home/dev/code/demo/app.py"
    same = edit(path, "x = 1\n", "1", "2")
    one = SessionBuilder("one").at("2026-10-01T09:00:00Z").user("Try").tools(same).assistant("Ok.")
    two = SessionBuilder("two").at("2026-10-02T09:00:00Z").user("Try").tools(same, bash("ls"))
    two.tools(write("/home/dev/code/demo/new.py", "1\n")).assistant("Ok.", stop_reason=None)
    for built in (one, two):
        built.write(tmp_path / "root")
    settings = settings_for(tmp_path / "archive", tmp_path / "root")
    with serving(settings) as address, client_for(address) as client:
        page = html.unescape(show(client, "/compare", a=one.session_id, b=two.session_id))

    assert '<time class="quiet" datetime="2026-10-01T09:00:00' in page
    calls = re.search(r'>Tool calls</th>.*?class="difference">([^<]*)<', page)
    assert calls is not None
    assert calls[1] == "+2"
    assert "only B: +1 -0" in page
    assert "changed by both, with the same result: +1 -1" in page
    assert page.count("app.py</bdi>") == 1
    assert ">Summary</th>" in page


@pytest.mark.parametrize("asked", [{"a": "nope", "b": "nope"}, {"a": "a/b", "b": "c"}])
def test_sessions_that_are_not_there_are_not_found(
    reports: httpx.Client, asked: dict[str, str]
) -> None:
    for path in ("/compare", "/api/compare"):
        assert reports.get(path, params=asked).status_code == 404


def test_the_api_has_what_the_commands_print(reports: httpx.Client) -> None:
    permissions = reports.get("/api/permissions").json()
    lessons = reports.get("/api/lessons", params={"min_sessions": 3}).json()
    a, b = session(1).session_id, session(2).session_id
    compared = reports.get("/api/compare", params={"a": a, "b": b}).json()

    assert (permissions["schema"], permissions["asked"]) == ("clew.permissions/1", 3)
    assert lessons["schema"] == "clew.lessons/1"
    assert {one["sessions"] for one in lessons["lessons"]} == {3}
    assert (compared["schema"], compared["a"]["session_id"]) == ("clew.compare/1", a)


@pytest.mark.parametrize("path", ["/api/lessons", "/api/permissions", "/lessons", "/permissions"])
def test_no_report_is_about_one_member(reports: httpx.Client, path: str) -> None:
    assert reports.get(path, params={"member": "mira"}).status_code == 400


def test_waiting_is_hatched_on_the_timeline(reports: httpx.Client) -> None:
    page = show(reports, f"/sessions/{session(1).session_id}/timeline")

    assert re.search(r"<title>Bash[^<]*waited ≤ 10.0 s for a person</title>", page)
    assert 'class="wait"' in page


def test_a_bar_waits_first_and_works_afterwards(tmp_path: Path) -> None:
    fetched = {"bytes": 1, "code": 200, "codeText": "OK", "result": "x", "durationMs": 11_000}
    arguments = {"url": "https://example.org/", "prompt": "x"}
    result = {**fetched, "url": "https://example.org/"}
    slow = Call("WebFetch", arguments, "x", result, seconds=40, permission=ONCE)
    built = SessionBuilder().user("x").tools(slow)
    built.tools(edit(f"{tmp_path}/a", "a\n", "a", "b")).assistant("Done.")

    (lane,) = make_timeline(conversation_of(built)).lanes

    bars = {bar.label.partition(" ")[0]: bar for bar in lane.bars}
    fetch = bars["WebFetch"]
    assert fetch.waited_until_ms == fetch.start_ms + 30_000
    assert fetch.end_ms - fetch.waited_until_ms == 11_000
    assert bars["Edit"].waited_until_ms is None


def test_a_bar_that_waited_for_calls_beside_it_begins_with_its_own_wait() -> None:
    built = SessionBuilder("two", version="2.1.47").user("x")
    first = edit("/home/dev/code/demo/a.py", "a\n", "a", "b")
    second = edit("/home/dev/code/demo/b.py", "a\n", "a", "b")
    built.tools(
        msgspec.structs.replace(first, seconds=40), msgspec.structs.replace(second, seconds=20)
    )

    timeline = make_timeline(conversation_of(built.assistant("Done.")))

    bars = [bar for lane in timeline.lanes for bar in lane.bars if bar.kind == "tool"]
    assert [bar.waiting_ms for bar in bars] == [41_000, 21_000]
    assert bars[1].start_ms == bars[0].end_ms
    assert all(bar.waited_until_ms == bar.end_ms for bar in bars)


def test_every_row_of_what_was_asked_leads_somewhere(tmp_path: Path) -> None:
    refused = Call("mcp__tracker__create", {"title": "x"}, "No", denied=True)
    built = SessionBuilder("tracker").user("Write it down").tools(refused)
    built.write(tmp_path / "claude")
    with (
        serving(settings_for(tmp_path / "archive", tmp_path / "claude")) as address,
        client_for(address) as client,
    ):
        page = show(client, "/permissions")

    table = page.partition('aria-labelledby="asked-about"')[2].partition("</table>")[0]
    rows = re.findall("(?s)<tr><td>.*?</tr>", table)
    assert rows
    for row in rows:
        assert f'href="/sessions/{built.session_id}#c-' in html.unescape(row)


def test_failed_calls_lead_to_as_many_hits(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    session(1).failure("Too many requests").assistant("Again.").write(root)
    with (
        serving(settings_for(tmp_path / "archive", root)) as address,
        client_for(address) as client,
    ):
        page = html.unescape(show(client, "/lessons"))
        found = re.search(r'href="(/search[^"]*)">[\d,]+ of ([\d,]+)<', page)
        assert found is not None
        hits = client.get(found[1], headers=HTML).text

    assert re.search(rf"\b{found[2]} hits?\b", hits)


def test_a_long_wait_is_folded_and_the_length_is_that_of_the_session(tmp_path: Path) -> None:
    slow = Call("Bash", {"command": "git commit -m x"}, "ok", seconds=9 * 3_600)
    built = SessionBuilder(version="2.1.47").user("x").tools(slow).assistant("Done.")
    conversation = conversation_of(built)

    timeline = make_timeline(conversation)

    [idle] = [one for one in timeline.intervals if one.is_idle]
    assert idle.end_ms - idle.start_ms > 8 * 3_600_000
    built.write(tmp_path / "root")
    with (
        serving(settings_for(tmp_path / "home", tmp_path / "root")) as address,
        client_for(address) as client,
    ):
        page = show(client, f"/sessions/{built.session_id}/timeline")
        tools = show(client, "/usage").partition('id="by-tool"')[2].partition("</table>")[0]
    assert f"{duration(conversation.session.duration_ms)} in total" in page
    assert re.search("waited ~ ?8 h 50 min", page)
    assert "10 min" in tools
    assert "9 h" not in tools


def test_a_long_wait_in_an_agent_run_is_folded() -> None:
    slow = Call("Bash", {"command": "git commit -m x"}, "ok", seconds=9 * 3_600)
    built = SessionBuilder(version="2.1.47").user("x")
    built.agent("Commit", "Commit it.", lambda run: run.tools(slow).assistant("Committed."))

    timeline = make_timeline(conversation_of(built.assistant("Done.")))

    [idle] = [one for one in timeline.intervals if one.is_idle]
    assert idle.end_ms - idle.start_ms > 8 * 3_600_000
