"""`clew usage`: tokens and cost, as a table or as JSON, with an archive or without."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from clew.cli import main
from tests.build import SessionBuilder, Usage, bash, thinking

Usages: TypeAlias = Callable[..., dict[str, Any]]


def alpha() -> SessionBuilder:
    """Give a session of October on Opus."""
    session = SessionBuilder("alpha", cwd="/home/dev/code/alpha", branch="fix/a")
    session.at("2026-10-01T23:30:00Z").user("First things first")
    session.assistant("Done.", usage=Usage(input=10, output=2000, cache_read=8000))
    return session.ai_title("The first thing")


def beta() -> SessionBuilder:
    """Give a session of November on Haiku, with an agent run."""
    session = SessionBuilder("beta", cwd="/home/dev/code/beta").model("claude-haiku-4-5")
    session.at("2026-11-03T09:00:00Z").user("Then the second").tools(bash("ls", "a"))
    session.agent("Look", "Look.", lambda run: run.assistant("Seen."), agent="Explore")
    return session.assistant("Done.", usage=Usage(output=20))


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a root with two sessions, which is the only one that is looked in."""
    folder = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for session in (alpha(), beta()):
        session.write(folder)
    return folder


@pytest.fixture
def counted(capsys: pytest.CaptureFixture[str]) -> Usages:
    """Give a function that counts and reads the JSON."""

    def run(*words: str) -> dict[str, Any]:
        assert main(["usage", "--json", *words]) == 0
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report

    return run


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Give a function that counts and gives what is printed."""

    def run(*words: str) -> str:
        assert main(["usage", *words]) == 0
        return capsys.readouterr().out

    return run


def keys(report: dict[str, Any]) -> list[str]:
    """Give the keys of a report's rows."""
    return [row["key"] for row in report["rows"]]


def test_days_are_counted_by_default(counted: Usages) -> None:
    report = counted("--tz", "UTC")

    assert (report["schema"], report["by"]) == ("clew.usage/1", "day")
    assert keys(report) == ["2026-10-01", "2026-11-03"]
    assert report["rows"][0]["cost_usd"] == (10 * 4 + 2000 * 20 + 8000 * 0.2) / 1e6


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--by", "day", "--tz", "Europe/Berlin"], ["2026-10-02", "2026-11-03"]),
        (["--by", "week", "--tz", "UTC"], ["2026-09-28", "2026-11-02"]),
        (["--by", "month", "--tz", "UTC"], ["2026-10", "2026-11"]),
        (["--by", "session"], [alpha().session_id, beta().session_id]),
        (["--by", "project"], ["/home/dev/code/alpha", "/home/dev/code/beta"]),
        (["--by", "model"], ["claude-opus-5-5", "claude-haiku-4-5"]),
        (["--by", "agent"], ["(main thread)", "Explore"]),
        (["--by", "block", "--tz", "UTC"], ["2026-10-01T23:00+00:00", "2026-11-03T09:00+00:00"]),
        (["--by", "project", "--sort", "calls"], ["/home/dev/code/beta", "/home/dev/code/alpha"]),
        (["--by", "model", "--limit", "1"], ["claude-opus-5-5"]),
        (["--by", "project", "--since", "2026-11-01"], ["/home/dev/code/beta"]),
        (["--by", "project", "--tz", "UTC", "--until", "2026-10-01"], ["/home/dev/code/alpha"]),
        (["--by", "project", "--tz", "UTC", "--since", "2026-10-02", "--until", "2026-11-02"], []),
        (["--by", "project", "--project", "ALPHA"], ["/home/dev/code/alpha"]),
        (["--by", "project", "--branch", "fix/*"], ["/home/dev/code/alpha"]),
        (["--by", "project", "--tool", "Bash"], ["/home/dev/code/beta"]),
        (["--by", "project", "--model", "Opus 5.5"], ["/home/dev/code/alpha"]),
        (["--by", "model", "--agent", "Explore"], ["claude-haiku-4-5"]),
        (["--by", "project", "--session", beta().session_id[:6]], ["/home/dev/code/beta"]),
    ],
)
def test_rows_are_what_is_asked_for_with_an_archive_and_without(
    root: Path, counted: Usages, words: list[str], expected: list[str]
) -> None:
    assert keys(counted(*words)) == expected
    assert counted(*words, str(root)) == counted(*words)


