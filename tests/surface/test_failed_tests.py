"""Tests that failed behind a pipe, which hides their exit status: the same on every surface."""

import html
import json
import re
from pathlib import Path

import pytest

from clew.cli import main
from tests.build import SessionBuilder, bash

PIPED = "mise run test 2>&1 | tail -50"
OUTPUT = "ok  \tapp/a\t(cached)\nFAIL\n[test] ERROR task failed"


@pytest.fixture
def transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that runs tests twelve times; all but the fifth pass."""
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    builder = SessionBuilder().at("2026-11-14T09:00:00Z").user("Please mend the parser.")
    for number in range(12):
        output = OUTPUT if number == 4 else "ok  \tapp/a\t0.1s"
        builder.tools(bash(PIPED, output))
    builder.tools(bash("grep FAIL old.log", "FAIL"))
    return builder.assistant("It is mended.").write(tmp_path)


def shown(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "page"])
def test_one_call_is_marked_wherever_it_is_shown(
    transcript: Path, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    text = shown(capfd, "show", str(transcript), "--format", form)

    assert text.count("tests failed") == 1
    if form == "terminal":
        assert "✗ tests failed" in text
    if form == "html":
        assert re.search(r'<details class="tool-call bad"[^>]*>\s*<summary>.*tests failed', text)


def test_a_page_counts_the_test_runs_that_it_lists(
    transcript: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = shown(capfd, "show", str(transcript), "--format", "html")
    text = shown(capfd, "digest", str(transcript))
    runs = json.loads(shown(capfd, "digest", str(transcript), "--json"))["digests"][0]["tests"]

    assert [run["has_passed"] for run in runs] == [True] * 4 + [False] + [True] * 7
    assert runs[4]["result"] == "[test] ERROR task failed"
    listed = html.unescape(page.partition("<h2>12 test runs, the last 10</h2>")[2])
    assert listed.partition("</ul>")[0].count("mise run test") == len(runs[-10:])
    assert "[test] ERROR task failed" in listed.partition("</ul>")[0]
    assert "12 test runs, the last 10" in text
    assert "failed  mise run test  [test] ERROR task failed" in text
