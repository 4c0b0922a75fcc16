"""Agent runs: the tree, pages, changes of one run, and what takes changes back."""

import html
import re
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from clew.archive import open_archive
from clew.store import Home
from clew.web import Settings
from tests.build import SessionBuilder, edit, write
from tests.web.agents_session import BACKGROUND_SECONDS, FILE, OTHER, SUGGESTIONS, write_agents
from tests.web.serving import client_for, serving

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def delegated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, str]]:
    """An app with one session that delegated its work."""
    folder = tmp_path_factory.mktemp("agents")
    name = write_agents(folder / "claude")
    home = Home(folder / "home")
    with open_archive(home) as archive:
        archive.sync([folder / "claude"])
    settings = Settings(port=0, location=home, is_followed=False)
    with serving(settings) as app, client_for(app) as client:
        yield client, name


def page_of(client: httpx.Client, address: str) -> str:
    found = client.get(address, headers=HTML)
    assert found.status_code == 200, found.text
    return html.unescape(found.text)


def tree_of(delegated: tuple[httpx.Client, str]) -> dict[str, Any]:
    client, name = delegated
    found: dict[str, Any] = client.get(f"/api/sessions/{name}/agents").json()
    return found


def run_of(delegated: tuple[httpx.Client, str], title: str) -> dict[str, Any]:
    return next(run for run in tree_of(delegated)["runs"] if run["title"] == title)


def test_each_run_follows_the_one_that_started_it(delegated: tuple[httpx.Client, str]) -> None:
    tree = tree_of(delegated)

    found = [(run["agent"], run["title"], run["depth"]) for run in tree["runs"]]
    assert tree["schema"] == "clew.agents/1"
    assert found == [
        ("planner", "Outer work", 1),
        ("Explore", "Inner work", 2),
        ("general-purpose", "Slow count", 1),
    ]
    assert tree["runs"][1]["parent_run_id"] == tree["runs"][0]["id"]


def test_a_run_takes_as_long_as_its_rows(delegated: tuple[httpx.Client, str]) -> None:
    run = run_of(delegated, "Slow count")

    start, end = (datetime.fromisoformat(run[name]) for name in ("started_at", "ended_at"))
    assert run["duration_ms"] == round((end - start).total_seconds() * 1000)
    assert run["duration_ms"] > BACKGROUND_SECONDS * 1000


def test_the_row_of_its_call_says_the_same(delegated: tuple[httpx.Client, str]) -> None:
    client, name = delegated
    run = run_of(delegated, "Slow count")

    page = page_of(client, f"/sessions/{name}")

    row = page.partition(f'id="c-{run["tool_call_id"]}"')[2].partition("</summary>")[0]
    assert re.search(r'class="time">1 min 2\d s<', row) or "1 min" in row
    assert f'class="own-page" href="/sessions/{name}/runs/{run["id"]}"' in page


def test_what_the_client_started_itself_is_one_line(delegated: tuple[httpx.Client, str]) -> None:
    client, name = delegated

    tree, page = tree_of(delegated), page_of(client, f"/sessions/{name}/agents")

    kinds = [run["kind"] for run in tree["hidden"]]
    assert sorted(kinds) == ["suggestion"] * SUGGESTIONS + ["warmup"]
    line = page.partition('id="hidden-runs"><summary>')[2].partition("</summary>")[0]
    assert line.startswith("3 suggestions, 1 warm-up, $")
    table = page.partition('id="hidden-runs"')[0]
    assert "Suggest something" not in table
    assert "Delegate <the> work" in page
    assert "Delegate &lt;the&gt;" in client.get(f"/sessions/{name}/agents", headers=HTML).text


def test_the_session_and_its_runs_have_the_tree(delegated: tuple[httpx.Client, str]) -> None:
    client, name = delegated
    outer, inner = run_of(delegated, "Outer work"), run_of(delegated, "Inner work")

    page = page_of(client, f"/sessions/{name}")
    of_run = page_of(client, f"/sessions/{name}/runs/{outer['id']}")
    frame = client.get(f"/sessions/{name}/frame").json()

    for markup in (page, html.unescape(frame["agents"])):
        assert "3 runs" in markup
        assert f'href="/sessions/{name}/runs/{inner["id"]}"' in markup
    assert "Runs that it started" in of_run
    assert 'class="depth-1"' in of_run.partition("Runs that it started")[2]


