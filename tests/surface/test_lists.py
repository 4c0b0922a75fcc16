"""`clew list projects|tool-calls|agent-runs|files`: the same filters for every list."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from clew.cli import main
from tests.build import Call, SessionBuilder, Usage, bash, edit, read, write
from tests.surface.running import on_terminal

WHATS = ("sessions", "projects", "tool-calls", "agent-runs", "files")


def alpha() -> SessionBuilder:
    """Give a session of October that reads and changes files."""
    session = SessionBuilder("alpha", cwd="/home/dev/code/alpha", branch="fix/a")
    session.at("2026-10-01T09:00:00Z").user("First things first")
    session.tools(read("/home/dev/code/alpha/src/app.py", "x = 1\n"))
    session.tools(edit("/home/dev/code/alpha/src/app.py", "x = 1\n", "x = 1", "x = 2"))
    return session.tools(bash("ls", "a")).assistant("Done.", usage=Usage(output=2000))


def beta() -> SessionBuilder:
    """Give a session of November in which an agent of another model reads."""
    session = SessionBuilder("beta", cwd="/home/dev/code/beta").model("claude-haiku-4-5")
    session.at("2026-11-03T09:00:00Z").user("Then the second")
    session.tools(write("/home/dev/code/beta/app.py", "y = 1\n"))

    def look(run: Any) -> None:
        run.tools(read("/home/dev/code/alpha/src/app.py", "x = 2\n")).assistant("Seen.")

    session.agent("Look around", "Look.", look, agent="Explore")
    return session.assistant("Done.", usage=Usage(output=20))


@pytest.fixture(autouse=True)
def root(machine: Path) -> Path:
    """Give a root with two sessions."""
    for session in (alpha(), beta()):
        session.write(machine)
    return machine


@pytest.fixture
def listed(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """List as JSON with these words, and give what was listed."""

    def run(what: str, *words: str) -> list[dict[str, Any]]:
        assert main(["list", what, "--json", *words]) == 0
        found = json.loads(capsysbinary.readouterr().out)
        [name] = set(found) - {"schema", "hidden"}
        assert found["schema"] == f"clew.{name}/1"
        items: list[dict[str, Any]] = found[name]
        return items

    return run


def test_projects_are_told_with_what_was_done_in_them(listed: Any) -> None:
    [second, first] = listed("projects")

    assert (first["project"], first["name"]) == ("/home/dev/code/alpha", "alpha")
    assert (first["sessions"], first["prompts"], first["tool_calls"]) == (1, 1, 3)
    assert second["agent_runs"] == 1
    assert first["cost_usd"] > second["cost_usd"] > 0


def test_tool_calls_are_told_with_who_made_them(listed: Any) -> None:
    calls = listed("tool-calls", "--session", beta().session_id)

    assert [call["tool"] for call in calls] == ["Read", "Agent", "Write"]
    assert [call["agent"] for call in calls] == ["Explore", None, None]
    assert {call["status"] for call in calls} == {"done"}
    assert {call["session_id"] for call in calls} == {beta().session_id}


def test_agent_runs_are_told_with_what_they_used(listed: Any) -> None:
    [run] = listed("agent-runs")

    assert (run["agent"], run["description"], run["status"]) == ("Explore", "Look around", "done")
    assert (run["tool_calls"], run["depth"]) == (1, 1)
    assert run["total_tokens"] > 0
    assert run["duration_ms"] > 0


def test_files_are_told_with_how_often_they_were_touched(listed: Any) -> None:
    shared = next(file for file in listed("files") if "alpha" in file["path"])

    assert (shared["sessions"], shared["reads"], shared["changes"]) == (2, 2, 1)
    assert (shared["lines_added"], shared["lines_removed"]) == (1, 1)


def test_lines_that_are_not_all_known_are_marked_as_a_lower_bound(root: Path, listed: Any) -> None:
    session = SessionBuilder("gamma").user("Go")
    asked = {"file_path": "/w/far.py", "old_string": "import a", "new_string": "import a\nimport b"}
    done = "The file /w/far.py has been updated successfully."
    # As agents' transcripts have it: no result beside the text.
    change = Call("Edit", asked, done, tool_use_result=None)
    session.agent("Work", "Work.", lambda run: run.tools(change).assistant("Done.")).write(root)

    found = {file["path"]: file for file in listed("files")}
    shown = on_terminal("list", "files", columns=120)

    assert found["/w/far.py"]["lines_quality"] == "lower_bound"
    assert (found["/w/far.py"]["lines_added"], found["/w/far.py"]["lines_removed"]) == (1, 0)
    assert found["/home/dev/code/alpha/src/app.py"]["lines_quality"] == "exact"
    assert "≥ +1 -0" in shown


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/app.py", ["beta", "alpha"]),
        ("/home/dev/code/alpha/src/app.py", ["beta", "alpha"]),
        ("APP.py", ["beta", "beta", "alpha"]),
        ("alpha/src", ["beta", "alpha"]),
        ("/home/dev/code/beta", ["beta"]),
        ("*.py", ["beta", "beta", "alpha"]),
        ("p.py", ["beta", "beta", "alpha"]),
        ("q.py", []),
    ],
)
def test_a_path_tells_which_sessions_read_or_changed_it(
    listed: Any, path: str, expected: list[str]
) -> None:
    names = {alpha().session_id: "alpha", beta().session_id: "beta"}

    uses = listed("files", "--path", path)

    assert [names[use["session_id"]] for use in uses] == expected


FILTERS = [
    (["--project", "alpha"], (1, 1, 3, 0, 1)),
    (["--branch", "fix/*"], (1, 1, 3, 0, 1)),
    (["--model", "Haiku 4.5"], (1, 1, 3, 1, 2)),
    (["--tool", "read"], (2, 2, 2, 1, 1)),
    (["--agent", "explore"], (1, 1, 1, 1, 1)),
    (["--session", beta().session_id[:8]], (1, 1, 3, 1, 2)),
    (["--since", "2026-11-01"], (1, 1, 3, 1, 2)),
    (["--until", "2026-10-31"], (1, 1, 3, 0, 1)),
    (["--project", "alpha", "--agent", "Explore"], (0, 0, 0, 0, 0)),
]


@pytest.mark.parametrize(("words", "counts"), FILTERS)
def test_a_filter_means_the_same_in_every_list(
    listed: Any, words: list[str], counts: tuple[int, ...]
) -> None:
    assert tuple(len(listed(what, *words)) for what in WHATS) == counts


@pytest.mark.parametrize(
    ("what", "sort", "key", "expected"),
    [
        ("projects", "name", "name", ["alpha", "beta"]),
        ("projects", "cost", "name", ["alpha", "beta"]),
        ("tool-calls", "name", "tool", ["Agent", "Bash", "Edit", "Read", "Read", "Write"]),
        ("files", "sessions", "sessions", [2, 1]),
        ("files", "name", "changes", [1, 1]),
    ],
)
def test_lists_are_sorted_as_asked(
    listed: Any, what: str, sort: str, key: str, expected: list[Any]
) -> None:
    assert [item[key] for item in listed(what, "--sort", sort)] == expected


def test_a_limit_gives_the_first(listed: Any) -> None:
    assert listed("tool-calls", "--limit", "2") == listed("tool-calls")[:2]


def test_warm_ups_are_listed_with_all_alone(root: Path, listed: Any) -> None:
    session = SessionBuilder("gamma").user("Hi")
    session.agent("Warm", "Warmup", lambda run: run.assistant("Ready."), agent="Plan")
    session.assistant("Done.").write(root)

    assert [run["agent"] for run in listed("agent-runs")] == ["Explore"]
    assert {run["agent"] for run in listed("agent-runs", "--all")} == {"Explore", "Plan"}


@pytest.mark.parametrize("what", WHATS)
@pytest.mark.parametrize("columns", [40, 60, 80, 140])
def test_a_table_fits_the_terminal(what: str, columns: int) -> None:
    shown = on_terminal("list", what, columns=columns).splitlines()

    assert len(shown) > 1
    assert [line for line in shown[1:] if cell_len(line) > columns] == []


def test_the_sessions_of_a_file_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "files", "--path", "src/app.py"]) == 0

    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["session", "when", "title", "reads", "changes", "lines", "project"]
    assert [row.split()[0] for row in rows] == [beta().session_id[:8], alpha().session_id[:8]]


@pytest.mark.parametrize("what", WHATS)
def test_csv_has_the_keys_of_json(
    what: str, listed: Any, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    items = listed(what)
    usage = items[0].get("usage", {})

    assert main(["list", what, "--csv"]) == 0

    rows = list(csv.reader(io.StringIO(capsysbinary.readouterr().out.decode())))
    assert set(rows[0]) == (set(items[0]) - {"usage"}) | set(usage)
    assert len(rows) == len(items) + 1


def test_a_tool_call_is_listed_with_who_refused_it_and_an_answer_with_its_cache_miss(
    root: Path, listed: Any, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    session = SessionBuilder("denied").user("Go").tool("Bash", {"command": "rm"}, denied=True)
    decision = {"decision": "reject", "source": "config", "reasonCode": "mode:plan"}
    session.rows[-1]["permissionDecision"] = decision
    session.assistant("No.")
    miss = {"type": "tools_changed", "cache_missed_input_tokens": 23300}
    session.rows[-1]["message"]["diagnostics"] = {"cache_miss_reason": miss}
    session.write(root)

    [call] = listed("tool-calls", "--session", session.session_id)
    query = (
        "SELECT cache_miss_reason, cache_missed_tokens FROM model_call WHERE cache_miss_reason > ''"
    )
    assert main(["sql", query, "--json"]) == 0
    [row] = json.loads(capsysbinary.readouterr().out)["rows"]

    assert (call["status"], call["denial_kind"]) == ("denied", "user-rejected")
    told = {name: value for name, value in call.items() if name.startswith("permission_") and value}
    assert told == {
        "permission_decision": "reject",
        "permission_source": "config",
        "permission_reason_code": "mode:plan",
    }
    assert row == {"cache_miss_reason": "tools_changed", "cache_missed_tokens": 23300}
