"""Small transcripts of the flat dialect, each with what must come out on every surface."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main

CASES = Path(__file__).parents[1] / "cases" / "flat"
NAMES = sorted(path.stem for path in CASES.glob("*.jsonl"))
FORMATS = ("terminal", "markdown", "html")
PARALLEL = ("parallel-tree", "parallel-linear", "parallel-own")
NO_UUID = ("no-uuid", "no-uuid-2", "no-uuid-tools")


class Case:
    """One transcript, read by the command line alone."""

    def __init__(self, name: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = root / "projects" / "-home-mira-code"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = Path(shutil.copy(CASES / f"{name}.jsonl", folder))
        self.rows = [json.loads(line) for line in self.path.read_text("utf-8").splitlines()]
        self._capsys = capsys
        self.told = json.loads(self.run("show", str(self.path), "--json"))

    def run(self, *words: str) -> str:
        """Run a command and give what it printed."""
        assert main(list(words)) == 0
        return self._capsys.readouterr().out

    def show(self, form: str, detail: str = "tools") -> str:
        """Show the transcript in a format."""
        return self.run("show", str(self.path), "--format", form, "--detail", detail, "--no-pager")

    @property
    def calls(self) -> list[tuple[str, str, str]]:
        """Give tool, status and result of each call."""
        calls = self.told["tool_calls"]
        return [(call["tool"], call["status"], call["result_text"]) for call in calls]

    @property
    def problems(self) -> list[str]:
        """Give the kinds of problems."""
        return [problem["kind"] for problem in self.told["problems"]]

    def message(self, text: str) -> Any:
        """Find the one message with this text."""
        (found,) = [
            message
            for message in self.told["messages"]
            if any(block["text"] == text for block in message["blocks"])
        ]
        return found


@pytest.fixture
def case(machine: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Read a case by its name."""
    return lambda name: Case(name, machine, capsys)


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_was_said_is_shown_in_every_format(case: Any, name: str) -> None:
    read = case(name)
    said = [row["message"] for row in read.rows if row["type"] in ("user", "assistant", "system")
            and "message" in row and not row.get("isMeta")]  # fmt: skip

    for form in FORMATS:
        shown = read.show(form, "everything")
        if form == "terminal":
            shown = read.run("show", str(read.path), "--detail", "everything", "--branches")
        assert [text for text in said if text.splitlines()[0] not in shown] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_call_is_shown_with_its_input(case: Any, name: str) -> None:
    read = case(name)
    wanted = [row for row in read.rows if "toolName" in row]

    found = read.told["tool_calls"]

    assert [call["tool"] for call in found] == [row["toolName"] for row in wanted]
    assert [call["input"] for call in found] == [row.get("toolArguments") for row in wanted]
    for form in FORMATS:
        shown = read.show(form)
        assert all(shown.count(row["toolName"]) >= 1 for row in wanted)


@pytest.mark.parametrize("name", NAMES)
def test_no_result_is_left_without_a_call(case: Any, name: str) -> None:
    read = case(name)

    assert "orphan_result" not in read.problems
    assert "missing_parent" not in read.problems
    assert [call for call in read.calls if call[1] == "pending"] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_report_on_a_file_knows_which_call_a_result_answers(case: Any, name: str) -> None:
    read = case(name)

    report = json.loads(read.run("check", str(read.path), "--json"))

    found = {problem["kind"] for problem in report["problems"]}
    assert not found & {"orphan_result", "call_without_result"}


def test_thinking_may_stand_between_a_call_and_its_result(case: Any) -> None:
    read = case("chain")

    assert read.calls == [("Write", "done", "system tool_result, line 6")]
    for form in FORMATS:
        assert "system error, line 7" in read.show(form)


def test_results_answer_calls_in_order(case: Any) -> None:
    read = case("tools")

    listed = "/home/mira/project/main.py\n/home/mira/project/utils.py"
    assert read.calls == [
        ("Read", "done", "system tool_result, line 3"),
        ("Write", "done", "system tool_result, line 5"),
        ("Edit", "done", "system tool_result, line 7"),
        ("Bash", "done", "system tool_result, line 9"),
        ("Grep", "done", listed),
        ("Glob", "done", "system tool_result, line 13"),
        ("TodoWrite", "done", "system tool_result, line 15"),
    ]


@pytest.mark.parametrize("name", PARALLEL)
def test_parallel_results_come_in_the_order_of_their_calls(case: Any, name: str) -> None:
    read = case(name)

    found = {call["input"]["file_path"]: call["result_text"] for call in read.told["tool_calls"]}

    assert found == {
        "/p/file1": "system tool_result, line 6",
        "/p/file2": "system tool_result, line 7",
        "/p/file3": "system tool_result, line 8",
    }
    assert len(read.told["threads"]) == 1
    for form in FORMATS:
        shown = read.show(form, "everything")
        words = [f"file{n}" for n in (1, 2, 3)] + [f"tool_result, line {n}" for n in (6, 7, 8)]
        places = [shown.rindex(word) for word in words]
        assert places[:3] == sorted(places[:3])
        assert places[3:] == sorted(places[3:])


def test_an_error_is_the_outcome_of_its_call(case: Any) -> None:
    read = case("error")

    assert read.calls == [
        ("Write", "failed", "system error, line 4"),
        ("Bash", "done", "system tool_result, line 7"),
    ]
    assert read.told["totals"]["errors"] == 1
    for form in FORMATS:
        shown = read.show(form)
        assert "failed" in shown
        assert "system error, line 4" in shown
    assert "1 error" in read.show("terminal")


