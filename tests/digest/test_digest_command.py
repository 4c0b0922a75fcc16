"""`clew digest` with a model: nothing is sent unless one is set, and nothing over the budget."""

import json
from pathlib import Path

import pytest

from clew.cli import main
from tests.build import SessionBuilder
from tests.digest.model_server import refuse, say, serve_model

ASKED = "Please add tests for the retry code."
SESSIONS = ("one", "two", "three")
CLAIM = {"text": "Tests were asked for.", "quote": ASKED, "messages": []}
REPLY = json.dumps(
    {
        "title": "Tests for the retry code",
        "outcome": "partly",
        "summary": [CLAIM, {**CLAIM, "text": "It was deleted.", "quote": "I deleted everything."}],
        "decisions": [],
        "open_items": [],
    }
)


@pytest.fixture(autouse=True)
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three sessions in a home of their own, and a key."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLEW_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    (tmp_path / "config.toml").write_text("")
    for name in SESSIONS:
        SessionBuilder(name).user(ASKED).assistant("Done.").write(tmp_path / "claude")


def run(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    assert main(["digest", *words]) == code
    return capfd.readouterr()


def test_nothing_is_sent_without_a_model(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        run(capfd, "--missing")
        run(capfd, "--since", "7d")

    assert server.requests == []


def test_missing_digests_are_made_once(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text('[digest]\nmodel = "claude-haiku-4-5"\n')
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        found = json.loads(run(capfd, "--missing", "--json")[0])["digests"]
        again = json.loads(run(capfd, "--missing", "--json")[0])["digests"]

    assert len(server.requests) == 3
    assert {each["session_id"] for each in found} == {
        SessionBuilder(name).session_id for name in SESSIONS
    }
    assert {(each["claims_quoted"], each["claims_dropped"]) for each in found} == {(1, 1)}
    assert {each["model"] for each in found} == {"claude-haiku-4-5"}
    assert again == []


def test_extract_asks_no_model(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        run(capfd, "--model", "claude-haiku-4-5", "--extract")

    assert server.requests == []


def test_a_dry_run_shows_what_would_be_sent(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--model", "claude-haiku-4-5", "--missing", "--dry-run")
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        planned = json.loads(run(capfd, *words, "--json")[0])["sessions"]
        _, err = run(capfd, *words)

    assert server.requests == []
    assert all(ASKED in each["texts"][0] for each in planned)
    assert all(each["cost_usd"] > 0 and each["tokens"] > 0 for each in planned)
    assert err.startswith("3 sessions, at most ")


def test_a_budget_ends_a_run_and_keeps_what_there_is(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--model", "claude-haiku-4-5", "--missing", "--json")
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        planned = json.loads(run(capfd, *words, "--dry-run")[0])["sessions"]
        # Enough for the first request, whose answer costs 0.002 dollars, and not for the second.
        limit = str(planned[0]["cost_usd"] + 0.001)
        out, err = run(capfd, *words, "--max-cost", limit, code=1)

    assert len(json.loads(out)["digests"]) == len(server.requests) == 1
    assert "per run; raise --max-cost to continue" in err


def test_a_budget_is_a_number(capfd: pytest.CaptureFixture[str]) -> None:
    _, err = run(capfd, "--model", "claude-haiku-4-5", "--max-cost", "nan", code=2)

    assert "nan is no cost; use dollars" in err


def test_a_wrong_key_is_said_once(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_model(refuse(401, "authentication_error")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        out, err = run(capfd, "--model", "claude-haiku-4-5", "--missing", "--json", code=1)

    assert json.loads(out)["digests"] == []
    assert err.count("does not accept the key") == len(server.requests) == 1


def test_a_model_without_a_key_is_explained(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")

    _, err = run(capfd, "--model", "claude-haiku-4-5", code=2)

    assert "set ANTHROPIC_API_KEY, or use `--model claude-code`" in err


def test_a_failure_is_all_that_is_said(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_model(refuse(401, "authentication_error")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        _, err = run(capfd, "--model", "claude-haiku-4-5", code=1)

    assert "does not accept the key" in err
    assert "No sessions match" not in err


def test_sessions_in_which_nobody_spoke_are_no_failures_unless_named(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    silent = SessionBuilder("silent").local_command("/model", stdout="Set model to Opus")
    silent.write(tmp_path / "claude")
    words = ("--model", "claude-haiku-4-5", "--json")
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        found = json.loads(run(capfd, *words, "--missing")[0])["digests"]
        _, err = run(capfd, *words, silent.session_id, code=1)

    assert len(found) == len(SESSIONS)
    assert "nobody said anything in session" in err


def test_another_model_does_not_make_a_digest_stale(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        run(capfd, "--model", "claude-haiku-4-5")
        out, err = run(capfd, "--model", "claude-sonnet-4-5", "--json")

    assert len(server.requests) == 1
    assert "a session is digested once in six hours" in err
    assert json.loads(out)["digests"][0]["is_stale"] is False


def test_a_session_over_the_whole_budget_does_not_hold_up_others(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    long = SessionBuilder("long").at("2026-11-20T09:00:00.000Z")
    for number in range(20):
        long = long.user(f"Step {number} begins here. " + "word " * 3000).assistant("Done.")
    long.write(tmp_path / "claude")
    words = ("--model", "claude-haiku-4-5", "--missing", "--json", "--max-cost", "0.05")
    with serve_model(say(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        out, err = run(capfd, *words, code=1)

    assert len(json.loads(out)["digests"]) == len(server.requests) == len(SESSIONS)
    assert err.count("is over the budget of $0.05 per run; raise --max-cost to continue") == 1
