"""Runs whose transcript is missing, known by what the call that started them reports."""

from typing import Any

from clew.conversation import Material, ModelUsage, Reported, Surroundings
from tests.build import Row
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    only_call,
    only_run,
    problems_of,
    prompt,
    result,
    row,
    use,
)
from tests.unit.conversation.runs import agent_file, session_with, started

TOTALS = {"totalTokens": 900, "totalToolUseCount": 4, "totalDurationMs": 8000}


def finished(agent_id: str = "a1", **more: Any) -> list[Row]:
    report = {"status": "completed", "agentId": agent_id, **TOTALS, **more}
    return started(toolUseResult=report)


def test_a_run_whose_transcript_is_missing_is_listed_with_its_reported_totals() -> None:
    conversation = conversation_of(session_with(finished()))

    run = only_run(conversation)

    assert (run.id, run.status, run.kind, run.link) == ("a1", "missing", "agent", "result")
    assert (run.agent, run.description, run.prompt) == ("Explore", "Look", "List all files")
    assert run.reported == Reported(900, 4, 8000)
    assert (run.has_transcript, run.message_ids) == (False, ())
    assert only_call(conversation).started_run_id == "a1"
    assert conversation.totals.agent_runs == 1


def test_what_is_missing_is_not_counted_and_makes_sums_lower_bounds() -> None:
    conversation = conversation_of(session_with(finished()))

    whole = conversation_of(session_with(finished(), agent_file()))

    assert conversation.totals.usage.output_tokens == 10
    assert conversation.totals.usage.quality == "lower_bound"
    assert conversation.turns[0].usage.quality == "lower_bound"
    assert only_run(conversation).usage == ModelUsage(quality="lower_bound")
    assert whole.totals.usage.quality == "exact"


def test_a_missing_run_is_a_problem_where_its_call_ended() -> None:
    (problem,) = conversation_of(session_with(finished())).problems

    assert (problem.kind, problem.text) == ("missing_transcript", "agent run a1")
    assert (problem.file, problem.line) == ("s.jsonl", 3)


def test_a_run_whose_transcript_is_there_is_not_missing() -> None:
    conversation = conversation_of(session_with(finished(), agent_file()))

    assert only_run(conversation).status == "done"
    assert problems_of(conversation) == []


def test_a_run_that_progress_rows_tell_of_is_not_listed_twice() -> None:
    told = {"type": "agent_progress", "agentId": "a1", "message": prompt("x", None, "look", 2)}
    progress = row("progress", "g", "a", 2, data=told, parentToolUseID="c", toolUseID="t")

    conversation = conversation_of(session_with([*finished(), progress]))

    assert only_run(conversation).message_ids == ("x",)


def test_old_clients_report_totals_without_naming_the_agent() -> None:
    rows = started(toolUseResult={"content": [], **TOTALS})

    run = only_run(conversation_of(session_with(rows)))

    assert (run.id, run.status, run.reported) == ("c:run", "missing", Reported(900, 4, 8000))


def test_an_unnamed_run_is_not_missing_where_one_hangs_on_no_call() -> None:
    rows = started(toolUseResult={"content": [], **TOTALS})

    conversation = conversation_of(session_with(rows, agent_file(text="Something else")))

    assert [run.id for run in conversation.agent_runs] == ["a1"]


def test_a_named_run_is_missing_though_another_hangs_on_no_call() -> None:
    material = session_with(finished("a2"), agent_file(text="Something else"))

    runs = conversation_of(material).agent_runs

    assert {run.id: run.status for run in runs} == {"a1": "done", "a2": "missing"}


def test_an_agent_that_was_called_twice_is_one_run() -> None:
    again = [
        answer("b", "r", [use("d", "Task", prompt="Go on", resume="a1")], 20),
        result("t", "b", "d", "done", 29, toolUseResult={"agentId": "a1", **TOTALS}),
    ]

    conversation = conversation_of(session_with([*finished(), *again]))

    assert only_run(conversation).tool_call_id == "c"


def test_a_run_in_the_background_reports_its_totals_when_it_ends() -> None:
    news = (
        "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n"
        "<usage><total_tokens>70</total_tokens><tool_uses>3</tool_uses>"
        "<duration_ms>5000</duration_ms></usage>\n</task-notification>"
    )
    rows = started(toolUseResult={"status": "async_launched", "isAsync": True, "agentId": "a1"})

    conversation = conversation_of(session_with([*rows, prompt("n", "r", news, 60)]))

    run = only_run(conversation)
    assert (run.status, run.ended_at) == ("missing", "")
    assert run.reported == Reported(70, 3, 5000)


def test_failed_calls_and_other_tools_start_no_run() -> None:
    failed = started(toolUseResult="Error: Agent type 'Explore' not found.", is_error=True)
    fetched = [
        answer("b", "r", [use("d", "WebFetch", prompt="Summarise", url="https://a.test")], 20),
        result("t", "b", "d", "done", 29, toolUseResult={"durationMs": 70, "code": 200}),
    ]

    assert conversation_of(session_with([*failed, *fetched])).agent_runs == ()


def test_a_teammate_is_a_session_of_its_own_and_not_missing() -> None:
    rows = started(toolUseResult={"status": "teammate_spawned", "agent_id": "bo@crew"})

    assert conversation_of(session_with(rows)).agent_runs == ()


def test_a_copied_run_is_counted_where_it_was_made() -> None:
    around = Surroundings(inherited={"msg-a": "elder"})

    conversation = conversation_of(session_with(finished(), surroundings=around))

    assert only_run(conversation).status == "missing"
    assert conversation.totals.usage.quality == "inherited"


def test_a_session_without_its_own_transcript_says_so() -> None:
    conversation = conversation_of(Material("s", (agent_file(),)))

    assert not conversation.session.has_transcript
    assert problems_of(conversation) == ["missing_transcript"]
    assert conversation.totals.usage.quality == "lower_bound"
    assert conversation_of(session_with(finished())).session.has_transcript


def test_a_session_of_agent_runs_alone_is_named_after_the_first_of_them() -> None:
    late, early = agent_file("a1", "Second", 50), agent_file("a2", "First\nof two", 2)

    session = conversation_of(Material("s", (late, early))).session

    assert (session.title, session.title_source) == ("First of two", "agent_run")


def test_a_session_of_warm_ups_alone_is_named_so() -> None:
    session = conversation_of(Material("s", (agent_file(text="Warmup"),))).session

    assert session.title == "(agent warm-up)"
