"""Export from the page: what is in the file first, then the file, without secrets."""

import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from clew.export import MAX_SESSIONS, share_options
from clew.web.pages import export as export_pages
from tests.build import SessionBuilder, bash
from tests.web.serving import client_for, serving, settings_for

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
PASSWORD = "k9Lm2" + "pQz7x"
BROWSER = {"accept": "text/html"}


def builders() -> list[SessionBuilder]:
    """Build two sessions; the second says what the password of the first is."""
    first = SessionBuilder("alpha", cwd="/home/mira/code/app").at("2026-10-01T09:00:00Z")
    first.user(f"Push with {TOKEN}, kiwi {PASSWORD}").assistant("Pushed.")
    second = SessionBuilder("beta", cwd="/home/mira/code/app").at("2026-10-02T09:00:00Z")
    second.user("Read the settings, kiwi").tools(bash("cat .env", f"DB_PASSWORD={PASSWORD}"))
    return [first, second.assistant("Read.")]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    root = tmp_path_factory.mktemp("root")
    for builder in builders():
        builder.write(root)
    home = tmp_path_factory.mktemp("home")
    with serving(settings_for(home, root)) as address, client_for(address) as asking:
        yield asking


@pytest.fixture(scope="module")
def ids() -> list[str]:
    return [builder.session_id for builder in builders()]


def get(client: httpx.Client, path: str, status: int = 200, **params: Any) -> httpx.Response:
    found = client.get(path, params=params, headers=BROWSER)
    assert found.status_code == status, found.text
    return found


def shown(client: httpx.Client, **params: Any) -> str:
    return html.unescape(get(client, "/export", **params).text)


def save_url(page: str) -> str:
    found = re.search(r'href="([^"]+)"[^>]*data-save', page)
    assert found is not None
    return found[1]


def test_short_ids_name_the_sessions_to_export(client: httpx.Client, ids: list[str]) -> None:
    short = [name[:8] for name in ids]

    page = shown(client, session=[*short, *ids])

    assert "Export 2 sessions" in page
    assert client.get(save_url(page)).status_code == 200


def test_the_page_shows_contents_and_report_and_saves_that_file(
    client: httpx.Client, ids: list[str]
) -> None:
    page = shown(client, session=ids)

    assert "Export 2 sessions" in page
    assert "github-token" in page
    assert f"/sessions/{ids[0]}#m-" in page
    file = client.get(save_url(page))
    assert file.headers["content-disposition"] == 'attachment; filename="clew-2-sessions.html"'
    assert file.headers["content-type"] == "text/html; charset=utf-8"
    assert not any(secret in file.text for secret in (TOKEN, PASSWORD, "mira"))
    assert "[redacted: password 1]" in file.text


def test_the_report_never_contains_a_secret(client: httpx.Client, ids: list[str]) -> None:
    told = client.get("/api/export", params={"session": ids}).text
    step = get(client, "/export/report", session=ids).text

    assert not any(secret in told + step for secret in (TOKEN, PASSWORD))
    report = json.loads(told)
    assert report["schema"] == "clew.share/1"
    assert {"github-token", "password", "home"} <= {kind["rule"] for kind in report["kinds"]}
    assert [item["session_id"] for item in report["sessions"]] == ids


@pytest.mark.parametrize("form", ["html", "markdown", "json"])
def test_size_and_name_of_the_report_are_those_of_the_file(
    client: httpx.Client, ids: list[str], form: str
) -> None:
    report = client.get("/api/export", params={"session": ids[0], "form": form}).json()
    file = client.get("/export/file", params={"session": ids[0], "form": form})

    assert report["size_bytes"] == len(file.content)
    assert report["name"] in file.headers["content-disposition"]


def test_the_file_loads_nothing_from_elsewhere(client: httpx.Client, ids: list[str]) -> None:
    file = client.get("/export/file", params={"session": ids}).text

    assert "default-src 'none'" in file
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', file) == []


def test_a_search_is_exported_as_its_sessions_or_its_hits(client: httpx.Client) -> None:
    sessions = get(client, "/export/file", q="kiwi").text
    hits = get(client, "/export/file", q="kiwi", of="hits").text
    page = shown(client, q="kiwi", of="hits")
    results = html.unescape(get(client, "/search", q="kiwi").text)

    assert "Read the settings" in sessions
    assert "Push with" in sessions
    assert "<mark>kiwi</mark>" in hits
    assert not any(secret in sessions + hits for secret in (TOKEN, PASSWORD))
    assert "The hits alone" in page
    assert 'href="/export?q=kiwi" data-export' in results