def test_runs_lead_to_one_another(delegated: tuple[httpx.Client, str]) -> None:
    client, name = delegated
    outer, inner = run_of(delegated, "Outer work"), run_of(delegated, "Inner work")
    slow = run_of(delegated, "Slow count")
    own = f"/sessions/{name}"

    page = page_of(client, f"{own}/runs/{inner['id']}")

    links = {text: url for url, text in re.findall(r'<li><a href="([^"]+)">([^<]+)</a>', page)}
    assert links["Whole session"] == own
    assert links["Parent run"] == links["Previous run"] == f"{own}/runs/{outer['id']}"
    assert links["Next run"] == f"{own}/runs/{slow['id']}"
    assert links["What it changed"] == f"{own}/changes?run={inner['id']}"
    assert links["Call that started it"] == f"{own}#c-{inner['tool_call_id']}"
    assert links["All agents"].startswith(f"{own}/agents#run-")


def test_changes_of_one_run(delegated: tuple[httpx.Client, str]) -> None:
    client, name = delegated
    inner = run_of(delegated, "Inner work")
    asked = {"run": inner["id"]}

    found = client.get(f"/api/sessions/{name}/changes", params=asked).json()
    page = page_of(client, f"/sessions/{name}/changes?run={inner['id']}")
    patch = client.get(f"/sessions/{name}/changes.patch", params=asked).text

    assert (inner["files"], inner["added"], inner["removed"]) == (1, 1, 0)
    assert found["agent_run_id"] == inner["id"]
    assert [file["path"] for file in found["files"]] == [FILE]
    assert "Explore: Inner work" in page
    assert OTHER.rpartition("/")[2] not in page.partition("file-diffs")[2]
    assert "+inner = 1" in patch
    assert "main.py" not in patch


@pytest.mark.parametrize("place", ["/api/sessions/{}/changes", "/sessions/{}/changes"])
def test_there_is_no_such_run(delegated: tuple[httpx.Client, str], place: str) -> None:
    client, name = delegated

    found = client.get(place.format(name), params={"run": "nope"})

    assert found.status_code == 404
    assert "no agent run" in html.unescape(found.text)


def test_the_patch_takes_all_of_it_back(
    delegated: tuple[httpx.Client, str], tmp_path: Path
) -> None:
    client, name = delegated
    (tmp_path / "src").mkdir()
    (tmp_path / "src/main.py").write_text("one\n2\n", "utf-8")
    (tmp_path / "src/inner.py").write_text("inner = 1\n", "utf-8")

    page = page_of(client, f"/sessions/{name}/changes")
    address = re.search(r'href="([^"]+reverse=1)" download', page)
    assert address is not None
    patch = client.get(address[1]).text
    git = ["git", "apply", "-"]
    subprocess.run(git, input=patch, text=True, cwd=tmp_path, check=True)  # noqa: S603

    assert "This patch takes back all of it" in page
    assert list(tmp_path.rglob("*.py")) == []


def test_what_cannot_be_taken_back_is_said(tmp_path: Path) -> None:
    built = SessionBuilder("back").user("Go").tools(write("/etc/elsewhere.conf", "x\n"))
    built.tools(write("/home/dev/code/demo/here.py", "x\n"))
    built.tools(edit("/home/dev/code/demo/here.py", "x\n", "x", "y"))
    built.assistant("Done.").write(tmp_path / "claude")
    home = Home(tmp_path / "home")
    with open_archive(home) as archive:
        archive.sync([tmp_path / "claude"])
    with (
        serving(Settings(port=0, location=home, is_followed=False)) as app,
        client_for(app) as client,
    ):
        page = page_of(client, f"/sessions/{built.session_id}/changes")

    told = page.partition('id="take-back"')[2].partition("</details>")[0]
    assert "takes back 1 file of 2" in told
    assert "It cannot take back:" in told
    assert "/etc/elsewhere.conf" in told
    assert "outside of /home/dev/code/demo" in told


def test_the_timeline_has_one_lane_for_all_of_them(delegated: tuple[httpx.Client, str]) -> None:
    client, name = delegated

    page = page_of(client, f"/sessions/{name}/timeline")

    names = page.partition('class="lane-names"')[2].partition("</ol>")[0]
    lanes = re.findall(r"<bdi>([^<]+)</bdi>", names)
    assert lanes[0] == "Main thread"
    assert set(lanes[1:-1]) == {
        "planner: Outer work",
        "Explore: Inner work",
        "general-purpose: Slow count",
    }
    assert lanes[-1] == "3 suggestions, 1 warm-up"
    assert len(re.findall(r'<rect class="run"', page)) == SUGGESTIONS + 1
