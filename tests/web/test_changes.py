"""The changes of a session and the versions of a file: pages and API."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from clew.archive import open_archive
from clew.store import Home
from clew.web import Settings
from tests.build import SessionBuilder, bash, edit, write
from tests.web.serving import client_for, serving

FILE = "/home/dev/code/demo/src/<b>.py"
HTML = {"accept": "text/html"}


@pytest.fixture
def changed(tmp_path: Path) -> Iterator[tuple[httpx.Client, str]]:
    """An app with one session that wrote a file and edited it, then ran something."""
    builder = SessionBuilder().user("Write <i>it</i>.").tools(write(FILE, "<script>\ntwo\n"))
    builder.user("Change it.")
    builder.agent(
        "Change", "Do it", lambda run: run.tools(edit(FILE, "<script>\ntwo\n", "two", "2"))
    )
    builder.tools(bash("make it")).assistant("Done.").write(tmp_path / "claude")
    home = Home(tmp_path / "home")
    with open_archive(home) as archive:
        archive.sync([tmp_path / "claude"])
    with (
        serving(Settings(port=0, location=home, is_followed=False)) as app,
        client_for(app) as client,
    ):
        yield client, builder.session_id


def text_of(client: httpx.Client, address: str, **asked: str | int) -> str:
    found = client.get(address, params=asked, headers=HTML)
    assert found.status_code == 200, found.text
    return found.text


def test_the_page_shows_each_hunk_with_its_calls(changed: tuple[httpx.Client, str]) -> None:
    client, name = changed

    page = text_of(client, f"/sessions/{name}/changes")

    assert "<script>\n" not in page
    assert "&lt;script&gt;" in page
    assert 'class="hunk by-agent"' in page
    assert "general-purpose" in page
    assert "May have changed since the command: make it" in page
    links = re.findall(r'href="([^"]+#c-[^"]+)"', html.unescape(page))
    assert any("/runs/" in link for link in links)
    assert f"/sessions/{name}/changes" in html.unescape(text_of(client, f"/sessions/{name}"))


def test_a_reason_that_files_share_is_said_once_and_an_agent_named_once(tmp_path: Path) -> None:
    def work(run: SessionBuilder) -> None:
        run.tools(write("/w/a.txt", "one\n"))
        run.tools(edit("/w/a.txt", "one\n", "one", "1\n2"))
        run.tools(*(write(f"/w/{name}.txt", "x\n") for name in "bc"))

    builder = SessionBuilder().user("Write them.").agent("Write", "Do it", work)
    builder.tools(bash(f"make all\nmake {'x' * 300}")).assistant("Done.").write(tmp_path / "claude")
    home = Home(tmp_path / "home")
    with open_archive(home) as archive:
        archive.sync([tmp_path / "claude"])
    settings = Settings(port=0, location=home, is_followed=False)
    with serving(settings) as app, client_for(app) as client:
        page = text_of(client, f"/sessions/{builder.session_id}/changes")

    said = re.findall(r'<details class="unsure.*?</span> ([^<]*)</summary>', page)
    assert said == [
        "3 of 3 files may differ from what is on disk, because shell commands may have changed them"
    ]
    reasons = re.findall(r"<li>(May have changed since[^<]*)<", page)
    assert len(reasons) == 1
    assert len(reasons[0]) < 250
    assert reasons[0].startswith("May have changed since the command: make all")
    assert page.count('class="doubt" href="#doubts"') == 6
    assert page.count('class="agent"') == 3


def test_one_turn_side_by_side(changed: tuple[httpx.Client, str]) -> None:
    client, name = changed

    page = text_of(client, f"/sessions/{name}/changes", turn=2, view="split")

    assert 'class="sides"' in page
    assert re.search(r'class="removed"><pre>two</pre>.*class="added"><pre>2</pre>', page)
    assert client.get(f"/sessions/{name}/changes", params={"turn": 9}).status_code == 404


def test_patches_are_saved(changed: tuple[httpx.Client, str]) -> None:
    client, name = changed

    there = client.get(f"/sessions/{name}/changes.patch")
    back = client.get(f"/sessions/{name}/changes.patch", params={"reverse": "true"})

    assert there.headers["content-type"] == "text/x-diff; charset=utf-8"
    assert ".patch" in there.headers["content-disposition"]
    assert "+2\n" in there.text
    assert "deleted file mode" in back.text


def test_the_api_answers_the_same(changed: tuple[httpx.Client, str]) -> None:
    client, name = changed

    found = client.get(f"/api/sessions/{name}/changes").json()

    (file,) = found["files"]
    assert found["schema"] == "clew.changes/1"
    assert (file["state"], file["added"], file["removed"]) == ("exact", 2, 0)
    assert file["later"]["text"] == "make it"


def test_a_slider_goes_through_the_versions(changed: tuple[httpx.Client, str]) -> None:
    client, _ = changed

    last = text_of(client, "/files/history", path=FILE)
    first = text_of(client, "/files/history", path=FILE, version=1, show="text")

    assert "Version 2 of 2" in last
    assert 'type="range"' in last
    assert "Version 1 of 2" in first
    assert "&lt;script&gt;" in first
    assert len(re.findall("data-number=", first)) == 2


def test_versions_and_moments_are_in_the_api(changed: tuple[httpx.Client, str]) -> None:
    client, name = changed
    versions = client.get("/api/file-versions", params={"path": FILE}).json()["versions"]
    asked = {"path": FILE, "session": name, "message": versions[1]["message_id"]}

    then = client.get("/api/file-at", params=asked).json()
    now = client.get("/api/file-at", params={"path": FILE, "time": "2100-01-01"}).json()

    assert [version["action"] for version in versions] == ["create", "edit"]
    assert (then["schema"], then["state"], then["text"]) == (
        "clew.file/1",
        "exact",
        "<script>\ntwo\n",
    )
    assert (now["state"], now["text"]) == ("stale", "<script>\n2\n")


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"path": FILE}, 400),
        ({"path": FILE, "time": "whenever"}, 400),
        ({"path": FILE, "message": "x"}, 400),
        ({"path": "/none", "time": "2100-01-01"}, 404),
        ({"path": FILE, "session": "nope", "message": "x"}, 404),
    ],
)
def test_bad_requests_are_refused(
    changed: tuple[httpx.Client, str], asked: dict[str, str], status: int
) -> None:
    assert changed[0].get("/api/file-at", params=asked).status_code == status