def test_filters_select_sessions(client: httpx.Client, ids: list[str]) -> None:
    report = client.get("/api/export", params={"project": "app", "until": "2026-10-01"}).json()

    assert [item["session_id"] for item in report["sessions"]] == ids[:1]


def test_without_redaction_the_page_warns(client: httpx.Client, ids: list[str]) -> None:
    page = shown(client, session=ids[0], redact="false")

    assert "Not masked:" in page
    assert "These will be in the file" in page
    assert TOKEN in client.get(save_url(page)).text


def test_a_session_page_leads_there(client: httpx.Client, ids: list[str]) -> None:
    page = html.unescape(get(client, f"/sessions/{ids[0]}").text)

    assert f'href="/export?session={ids[0]}"' in page


def test_a_long_report_comes_step_by_step(
    client: httpx.Client, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_pages, "_INLINE_BYTES", 0)

    page = shown(client, session=ids)
    (url,) = re.findall(r'data-url="([^"]+)"', page)
    lines = [json.loads(line) for line in client.get(url).text.splitlines()]
    now = shown(client, session=ids, report="now")

    assert "data-save" not in page
    assert lines[:2] == [{"done": 1, "total": 4}, {"done": 2, "total": 4}]
    assert "data-save" in lines[-1]["html"]
    assert "data-save" in now


def test_a_fault_on_the_way_is_said_in_the_report(client: httpx.Client, ids: list[str]) -> None:
    lines = get(client, "/export/report", session=ids[0], turns="7").text.splitlines()

    assert "no turn 7" in json.loads(lines[-1])["error"]


def test_many_sessions_are_saved_as_a_zip(
    client: httpx.Client, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share_options, "ONE_PAGE_BYTES", 0)

    file = client.get("/export/file", params={"session": ids})

    assert file.headers["content-type"] == "application/zip"
    packed = zipfile.ZipFile(io.BytesIO(file.content))
    assert min(packed.namelist()) == "index.html"
    assert not any(TOKEN.encode() in packed.read(name) for name in packed.namelist())


@pytest.mark.parametrize(
    ("params", "status", "words"),
    [
        ({}, 400, "nothing to export"),
        ({"tz": "Europe/Paris"}, 400, "nothing to export"),
        ({"session": "none"}, 404, "no session has the id"),
        ({"session": "a/../b"}, 404, "no session has the id"),
        ({"session": ["x"] * 2 + [f"s-{n}" for n in range(MAX_SESSIONS)]}, 400, "too many"),
        ({"q": "nowhere-at-all"}, 404, "no sessions match"),
        ({"q": "kiwi", "of": "words"}, 400, "for of"),
        ({"q": 'an "open'}, 400, ""),
        ({"q": "kiwi", "form": "pdf"}, 400, "for form"),
        ({"q": "kiwi", "detail": "much"}, 400, "for detail"),
        ({"q": "kiwi", "turns": "1"}, 400, "turns are those of one session"),
        ({"q": "kiwi", "turns": "x"}, 400, "invalid turns"),
    ],
)
def test_what_cannot_be_exported_is_said(
    client: httpx.Client, params: dict[str, Any], status: int, words: str
) -> None:
    for path in ("/export", "/export/report", "/export/file"):
        page = html.unescape(get(client, path, status, **params).text)
        assert words.casefold() in page.casefold()
    assert words in client.get("/api/export", params=params).json()["error"]["message"]


def test_names_in_transcripts_break_out_of_nothing(tmp_path: Path) -> None:
    title = '"><script>alert(1)</script>'
    builder = SessionBuilder("odd").user(f"Use {TOKEN} {title}").custom_title(title)
    builder.tool(f"Tool{title}", {"token": TOKEN}, "ok").assistant("Done.").write(tmp_path / "root")
    with (
        serving(settings_for(tmp_path / "home", tmp_path / "root")) as address,
        client_for(address) as asking,
    ):
        pages = [
            get(asking, path, session=builder.session_id).text
            for path in ("/export", "/export/report", "/export/file")
        ]

    assert not any("<script>alert" in page for page in pages)
