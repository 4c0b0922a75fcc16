"""`clew list`: which sessions, in which order, in which form."""

import csv
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from tests.build import SessionBuilder, Usage, bash
from tests.surface.running import run


def alpha() -> SessionBuilder:
    """Give a session of October with a tool call."""
    session = SessionBuilder("alpha", cwd="/home/dev/code/alpha", branch="fix/a")
    session.at("2026-10-01T09:00:00Z").user("First things first")
    return session.tools(bash("ls", "a")).assistant("Done.", usage=Usage(output=2000))


def beta() -> SessionBuilder:
    """Give a session of November with an agent run, on another model."""
    session = SessionBuilder("beta", cwd="/home/dev/code/beta").model("claude-haiku-4-5")
    session.at("2026-11-03T09:00:00Z").user("Then the second")
    session.agent("Look", "Look.", lambda run: run.assistant("Seen."), agent="Explore")
    return session.assistant("Done.", usage=Usage(output=20)).ai_title("The second thing")


def silent() -> SessionBuilder:
    """Give a session in which nobody says anything."""
    return SessionBuilder("silent").at("2026-11-04T09:00:00Z").informational("Welcome.")


@pytest.fixture(autouse=True)
def root(machine: Path) -> Path:
    """Give a root with three sessions, which is the only one that is looked in."""
    for session in (alpha(), beta(), silent()):
        session.write(machine)
    return machine


@pytest.fixture
def listed(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """List as JSON with these words, and give the sessions."""

    def run(*words: str) -> list[dict[str, Any]]:
        assert main(["list", "sessions", "--json", *words]) == 0
        value = json.loads(capsysbinary.readouterr().out)
        assert value["schema"] == "clew.sessions/1"
        sessions: list[dict[str, Any]] = value["sessions"]
        return sessions

    return run


def titles(sessions: list[dict[str, Any]]) -> list[str]:
    """Give the titles of sessions."""
    return [session["title"] for session in sessions]


def test_the_latest_session_comes_first(listed: Any) -> None:
    assert titles(listed()) == ["The second thing", "First things first"]


def test_a_session_is_told_with_its_facts(listed: Any) -> None:
    [session] = listed("--project", "alpha")

    assert session["id"] == alpha().session_id
    assert session["git_branch"] == "fix/a"
    assert session["started_at"] == "2026-10-01T09:00:00.000Z"
    assert (session["prompts"], session["answers"], session["tool_calls"]) == (1, 2, 1)
    assert session["tools"] == ["Bash"]
    assert session["total_tokens"] > 2000
    assert session["cost_usd"] > 0
    assert session["usage"]["output_tokens"] > 2000
    assert session["path"].endswith(f"{alpha().session_id}.jsonl")
    assert (session["is_on_disk"], session["size_bytes"]) == (True, len(alpha().content()))


def test_a_session_that_was_deleted_is_listed_as_it_was_kept(root: Path, listed: Any) -> None:
    before = listed()
    shutil.rmtree(root / "projects")

    after = listed()

    assert [session["is_on_disk"] for session in after] == [False, False]
    assert [{**session, "is_on_disk": True} for session in after] == before


def test_without_a_sync_nothing_new_is_seen(root: Path, listed: Any) -> None:
    listed()
    SessionBuilder("late").at("2026-11-05T09:00:00Z").user("Late").assistant("ok").write(root)

    assert "Late" not in titles(listed("--no-sync"))
    assert "Late" in titles(listed())


def test_where_nobody_said_anything_is_listed_with_all_alone(listed: Any) -> None:
    assert len(listed("--all")) == 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--project", "/home/dev/code/alpha"], ["First things first"]),
        (["--project", "/home/dev/code"], ["The second thing", "First things first"]),
        (["--project", "/home/dev/wo"], []),
        (["--project", "BETA"], ["The second thing"]),
        (["--branch", "fix/*"], ["First things first"]),
        (["--model", "haiku"], ["The second thing"]),
        (["--model", "Haiku 4.5"], ["The second thing"]),
        (["--tool", "bash"], ["First things first"]),
        (["--agent", "Explore"], ["The second thing"]),
        (["--since", "2026-11-01"], ["The second thing"]),
        (["--until", "2026-10-01"], ["First things first"]),
        (["--until", "2026-09-30"], []),
        (["--session", alpha().session_id[:8]], ["First things first"]),
        (["--tool", "Bash", "--model", "haiku"], []),
        (["--limit", "1"], ["The second thing"]),
        (["--sort", "title"], ["First things first", "The second thing"]),
        (["--sort", "cost", "--limit", "1"], ["First things first"]),
    ],
)
def test_filters_choose_and_sort_orders(listed: Any, words: list[str], expected: list[str]) -> None:
    assert titles(listed(*words)) == expected


