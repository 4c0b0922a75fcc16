"""The recipes run; what SQL answers is answered again from the transcripts alone."""

import difflib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import clew.samples
from clew.archive import Archive, open_archive
from tests.examples import Sandbox, find_examples, missing_packages, sandbox, stable
from tests.recordings import HERE

RECIPES = Path(__file__).parents[2] / "docs" / "recipes.md"
HEADING = re.compile(r"^## (.+)\n", re.MULTILINE)
STATEMENT = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = HEADING.split(RECIPES.read_text("utf-8"))[1:]
ANSWERS = dict(zip(SECTIONS[::2], SECTIONS[1::2], strict=True))
QUESTIONS = {name: found[1] for name, text in ANSWERS.items() if (found := STATEMENT.search(text))}
SAMPLES = Path(clew.samples.__file__).parent
HOOKS = HERE / "2.1.325" / "tui-hooks" / "root"

Answer = list[tuple[Any, ...]]


class Use:
    """A tool use with its result, put together from rows as they are in the files."""

    def __init__(self, session: str, row: dict[str, Any], block: dict[str, Any]) -> None:
        self.session, self.row, self.at = session, row, row["timestamp"]
        self.tool, self.input = block["name"], block["input"]
        self.result: dict[str, Any] = {}
        self.details: Any = None

    @property
    def text(self) -> str:
        """The text of the result."""
        content = self.result.get("content", "")
        return content if isinstance(content, str) else "".join(b.get("text", "") for b in content)

    @property
    def status(self) -> str:
        """How it ended, by the words that the client uses."""
        if "The user doesn't want to proceed" in self.text:
            return "denied"
        if self.text.startswith("[Tool call interrupted"):
            return "interrupted"
        return "failed" if self.result.get("is_error") else "done"


def rows_of(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give all rows of all transcripts, each with the id of its session."""
    for path in sorted(root.rglob("*.jsonl")):
        for line in path.read_text("utf-8").split("\n"):
            # The last line of one sample is torn.
            with suppress(json.JSONDecodeError):
                row = json.loads(line)
                if "sessionId" in row:
                    yield row["sessionId"], row


def uses_of(root: Path) -> list[Use]:
    """Give all tool uses, each once, in the order of time."""
    found: dict[str, Use] = {}
    blocks = [
        (session, row, block)
        for session, row in rows_of(root)
        for block in (row.get("message") or {}).get("content") or []
        if isinstance(block, dict)
    ]
    for session, row, block in blocks:
        if block["type"] == "tool_use":
            found.setdefault(block["id"], Use(session, row, block))
    for _, row, block in blocks:
        if block["type"] == "tool_result":
            found[block["tool_use_id"]].result = block
            found[block["tool_use_id"]].details = row.get("toolUseResult")
    return sorted(found.values(), key=lambda use: use.at)


@pytest.fixture(scope="module")
def uses() -> list[Use]:
    """Give the tool uses of the samples."""
    return uses_of(SAMPLES)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Give an archive of the samples."""
    with open_archive(tmp_path_factory.mktemp("home")) as archive:
        archive.sync([SAMPLES])
        yield archive


@pytest.fixture(scope="module")
def home() -> Iterator[Sandbox]:
    """Give a home with the samples, in which examples run."""
    with sandbox() as home:
        yield home


@pytest.fixture
def answer(archive: Archive) -> Callable[[str], Answer]:
    """Answer a question by its statement."""
    return lambda question: list(archive.query(QUESTIONS[question]).rows)


def test_ten_questions_are_answered_with_sql() -> None:
    assert len(QUESTIONS) == 10


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in QUESTIONS])
def test_an_answer_without_sql_prints_what_the_page_says(home: Sandbox, name: str) -> None:
    found = find_examples(ANSWERS[name])
    if missing := [package for example in found for package in missing_packages(example)]:
        pytest.skip(f"{missing[0]} is not installed: uv sync --group docs")

    printed = [home.run(example) for example in found]

    assert found
    assert list(map(stable, printed)) == list(map(stable, found)), "run `just docs`"


def test_failed_commands(answer: Any, uses: list[Use]) -> None:
    failed = [use for use in uses if use.tool == "Bash" and use.status == "failed"]

    expected = []
    for use in failed:
        code = re.match(r"Exit code (\d+)", use.text)
        found = int(code[1]) if code else None
        expected.append((use.session, use.at, found, use.input["command"]))

    assert answer("Which shell commands failed, and with which exit code?") == expected
    assert len(expected) > 5


def test_programs(answer: Any, uses: list[Use]) -> None:
    runs: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for use in uses:
        if use.tool == "Bash":
            program = use.input["command"].split(" ")[0]
            runs[program] += 1
            failed[program] += use.status == "failed"

    found = answer("Which programs are run most, and how often do they fail?")

    expected = [(name, count, failed[name]) for name, count in runs.items()]
    assert found == sorted(expected, key=lambda row: (-row[1], row[0]))


def counted_lines(use: Use) -> tuple[int, int]:
    """Count the lines that a call added and removed, by its result or else by its input."""
    patch = (use.details or {}).get("structuredPatch")
    if patch:
        lines = [line for hunk in patch for line in hunk["lines"]]
    else:
        # Rows of agents may have no such result.
        before, after = use.input.get("old_string", ""), use.input.get("new_string", "")
        after = after or use.input.get("content", "")
        lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    signs = [line[0] for line in lines]
    return signs.count("+"), signs.count("-")


