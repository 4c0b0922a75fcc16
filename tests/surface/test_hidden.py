"""Sessions of warm-ups alone are left out unless asked for; missing transcripts are told."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from tests.build import SessionBuilder
from tests.web.serving import client_for, serving, settings_for

HTML = {"accept": "text/html"}


def warm_up(root: Path) -> str:
    """Write a session of which only an agent's warm-up is there."""
    session = SessionBuilder("warm").user("Hi")
    session.agent("Warm", "Warmup", lambda run: run.assistant("Zirconium ready."))
    transcript = session.write(root)
    transcript.write_bytes(b"")
    return session.session_id


def orphan(root: Path) -> str:
    """Write a session whose own transcript is missing."""
    session = SessionBuilder("orphan").user("Hi")
    session.agent("Count the files", "Count all files", lambda run: run.assistant("Seven."))
    session.write(root).unlink()
    return session.session_id


@pytest.fixture
def root(machine: Path) -> Path:
    SessionBuilder("talk").user("Explain zirconium").assistant("A metal.").write(machine)
    return machine


def run(capture: pytest.CaptureFixture[str], *words: str) -> Any:
    main([*words, "--json"])
    return json.loads(capture.readouterr().out)


def test_a_list_leaves_out_warm_ups_and_says_how_many(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = warm_up(root)

    usual, whole = run(capsys, "list"), run(capsys, "list", "--all")

    assert hidden not in [session["id"] for session in usual["sessions"]]
    assert usual["hidden"] == 1
    assert hidden in [session["id"] for session in whole["sessions"]]
    assert whole["hidden"] == 0
    main(["list"])
    told = capsys.readouterr().err
    assert "Hidden: 1 session without a conversation (`--all` to include)" in told


def test_a_search_leaves_out_warm_ups_and_says_how_many(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = warm_up(root)

    usual = run(capsys, "search", "zirconium")
    whole = run(capsys, "search", "zirconium", "--all")

    assert hidden not in [hit["session_id"] for hit in usual["hits"]]
    assert usual["hidden_sessions"] == 1
    assert hidden in [hit["session_id"] for hit in whole["hits"]]
    main(["search", "ready"])
    assert "--all to include 1 hidden session" in capsys.readouterr().err


def test_an_export_leaves_out_warm_ups_and_says_how_many(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = warm_up(root)
    site = tmp_path / "site"

    usual = run(capsys, "export", "html", "-o", str(site))
    pages = [path.name for path in site.rglob("*.html")]
    main(["export", "html", "-o", str(site)])
    told = capsys.readouterr().err
    whole = run(capsys, "export", "html", "-o", str(site), "--all")

    assert (usual["sessions"], usual["hidden"]) == (1, 1)
    assert not any(hidden in name for name in pages)
    assert "Skipped 1 session without a conversation (`--all` to include)" in told
    assert (whole["sessions"], whole["hidden"]) == (2, 0)
    assert hidden in (site / "index.html").read_text("utf-8")


def test_an_export_of_warm_ups_alone_says_how_to_get_them(
    machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warm_up(machine)

    assert main(["export", "markdown", "-o", str(tmp_path / "out")]) == 3
    assert "--all" in capsys.readouterr().err


def test_an_export_of_named_sessions_hides_none(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = warm_up(root)

    report = run(capsys, "export", "json", hidden, "-o", str(tmp_path / "out"))

    assert (report["sessions"], report["hidden"]) == (1, 0)


def test_the_app_leaves_out_warm_ups_and_leads_to_them(root: Path, tmp_path: Path) -> None:
    hidden = warm_up(root)
    with serving(settings_for(tmp_path / "home", root)) as address, client_for(address) as client:
        listed = client.get("/api/sessions").json()
        page = client.get("/sessions", headers=HTML).text
        whole = client.get("/sessions?with_hidden=true", headers=HTML).text
        found = client.get("/api/search", params={"q": "ready", "with_hidden": True}).json()
        nothing = client.get("/search", params={"q": "ready"}, headers=HTML).text

    assert (listed["total"], listed["hidden"]) == (1, 1)
    assert hidden not in page
    assert "1 session without a conversation, or hidden by you, is left out" in page
    assert hidden in whole
    assert [hit["session_id"] for hit in found["hits"]] == [hidden]
    assert "1 session without a conversation was not searched" in nothing


def test_a_session_without_its_transcript_is_marked_and_offers_no_resume(
    machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = orphan(machine)

    (session,) = run(capsys, "list")["sessions"]
    shown = run(capsys, "show", name)
    main(["list"])
    table = capsys.readouterr().out
    main(["show", name])
    text = capsys.readouterr().out
    main(["show", name, "--format", "markdown"])
    markdown = capsys.readouterr().out
    with serving(settings_for(tmp_path / "home", machine)) as address, client_for(address) as http:
        page = http.get(f"/sessions/{name}", headers=HTML).text
        row = http.get("/sessions", headers=HTML).text

    assert (session["title"], session["has_transcript"]) == ("Count the files", False)
    assert session["usage"]["quality"] == "lower_bound"
    assert not shown["session"]["has_transcript"]
    assert "transcript missing" in table
    assert "transcript missing" in row
    for told in (text, markdown, page):
        assert "main transcript of this session is missing" in " ".join(told.split())
    assert "--resume" not in page


def test_a_missing_run_is_listed_and_shown_everywhere(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = SessionBuilder().user("Hi")
    session.agent("Count the files", "Count all files", lambda run: run.assistant("Seven."))
    path = session.write(machine)
    for file in (path.with_suffix("") / "subagents").iterdir():
        file.unlink()

    (listed,) = run(capsys, "list", "agent-runs")["agent_runs"]
    (overview,) = run(capsys, "list")["sessions"]
    (shown,) = run(capsys, "show", str(path))["agent_runs"]
    main(["show", str(path)])
    text = capsys.readouterr().out
    main(["show", str(path), "--format", "markdown"])
    markdown = capsys.readouterr().out
    main(["show", str(path), "--format", "html"])
    html = capsys.readouterr().out

    assert (listed["status"], listed["cost_usd"]) == ("missing", None)
    assert listed["reported_tokens"] == shown["reported"]["total_tokens"] > 0
    assert (overview["missing_runs"], overview["usage"]["quality"]) == (1, "lower_bound")
    assert (shown["status"], shown["usage"]["cost_usd"]) == ("missing", None)
    assert all("transcript missing" in told.lower() for told in (text, markdown, html))