def test_a_limit_gives_the_latest_even_when_files_were_touched_in_another_order(
    root: Path, listed: Any
) -> None:
    for number, path in enumerate(sorted(root.rglob("*.jsonl"))):
        os.utime(path, (0, 1_900_000_000 + number))

    assert titles(listed("--limit", "1")) == ["The second thing"]


def test_what_a_fork_inherited_is_not_charged_again(root: Path, listed: Any) -> None:
    fork = alpha().fork("gamma", marked=True).at("2026-11-09T09:00:00Z").user("Another way")
    fork.write(root)

    [session] = listed("--session", fork.session_id)

    assert (session["total_tokens"], session["cost_usd"]) == (0, 0)


def test_an_old_title_in_another_file_is_found(root: Path, listed: Any) -> None:
    session = SessionBuilder("old", version="1.0.30").user("hi").assistant("hello")
    path = session.write(root)
    other = SessionBuilder("other", version="1.0.30").summary(
        "Greeting", leaf=session.draft.last_uuid
    )
    path.with_name("other.jsonl").write_bytes(other.content())

    assert titles(listed("--session", session.session_id)) == ["Greeting"]


def test_csv_has_a_line_of_names_and_one_for_each_session(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["list", "--csv"]) == 0

    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["title"] for row in rows] == ["The second thing", "First things first"]
    assert (rows[1]["tools"], rows[1]["models"]) == ("Bash", "claude-opus-5-5")
    assert int(rows[1]["output_tokens"]) > 2000


def test_a_table_has_a_line_for_each_session(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0

    header, *rows = capsys.readouterr().out.rstrip("\n").split("\n")
    assert header.split() == [
        *("id", "when", "title", "outcome", "project", "branch", "models"),
        *("messages", "calls", "tokens", "cost", "duration", "description"),
    ]
    assert [row.split("  ")[0] for row in rows] == [
        beta().session_id[:8],
        alpha().session_id[:8],
    ]


def test_that_nothing_is_found_is_said_beside_the_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["list", "--project", "nowhere"]) == 0
    assert capsys.readouterr() == ("", "No sessions match these filters.\n")


def test_without_any_transcript_it_is_said_where_was_looked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(empty))

    assert main(["list"]) == 3
    assert "no transcripts found in" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["list", "sql"])
def test_that_nothing_was_kept_is_told_when_nothing_may_be(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "another"))

    assert main([what, *(["SELECT 1"] if what == "sql" else []), "--no-sync"]) == 3
    assert (
        capsys.readouterr().err == "clew: the archive is empty; run the command without --no-sync\n"
    )


def test_csv_is_utf_8_whatever_the_terminal_is(root: Path) -> None:
    SessionBuilder("gamma").user("多年平均线").assistant("ok").write(root)

    done = run("list", "--csv", PYTHONIOENCODING="latin-1")

    assert "多年平均线" in done.out


@pytest.mark.parametrize(
    "words",
    [
        ["tools"],
        ["--since", "soon"],
        ["--sort", "luck"],
        ["projects", "--sort", "title"],
        ["--limit", "-1"],
    ],
)
def test_wrong_use_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", *words]) == 2
    assert "Invalid value" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--json", "--csv"], "cannot be combined"),
        (["sessions", "--path", "a.py"], "--path works with files only"),
    ],
)
def test_what_does_not_go_together_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", *words]) == 2
    assert said in capsys.readouterr().err