def test_the_zone_decides_which_days_are_asked_for(counted: Usages) -> None:
    day = ("--since", "2026-10-02", "--until", "2026-10-02")

    assert counted("--tz", "Europe/Berlin", *day)["totals"]["model_calls"] == 1
    assert counted("--tz", "UTC", *day)["totals"]["model_calls"] == 0


def test_a_path_needs_no_archive_and_makes_none(root: Path, tmp_path: Path) -> None:
    assert main(["usage", str(root)]) == 0
    assert not (tmp_path / "home").exists()


def test_one_transcript_is_counted_alone(root: Path, counted: Usages) -> None:
    report = counted(str(beta().write(root)), "--by", "project")

    assert keys(report) == ["/home/dev/code/beta"]
    assert report["totals"]["model_calls"] == 4


def test_what_is_new_is_counted_unless_told_not_to_look(root: Path, counted: Usages) -> None:
    before = counted()["totals"]["model_calls"]
    SessionBuilder("gamma").user("One more").assistant("Yes.").write(root)

    assert counted("--no-sync")["totals"]["model_calls"] == before
    assert counted()["totals"]["model_calls"] == before + 1


def test_what_is_gone_from_the_disk_still_counts(root: Path, counted: Usages) -> None:
    before = counted()
    for path in root.rglob("*.jsonl"):
        path.unlink()

    assert counted() == before


def test_a_table_has_a_row_for_each_key_and_their_total(printed: Callable[..., str]) -> None:
    lines = printed("--by", "model").splitlines()

    head, _, names, opus, haiku, total, _, *notes = lines
    assert head.startswith("$0.")
    assert "2 sessions · 5 calls" in head
    assert names.split()[:3] == ["model", "sessions", "calls"]
    assert opus.startswith("Opus 5.5")
    assert opus.rstrip().endswith("█" * 16)
    assert haiku.startswith("Haiku 4.5")
    assert total.startswith("total ")
    assert notes[0] == "Costs are API-equivalent estimates from public list prices, not a bill."
    assert notes[-1].startswith("Prices as of 2026-")


def test_sessions_are_shown_by_id_title_and_project(printed: Callable[..., str]) -> None:
    text = printed("--by", "session")

    assert f"{alpha().session_id[:8]}  The first thing  alpha " in text
    assert f"{beta().session_id[:8]}  Then the second  beta " in text


def test_sessions_at_a_path_are_shown_by_their_titles_too(
    root: Path, printed: Callable[..., str]
) -> None:
    assert printed("--by", "session", str(root)) == printed("--by", "session")


@pytest.mark.parametrize(
    ("limit", "text"), [("1", "Showing 1 of 2 (`--limit 0` for all)"), ("0", "")]
)
def test_what_is_not_shown_is_told(
    limit: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["usage", "--by", "model", "--limit", limit]) == 0

    assert capsys.readouterr().err.startswith(text)


def test_a_lower_bound_and_what_has_no_price_are_told_in_the_table(
    root: Path, printed: Callable[..., str]
) -> None:
    cut = SessionBuilder("cut").user("Go").assistant("Hm", usage=Usage(output=3000))
    cut.rows[-1]["message"]["stop_reason"] = None
    cut.write(root)
    SessionBuilder("odd").model("house-model").user("Go").assistant("Yes.").write(root)

    text = printed("--by", "model")

    rows = {line.split("  ")[0]: line for line in text.splitlines()}
    assert "≥ $0." in rows["Opus 5.5"]
    assert "unpriced" in rows["house-model"]
    assert "≥ $0." in rows["total"]
    assert "+" not in rows["total"]
    assert "1 call has no known price (≥): house-model." in text


