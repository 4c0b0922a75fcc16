"""The sample sessions are what the stories make, and read well."""

import base64
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from clew.analytics import Bill, bill_all, bill_messages
from clew.conversation import Conversation, ToolCall, build
from clew.problems import Severity, severity_of
from clew.samples import samples_root
from clew.sessions import SessionFiles, gather, group_sessions, link_neighbours, list_files, load
from clew.tools import WriteResult, decode_input, decode_result
from clew.tools.builtin.edits import EditResult
from clew.tools.diffs.recorded import Hunk
from tests import invariants
from tools.make_samples import write_samples

MOST_BYTES = 1_200_000
TITLES = {
    "bug": "Retry uploads on 503",
    "refactoring": "Split app.py into store and season",
    "long day": "Incremental builds, watch mode and search for tessera",
    "errors": "Find out why the nightly backup stopped",
    "chinese": "修正雨量图的纵轴，并加上多年平均线",  # noqa: RUF001 - Chinese punctuation is meant
    "plan": "Move the photos to the new disk",
    "branch": "photos by pvmove",
    "web": "Is recursive fs.watch safe to use?",
    "flaky": "Make the journal's flaky test reliable",
    "release": "Release ferry 0.4.1",
    "mcp": "Why the gallery check fails at night",
    "worktree": "Read frost tables with a BOM",
    "notebook": "Count wet days right",
    "local": "Prune old backups",
    "question": "When does ferry resume an upload?",
}
# Their clients counted calls without a row, or lost count when the power went.
COUNTED_OTHERWISE = ("long day", "web", "errors", "local")


def test_the_stories_make_the_samples_byte_for_byte(tmp_path: Path) -> None:
    write_samples(tmp_path)

    assert _contents(tmp_path) == _contents(samples_root())


def test_the_samples_are_small_enough_to_come_along() -> None:
    assert sum(map(len, _contents(samples_root()).values())) <= MOST_BYTES


def test_there_are_some_weeks_of_sessions_in_some_projects() -> None:
    days = sorted(c.session.started_at[:10] for c in _conversations().values())
    projects = {c.session.project for c in _conversations().values()}

    assert len(days) >= 14
    assert (days[0], days[-1]) == ("2026-10-09", "2026-11-13")
    assert len(projects) == 5


def test_every_kind_of_model_answers() -> None:
    models = Counter(model for c in _conversations().values() for model in c.session.models)

    assert set(models) > {"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"}
    assert _bill("local") == Bill(None, ("kestrel-coder-32b",), "lower_bound")


@pytest.mark.parametrize("session", group_sessions(list_files([samples_root()])))
def test_a_sample_has_what_every_conversation_has(session: SessionFiles) -> None:
    material = link_neighbours(gather(session), session, list_files([samples_root()]))

    invariants.check(material, build(material))


def test_nothing_is_wrong_but_one_line_that_lost_its_power() -> None:
    problems = {
        problem.kind: c.session.title
        for c in _conversations().values()
        for problem in c.problems
        if severity_of(problem.kind) is not Severity.NOTE
    }

    assert problems == {"torn": TITLES["errors"]}


@pytest.mark.parametrize("transcript", sorted(samples_root().glob("projects/*/*.jsonl")))
def test_a_sample_loads_by_its_path(transcript: Path) -> None:
    conversation = load(transcript)

    assert conversation.session.id == transcript.stem
    assert conversation.session.title
    assert conversation.session.versions == ("2.1.325",)


def test_the_bug_is_fixed_with_tests_that_fail_first() -> None:
    commands = [call for call in _sample("bug").tool_calls if call.tool == "Bash"]
    runs = [call for call in commands if b"run pytest" in bytes(call.input)]

    assert [call.status for call in runs] == ["failed", "done", "failed", "done", "done"]


def test_the_refactoring_has_three_agent_runs_two_of_them_at_once() -> None:
    refactoring = _sample("refactoring")

    scout, store, season = sorted(refactoring.agent_runs, key=lambda run: run.started_at)
    assert (scout.agent, store.agent, season.agent) == ("Explore", *["general-purpose"] * 2)
    assert scout.ended_at < store.started_at < season.started_at < store.ended_at
    assert scout.models == ("claude-haiku-5-5",)
    working = {call.agent_run_id for call in refactoring.tool_calls}
    assert working == {None, scout.id, store.id, season.id}


def test_an_agent_waits_for_the_file_that_another_one_writes() -> None:
    calls = _sample("refactoring").tool_calls
    written = next(c for c in calls if b"almanac/season.py" in bytes(c.input) and c.tool == "Write")
    missed, waited = [c for c in calls if b"test_store.py" in bytes(c.input) and c.tool == "Bash"]

    assert missed.status == "failed"
    assert (missed.ended_at or "") < written.started_at < (waited.ended_at or "")


def test_the_long_day_has_two_compactions_and_a_rewind() -> None:
    day = _sample("long day")

    assert [epoch.trigger for epoch in day.epochs] == [None, "manual", "auto"]
    assert len(day.threads) == 2
    assert len(day.messages) >= 220
    assert any(call.persisted_path for call in day.tool_calls)


