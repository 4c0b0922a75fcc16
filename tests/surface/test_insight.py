"""`clew permissions`, `clew lessons` and `clew compare`."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from tests.build import Call, SessionBuilder, bash, edit

ONCE = {"decision": "accept", "source": "user_temporary", "grantScope": "once"}
RULE = {"decision": "reject", "source": "config", "ruleSource": "userSettings"}
UNREAD = "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>"
HOSTILE = "Exit code 1\nerror: \x1b]52;c;evil\x07 <script>alert(1)</script> `x`"


def session(number: int, project: str = "demo") -> SessionBuilder:
    """Give a session in which a person is asked, a rule refuses, and an edit fails."""
    path = f"/home/dev/code/{project}/src/file{number}.py"
    built = SessionBuilder(f"{project} {number}", cwd=f"/home/dev/code/{project}")
    built.at(f"2026-11-0{number}T09:00:00Z").user(f"Task {number}")
    built.tools(
        Call("Bash", {"command": f"git push origin b{number}"}, "ok", seconds=9, permission=ONCE)
    )
    built.tools(
        Call(
            "Bash",
            {"command": "curl x"},
            "Permission to use Bash has been denied.",
            denied=True,
            permission=RULE,
            denial_kind="permission-rule",
        )
    )
    change = {"file_path": path, "old_string": "a", "new_string": "b"}
    built.tools(Call("Edit", change, UNREAD, error=True))
    return built.tools(bash("ls", "x")).assistant("Done.")


@pytest.fixture
def three(machine: Path) -> Path:
    """Give a root with three such sessions."""
    for number in (1, 2, 3):
        session(number).write(machine)
    return machine


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """Run a command that prints JSON, and read that."""
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("three")
def test_permissions_counts_who_decided(capsys: pytest.CaptureFixture[str]) -> None:
    report = ask(capsys, "permissions")

    assert report["schema"] == "clew.permissions/1"
    assert (report["asked"], report["accepted"], report["refused"]) == (3, 3, 0)
    assert report["unrecorded_calls"] == 0
    assert {(d["decided_by"], d["answer"]): d["calls"] for d in report["decisions"]} == {
        ("person", "accepted_once"): 3,
        ("rule", "refused"): 3,
        ("mode", "accepted"): 6,
    }
    (pattern,) = report["patterns"]
    assert (pattern["tool"], pattern["subject"], pattern["asked"]) == ("Bash", "git push", 3)
    assert pattern["waiting"] == {
        "calls": 3,
        "total_ms": 30_000,
        "median_ms": 10_000,
        "quality": "at_most",
    }
    assert report["candidate_rules"] == ["Bash(git push:*)"]
    (refusal,) = report["refusals"]
    assert (refusal["decided_by"], refusal["subject"], refusal["calls"]) == ("rule", "curl", 3)


@pytest.mark.usefixtures("three")
def test_permissions_prints_the_rule_to_copy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["permissions"]) == 0

    printed = capsys.readouterr().out
    assert "You were asked 3 times: accepted 3, refused 0, ≤ 30.0 s in total" in printed
    assert "  Bash(git push:*)\n" in printed
    assert "a rule" in printed


def test_one_refusal_makes_a_rule_no_candidate(
    three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Call("Bash", {"command": "git push"}, denied=True)
    SessionBuilder("no", cwd="/home/dev/code/demo").user("x").tools(refused).write(three)

    assert ask(capsys, "permissions")["candidate_rules"] == []


def test_of_older_clients_only_refusals_are_known(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = SessionBuilder("old", version="2.1.47").user("x").tools(bash("ls", "x"))
    old.tools(Call("Bash", {"command": "git push"}, denied=True)).write(machine)

    report = ask(capsys, "permissions")

    assert (report["asked"], report["refused"], report["unrecorded_calls"]) == (1, 1, 1)
    assert main(["permissions", "--no-sync"]) == 0
    assert "older versions of Claude Code record refusals only" in capsys.readouterr().out


@pytest.mark.usefixtures("three")
def test_lessons_group_what_failed_in_three_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    report = ask(capsys, "lessons")

    assert report["schema"] == "clew.lessons/1"
    assert report["is_cost_upper_bound"] is True
    found = {(one["kind"], one["tool"], one["text"]): one for one in report["lessons"]}
    assert set(found) == {
        ("failure", "Edit", "File has not been read yet."),
        ("denial", "Bash", "refused"),
    }
    lesson = found["failure", "Edit", "File has not been read yet."]
    assert (lesson["calls"], lesson["sessions"]) == (3, 3)
    assert lesson["rule"] == "Read a file before the first Edit or Write to it in a session."
    assert [call["session_id"] for call in lesson["examples"]] == [
        session(number).session_id for number in (3, 2, 1)
    ]
    assert (report["failures"], report["covered_failures"]) == (3, 3)


@pytest.mark.usefixtures("three")
def test_the_cost_of_a_lesson_is_that_of_its_answers_and_the_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lesson = next(one for one in ask(capsys, "lessons")["lessons"] if one["kind"] == "failure")
    costs = 0.0
    for number in (1, 2, 3):
        shown = ask(capsys, "show", session(number).session_id)
        answers = [m for m in shown["messages"] if m["kind"] == "answer"]
        failed = next(c for c in shown["tool_calls"] if c["status"] == "failed")
        at = [m["id"] for m in answers].index(failed["message_id"])
        costs += sum(m["usage"]["cost_usd"] for m in answers[at : at + 2])

    assert lesson["cost_usd"] == pytest.approx(costs, abs=1e-8)


def test_fewer_sessions_are_no_lesson_but_a_loop_is(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = Call("Bash", {"command": "make all"}, "Exit code 2\nmake: *** no rule", error=True)
    built = SessionBuilder("loop").user("x").tools(again).tools(again).tools(again)
    built.tools(Call("Read", {"file_path": "/x"}, "File does not exist.", error=True))
    built.write(machine)

    (lesson,) = ask(capsys, "lessons")["lessons"]

    assert (lesson["text"], lesson["loops"], lesson["longest_loop"]) == ("make: *** no rule", 1, 3)
    assert len(ask(capsys, "lessons", "--min-sessions", "1")["lessons"]) == 2


def test_copies_of_a_call_count_once(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = next(three.rglob(f"{session(1).session_id}.jsonl"))
    copied = first.read_bytes().replace(session(1).session_id.encode(), b"f" * 36)
    (first.parent / ("f" * 36 + ".jsonl")).write_bytes(copied)

    lessons = ask(capsys, "lessons")["lessons"]

    assert [lesson["calls"] for lesson in lessons] == [3, 3]
    assert ask(capsys, "permissions")["asked"] == 3


def test_reports_take_the_common_filters(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session(4, "other").write(three)

    assert ask(capsys, "permissions", "--project", "other")["asked"] == 1
    assert ask(capsys, "permissions", "--since", "2026-11-03")["asked"] == 2
    assert ask(capsys, "lessons", "--tool", "Edit")["denials"] == 0
    assert ask(capsys, "lessons", "--project", "other")["lessons"] == []


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("command", ["lessons", "permissions"])
def test_nothing_that_matches_is_said(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--project", "none such"]) == 0

    out, err = capsys.readouterr()
    assert out == ""
    assert "match these filters." in err


def test_errors_of_strangers_are_harmless(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        call = Call("Bash", {"command": "x\x1b[31m`"}, HOSTILE, error=True)
        SessionBuilder(f"evil {number}").user("x").tools(call).write(machine)

    assert main(["lessons"]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\x07" not in printed
    assert printed.count("→") == 1


@pytest.mark.usefixtures("three")
def test_two_sessions_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (session(number).session_id for number in (1, 2))

    found = ask(capsys, "compare", first, second[:13])

    assert found["schema"] == "clew.compare/1"
    assert (found["a"]["session_id"], found["b"]["session_id"]) == (first, second)
    assert found["a"]["waiting_ms"] == 10_000
    assert main(["compare", first, second]) == 0
    assert "Task 1" in capsys.readouterr().out


def test_a_comparison_shows_the_difference(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for word in ("zwei", "deux"):
        built = SessionBuilder(word, cwd="/home/dev/code/demo").user("x")
        built.tools(edit("/home/dev/code/demo/a.txt", "one\ntwo\n", "two", word))
        paths.append(str(built.assistant("Done.").write(machine)))

    assert main(["compare", *paths]) == 0
    shown = capsys.readouterr().out
    assert "-zwei\n" in shown
    assert "+deux\n" in shown
    assert main(["compare", *paths, "--stat"]) == 0
    assert "+deux\n" not in capsys.readouterr().out


@pytest.mark.usefixtures("three")
def test_a_session_that_is_not_there_cannot_be_compared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compare", session(1).session_id, "zzz"]) == 3
    assert "zzz" in capsys.readouterr().err


@pytest.mark.usefixtures("three")
def test_lists_say_how_long_people_were_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    sessions = ask(capsys, "list")["sessions"]
    calls = ask(capsys, "list", "tool-calls", "--tool", "Bash")["tool_calls"]

    assert {s["waiting_ms"] for s in sessions} == {10_000}
    assert {s["waiting_quality"] for s in sessions} == {"at_most"}
    assert {(c["decided_by"], c["waiting_ms"]) for c in calls} == {
        ("person", 10_000),
        ("rule", None),
        ("mode", None),
    }
    assert main(["list"]) == 0
    assert "≤ 10.0 s" in capsys.readouterr().out


@pytest.mark.usefixtures("three")
def test_a_session_shows_waiting_apart_from_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", session(1).session_id, "--format", "markdown"]) == 0

    assert "waited ≤ 10.0 s" in capsys.readouterr().out