def test_a_message_behind_a_call_is_its_result_without_a_subtype(case: Any) -> None:
    assert case("results-without-subtype").calls == [("Write", "done", "system, line 4")]
    assert case("results-without-subtype-2").calls == [
        ("Read", "done", "system, line 3"),
        ("MultiEdit", "done", "system, line 6"),
        ("Bash", "done", "system, line 8"),
    ]


@pytest.mark.parametrize("name", NO_UUID)
def test_rows_without_a_uuid_are_rows_of_their_own(case: Any, name: str) -> None:
    read = case(name)
    offsets = [0]
    for line in read.path.read_bytes().splitlines(keepends=True)[:-1]:
        offsets.append(offsets[-1] + len(line))

    messages = read.told["messages"]

    assert [message["id"] for message in messages] == [f"{name}:{offset}" for offset in offsets]
    assert [message["entry_ids"] for message in messages] == [[m["id"]] for m in messages]
    assert read.told["duplicates"] == []
    (thread,) = read.told["threads"]
    assert thread["message_ids"] == [message["id"] for message in messages]


def test_the_calls_of_rows_without_a_uuid_have_their_results(case: Any) -> None:
    assert case("no-uuid").calls == [("Write", "done", "system, line 4")]
    assert case("no-uuid-2").calls == case("results-without-subtype-2").calls
    read = case("no-uuid-tools")
    assert len(read.told["messages"]) == 15
    assert read.calls == case("tools").calls


def test_a_side_chain_is_a_run_of_its_own_and_nothing_is_missing(case: Any) -> None:
    read = case("sidechain")

    (run,) = read.told["agent_runs"]
    assert run["message_ids"] == ["u02", "u03"]
    assert run["prompt"] == "user, line 3"
    (thread,) = read.told["threads"]
    assert thread["message_ids"] == ["u00", "u01", "u04"]
    assert read.message("assistant, line 5")["parent_id"] == "u01"
    assert read.problems == []
    for form in FORMATS:
        shown = read.show(form, "everything")
        assert "not at hand" not in shown
        assert "missing" not in shown.partition("<body")[2].partition("<script")[0]


def test_a_compaction_tells_its_figures_and_a_restoration_ends_it(case: Any) -> None:
    read = case("compaction")

    first, compacted, restored = read.told["epochs"]
    assert first["boundary_id"] is None
    figures = ("boundary_id", "kept_messages", "total_messages", "compression_ratio", "is_restored")
    assert [compacted[key] for key in figures] == ["u04", 15, 150, 0.1, False]
    assert [restored[key] for key in figures] == ["u10", None, None, None, True]
    assert [m["epoch"] for m in read.told["messages"]] == [0] * 4 + [1] * 6 + [2] * 2
    for form in FORMATS:
        shown = read.show(form).lower()
        assert "compacted: 15 of 150 messages kept, compression ratio 0.1" in shown
        assert "restored: earlier messages are no longer compacted" in shown


def test_a_page_has_the_figures_of_a_compaction(case: Any) -> None:
    page = json.loads(case("compaction").show("page"))

    items = [item for section in page["sections"] for item in section["items"]]
    compacted, restored = [item for item in items if item["item"] == "compaction"]
    assert (compacted["kept_messages"], compacted["total_messages"]) == (15, 150)
    assert (compacted["compression_ratio"], compacted["is_restored"]) == (0.1, False)
    assert restored["is_restored"] is True
    assert page["frame"]["header"]["compactions"] == 1


def test_rows_have_the_figures_of_a_compaction(case: Any) -> None:
    read = case("compaction")
    read.run("sync")

    def ask(query: str) -> Any:
        return json.loads(read.run("sql", query, "--json"))["rows"]

    assert ask(
        "SELECT kept_messages AS kept, total_messages AS total, compression_ratio AS ratio, "
        "is_restored AS restored FROM epoch WHERE epoch > 0 ORDER BY epoch"
    ) == [
        {"kept": 15, "total": 150, "ratio": 0.1, "restored": 0},
        {"kept": None, "total": None, "ratio": None, "restored": 1},
    ]
    assert ask("SELECT sum(is_compacted) AS compacted FROM message") == [{"compacted": 0}]
    assert ask("SELECT compaction_count AS count FROM session") == [{"count": 1}]


def test_a_command_is_a_command_whoever_gives_it(case: Any) -> None:
    read = case("subtypes")

    kinds = [(m["role"], m["kind"], m["subtype"]) for m in read.told["messages"]]
    assert kinds.count(("assistant", "answer", "command")) == 1
    assert kinds.count(("user", "command", None)) == 1
    assert read.told["totals"]["prompts"] == 2
    for form in FORMATS:
        assert read.show(form).count("/compact") >= 2


def test_aborted_calls_are_interrupted_and_take_no_other_call_s_result(case: Any) -> None:
    read = case("subtypes")

    assert read.calls == [
        ("Bash", "interrupted", ""),
        ("SlashCommand", "failed", "system tool_result, line 12"),
    ]
    assert [m["is_deleted"] for m in read.told["messages"]].count(True) == 2
    assert read.told["totals"]["errors"] == 2


def test_two_prompts_that_go_on_from_one_place_are_a_fork(case: Any) -> None:
    read = case("branch")

    threads = [(t["is_main"], t["forked_at"], t["message_ids"]) for t in read.told["threads"]]
    assert threads == [
        (False, "u01", ["u00", "u01", "u02", "u03"]),
        (True, "u01", ["u00", "u01", "u04", "u05"]),
    ]
    shown = read.run("show", str(read.path), "--branches")
    assert "user, line 3" in shown
    assert "user, line 5" in shown
    for form in ("markdown", "html"):
        assert "user, line 3" in read.show(form)