def test_in_the_errors_everything_goes_wrong_that_can() -> None:
    errors = _sample("errors")

    statuses = Counter(call.status for call in errors.tool_calls)
    kinds = Counter(message.kind for message in errors.messages)
    assert statuses.keys() == {"done", "failed", "denied", "interrupted"}
    assert kinds["interrupt"] == 1
    assert kinds["api_error"] == 1
    assert sorted(len(m.retries) for m in errors.messages if m.retries) == [2, 3]
    assert any(m.is_aborted or m.stop_reason is None for m in errors.messages if m.usage)


def test_the_chinese_session_has_pictures_in_a_prompt_and_in_results() -> None:
    chinese = _sample("chinese")

    pasted = [b for m in chinese.messages if m.kind == "prompt" for b in m.blocks]
    read = [b for call in chinese.tool_calls for b in call.result_blocks]
    pictures = [block.data for block in [*pasted, *read] if block.kind == "image"]
    assert len(pictures) == 4
    assert all(base64.b64decode(data or "")[:8] == b"\x89PNG\r\n\x1a\n" for data in pictures)


def test_a_branch_counts_what_it_inherits_once() -> None:
    branch, plan = _sample("branch"), _sample("plan")

    qualities = Counter(m.usage.quality for m in branch.messages if m.usage)
    assert branch.session.lineage.forked_from == plan.session.id
    assert qualities["inherited"] == sum(m.usage is not None for m in plan.messages)
    assert qualities["exact"] == 2
    assert _bill("branch").usd == pytest.approx(_stated("branch"))


@pytest.mark.parametrize("name", sorted(TITLES.keys() - set(COUNTED_OTHERWISE)))
def test_the_clients_own_cost_is_the_computed_one(name: str) -> None:
    assert _bill(name).usd == pytest.approx(_stated(name), abs=1e-9)


@pytest.mark.parametrize("name", ["long day", "web"])
def test_calls_without_a_row_are_in_the_clients_cost_alone(name: str) -> None:
    assert (_bill(name).usd or 0) < _stated(name)


def test_everyday_things_are_there() -> None:
    calls = {name: _sample(name).tool_calls for name in TITLES}
    kinds = {name: {m.kind for m in _sample(name).messages} for name in TITLES}
    tools = {name: {call.tool for call in calls[name]} for name in TITLES}

    assert {"ExitPlanMode", "AskUserQuestion"} <= tools["plan"]
    assert {"WebSearch", "WebFetch"} <= tools["web"]
    assert {"EnterWorktree", "ExitWorktree"} <= tools["worktree"]
    assert "NotebookEdit" in tools["notebook"]
    assert "mcp__uptime__get_history" in tools["mcp"]
    assert {"command", "steering"} <= kinds["release"]
    assert [c.background_status for c in calls["flaky"] if c.background_id] == ["completed"] * 2


def test_every_hunk_counts_its_lines() -> None:
    hunks = list(chain.from_iterable(map(_hunks, _all_calls())))

    assert len(hunks) > 60
    for hunk in hunks:
        marks = Counter(line[:1] for line in hunk.lines)
        assert hunk.old_lines == marks[" "] + marks["-"]
        assert hunk.new_lines == marks[" "] + marks["+"]


def test_each_cache_read_is_what_the_call_before_left() -> None:
    answers = [m.usage for m in _sample("bug").messages if m.usage and m.usage.cache_read_tokens]

    reads = [usage.cache_read_tokens for usage in answers]
    assert reads == sorted(reads)
    assert all(usage.output_tokens < 3_000 for usage in answers)


def test_all_people_and_places_are_invented() -> None:
    text = b"\n".join(_contents(samples_root()).values()).decode()

    homes = set(re.findall(r"/home/([a-z]+)", text))
    mails = set(re.findall(r"\w@([\w.-]+\.(?:com|net|org|io|dev))\b", text))
    hosts = set(re.findall(r"https?://([\w.-]+)", text))
    assert homes == {"mira"}
    assert mails == {"example.org"}
    assert {host.removeprefix("www.") for host in hosts} <= {
        "nodejs.org",
        "photos.example.org",
        "notes.example.org",
        "git.example.org",
    }


@cache
def _conversations() -> dict[str, Conversation]:
    files = list_files([samples_root()])
    built = (build(link_neighbours(gather(s), s, files)) for s in group_sessions(files))
    return {conversation.session.title: conversation for conversation in built}


def _sample(name: str) -> Conversation:
    return _conversations()[TITLES[name]]


def _bill(name: str) -> Bill:
    conversation = _sample(name)
    return bill_all(conversation.messages, bill_messages(conversation))


def _stated(name: str) -> float:
    state = _sample(name).cost_state
    assert state is not None
    return state.total_cost_usd


def _all_calls() -> Iterator[ToolCall]:
    return chain.from_iterable(c.tool_calls for c in _conversations().values())


def _hunks(call: ToolCall) -> tuple[Hunk, ...]:
    arguments = decode_input(call.tool, bytes(call.input))
    result: Any = decode_result(call.tool, bytes(call.result), call.result_text, arguments)
    return tuple(result.structured_patch) if isinstance(result, EditResult | WriteResult) else ()


def _contents(root: Path) -> dict[str, bytes]:
    files = [path for path in (root / "projects").rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
