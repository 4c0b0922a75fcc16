"""`clew digest`: accounts on the terminal and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.cli.app import main
from tests.build import Call, SessionBuilder, bash, write


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Two sessions in a home of their own, by what they are."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    fixed = (
        SessionBuilder("fixed")
        .at("2026-11-10T09:00:00Z")
        .user("Please fix the slow parser today.")
        .tools(write("/home/dev/app/a.py", "one\ntwo\n"))
        .tools(bash("pytest -q", "3 passed in 0.1s"))
        .tools(bash("git commit -am x", "[main 1a2b3c4] Fix the parser"))
        .assistant("The parser is quick again now.")
    )
    todo = [{"content": "Read it", "status": "completed"}, {"content": "Mend", "status": "pending"}]
    listed = (
        SessionBuilder("open")
        .at("2026-11-12T09:00:00Z")
        .user("hi")
        .assistant("Hello!")
        .user("Mend the old fence, please.")
        .tools(Call("TodoWrite", {"todos": todo}, "Todos have been modified successfully"))
        .assistant("I have read all of it.")
    )
    for builder in (fixed, listed):
        builder.write(tmp_path / "claude")
    return {"fixed": fixed.session_id, "open": listed.session_id}


def run_json(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["digest", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def test_the_json_of_a_digest(sessions: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    found = run_json(capfd, sessions["fixed"][:12])

    (digest,) = found["digests"]
    assert found["schema"] == "clew.digests/1"
    assert digest["session_id"] == sessions["fixed"]
    assert digest["title"] == "Please fix the slow parser today."
    assert digest["outcome"] == "done"
    assert digest["model"] == "extract"
    assert (digest["cost_usd"], digest["claims_quoted"], digest["claims_dropped"]) == (0, 2, 0)
    assert [file["path"] for file in digest["files"]] == ["/home/dev/app/a.py"]
    assert [commit["hash"] for commit in digest["commits"]] == ["1a2b3c4"]
    assert [test["has_passed"] for test in digest["tests"]] == [True]
    first = digest["summary"][0]
    assert first["quote"] == "Please fix the slow parser today."
    assert first["speaker"] == "user"


def test_without_a_session_it_is_the_latest(
    sessions: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    by_default = run_json(capfd)

    assert by_default == run_json(capfd, "latest")
    assert by_default["digests"][0]["session_id"] in sessions.values()


def test_filters_choose_sessions(
    sessions: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    (digest,) = run_json(capfd, "--since", "2026-11-11")["digests"]
    both = run_json(capfd, "--missing")["digests"]

    assert digest["session_id"] == sessions["open"]
    assert digest["title"] == "Mend the old fence, please."
    assert digest["outcome"] == "partly"
    assert [item["text"] for item in digest["open_items"]] == ["Mend"]
    assert [one["session_id"] for one in both] == [sessions["open"], sessions["fixed"]]


def test_a_dry_run_lists_sessions_only(
    sessions: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    planned = run_json(capfd, "--missing", "--dry-run")

    assert planned["schema"] == "clew.digest_plan/1"
    assert [one["session_id"] for one in planned["sessions"]] == [
        sessions["open"],
        sessions["fixed"],
    ]


def test_the_text_of_digests(sessions: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["digest", sessions["fixed"], sessions["open"]]) == 0

    printed = capfd.readouterr().out
    assert printed.startswith("Please fix the slow parser today.\ndone · ")
    assert "1a2b3c4  Fix the parser" in printed
    assert "passed  pytest -q  3 passed in 0.1s" in printed
    assert "Open\n  - Mend\n" in printed


@pytest.mark.usefixtures("sessions")
def test_sessions_and_filters_are_not_combined(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["digest", "latest", "--since", "7d"]) == 2
    assert "cannot be combined" in capfd.readouterr().err
    assert main(["digest", "nothing-like-it"]) == 3


def test_nothing_matches(sessions: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["digest", "--project", "/nowhere", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["digests"] == []
    assert sessions