def test_changed_files(answer: Any, uses: list[Use]) -> None:
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for use in uses:
        if use.tool in ("Edit", "Write") and use.status == "done":
            added, removed = counted_lines(use)
            for index, number in enumerate((1, added, removed)):
                totals[use.input["file_path"]][index] += number

    found = {path: counts for path, *counts in answer("Which files changed most?")}

    notebooks = {use.input["notebook_path"] for use in uses if use.tool == "NotebookEdit"}
    assert {path: found[path] for path in found if path not in notebooks} == dict(totals)
    assert len(totals) > 20


def test_files_read_and_never_changed(answer: Any, uses: list[Use]) -> None:
    changed = {
        use.input.get("file_path", use.input.get("notebook_path"))
        for use in uses
        if use.tool in ("Edit", "Write", "NotebookEdit") and use.status == "done"
    }
    times = Counter(
        use.input["file_path"] for use in uses if use.tool == "Read" and use.status == "done"
    )

    found = answer("Which files were read and never changed?")

    assert dict(found) == {path: times[path] for path in times if path not in changed}
    assert found


def test_cost_by_day_and_project(answer: Any) -> None:
    answers: dict[str, tuple[str, str, int]] = {}
    folders = {
        row["sessionId"]: row["cwd"] for _, row in reversed(list(rows_of(SAMPLES))) if "cwd" in row
    }
    for session, row in rows_of(SAMPLES):
        message = row.get("message") or {}
        if row["type"] == "assistant" and message["model"] != "<synthetic>":
            day, tokens = row["timestamp"][:10], message["usage"]["output_tokens"]
            known = answers.get(message["id"], (day, "", 0))
            answers[message["id"]] = (known[0], folders[session], max(known[2], tokens))
    tokens = Counter[tuple[str, str]]()
    for day, folder, count in answers.values():
        tokens[day, folder] += count

    found = answer("What did each day cost, by project?")

    assert {(day, project): count for day, project, count, *_ in found} == dict(tokens)


def test_days_cost_what_usage_says(archive: Archive) -> None:
    query = "SELECT day, sum(cost_usd) FROM daily_cost GROUP BY day"

    found = {day: cost or 0 for day, cost in archive.query(query).rows}

    report = archive.usage(by="day")
    assert found == pytest.approx({group.key: group.cost_usd or 0 for group in report.rows})


def test_pages_and_searches(answer: Any, uses: list[Use]) -> None:
    expected = [
        (use.at, use.tool, use.input.get("url") or use.input.get("query"), use.status)
        for use in uses
        if use.tool in ("WebFetch", "WebSearch")
    ]

    assert answer("Which pages were fetched, and what was searched for?") == expected
    assert expected


def test_patterns(answer: Any, uses: list[Use]) -> None:
    times = Counter(
        (use.tool, use.input["pattern"], use.input.get("path"))
        for use in uses
        if use.tool in ("Grep", "Glob")
    )

    found = answer("What did the model search for in files?")

    assert sorted(found) == sorted((*key, count) for key, count in times.items())
    assert found


def test_to_do_lists(answer: Any, uses: list[Use]) -> None:
    tasks: dict[tuple[str, str], list[str]] = {}
    for use in uses:
        if use.tool == "TaskCreate":
            number = re.match(r"Task #(\d+) created", use.text)
            assert number
            tasks[use.session, number[1]] = [use.input["subject"], "pending"]
        elif use.tool == "TaskUpdate" and "status" in use.input:
            tasks[use.session, use.input["taskId"]][1] = use.input["status"]

    found = answer("What is the state of each to-do list?")

    assert found == [(*key, *task) for key, task in sorted(tasks.items())]
    assert found


def test_hooks(tmp_path: Path) -> None:
    expected: Counter[tuple[Any, ...]] = Counter()
    for _, row in rows_of(HOOKS):
        part = row.get("attachment") or row.get("data") or {}
        if str(part.get("type")).startswith("hook_"):
            key = (part["hookEvent"], part.get("command"), part["type"], part.get("exitCode"))
            expected[key] += 1
        for info in row.get("hookInfos", ()):
            expected["Stop", info["command"], row["subtype"], None] += 1

    with open_archive(tmp_path) as archive:
        archive.sync([HOOKS])
        found = list(archive.query(QUESTIONS["Which hooks ran, and what did they return?"]).rows)

    assert {tuple(row[:-1]): row[-1] for row in found} == dict(expected)
    assert {"hook_success", "stop_hook_summary"} <= {row[2] for row in found}


def test_refusals(answer: Any, uses: list[Use]) -> None:
    expected = [(use.tool, use.text) for use in uses if use.status == "denied"]

    found = answer("What did people say when they refused a call?")

    assert [(row[0], row[4]) for row in found] == expected
    assert expected


def test_commands_ran_where_the_client_was(archive: Archive, uses: list[Use]) -> None:
    query = "SELECT session_id, at, cwd, is_background FROM command WHERE is_inherited = 0"

    expected = [
        (use.session, use.at, use.row["cwd"], int(use.input.get("run_in_background", False)))
        for use in uses
        if use.tool == "Bash"
    ]

    assert sorted(archive.query(query).rows) == sorted(expected)
    assert len({row[2] for row in expected}) > 3