def test_the_change_since_the_time_before_is_told(printed: Callable[..., str]) -> None:
    days = ("--tz", "UTC", "--since", "2026-10-03", "--until", "2026-11-04")

    (head, *_) = printed(*days).splitlines()

    assert "4 calls (+300%)" in head
    assert "1 session (+0%)" in head


def test_text_of_transcripts_cannot_steer_the_terminal(
    root: Path, printed: Callable[..., str]
) -> None:
    evil = SessionBuilder("evil", cwd="/home/\x1b[31mred").model("\x1b]0;owned\x07").user("Go")
    evil.assistant("Yes.").ai_title("\x1b[2Jgone").write(root)

    for by in ("project", "model", "session"):
        assert "\x1b" not in printed("--by", by)


def test_every_dollar_of_a_session_is_explained(printed: Callable[..., str]) -> None:
    text = printed("--explain", alpha().session_id[:8], "--tz", "UTC")

    assert "2026-10-01 23:30:01  Opus 5.5  $0.041640  line 2\n" in text
    steps = "10 input * $4/M + 2,000 output * $20/M + 8,000 cache read * $0.2/M"
    assert steps.replace("*", "\N{MULTIPLICATION SIGN}") in text
    assert "Opus 5.5      1" in text


def test_an_answer_of_several_rows_names_all_their_lines(
    root: Path, printed: Callable[..., str]
) -> None:
    session = SessionBuilder("rows").user("Go").assistant(thinking("Hm."), "Yes.")

    assert "  lines 2,3\n" in printed("--explain", str(session.write(root)))


def test_a_session_is_explained_as_json_and_beside_the_client(
    root: Path, counted: Usages, printed: Callable[..., str]
) -> None:
    path = alpha().cost_state({"claude-opus-5-5": 0.05}).write(root)

    explanation = counted("--explain", str(path))
    text = printed("--explain", str(path))

    assert explanation["schema"] == "clew.explanation/1"
    assert explanation["client"]["difference_usd"] == 0.00836
    assert "The client's own total is $0.050000: $0.008360 more." in text
    assert "Some calls are in no transcript" in text


def test_that_the_client_agrees_is_said(root: Path, printed: Callable[..., str]) -> None:
    path = alpha().cost_state({"claude-opus-5-5": 0.04164}).write(root)

    assert "the same, to the micro-dollar" in printed("--explain", str(path))


def test_calls_that_another_session_made_are_told(root: Path, printed: Callable[..., str]) -> None:
    alpha().fork("twin", marked=True).write(root)
    twin = SessionBuilder("twin").session_id

    text = printed("--explain", twin)

    assert "1 call was made by another session and is counted there." in text


def test_that_nothing_is_found_is_said_beside_the_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["usage", "--project", "nowhere"]) == 0
    assert capsys.readouterr() == ("", "No model calls match these filters.\n")


@pytest.mark.parametrize("words", [["--by", "luck"], ["--tz", "Mars/Base"], ["--since", "soon"]])
def test_wrong_use_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["usage", *words]) == 2
    assert "Invalid value" in capsys.readouterr().err


def test_a_path_and_a_session_to_explain_do_not_go_together(root: Path) -> None:
    assert main(["usage", str(root), "--explain", "latest"]) == 2


@pytest.mark.parametrize(
    "words", [["--since", "7d"], ["--model", "opus"], ["--sort", "cost"], ["--limit", "5"]]
)
def test_what_has_no_effect_on_an_explanation_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["usage", "--explain", "latest", *words]) == 2
    assert f"--explain and {words[0]}" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["nowhere"], ["--explain", "0000"]])
def test_what_is_not_there_is_told(words: list[str]) -> None:
    assert main(["usage", *words]) == 3


def test_a_folder_without_transcripts_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()

    assert main(["usage", str(tmp_path / "empty")]) == 3
    assert "no transcripts found in" in capsys.readouterr().err
