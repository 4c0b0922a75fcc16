"""Kinds of agent runs, how they end, and what they share with their parents."""

from typing import Any

import msgspec
import pytest

from clew.conversation import Material, TranscriptKind
from clew.entries import AgentMeta, decode_workflow
from tests.build import Agent, Call, SessionBuilder
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    lines_of,
    material_of,
    message_of,
    only_call,
    only_run,
    prompt,
    run_transcript,
    transcript_of,
)
from tests.unit.conversation.runs import agent_file, looking, session_with, started


def test_side_chains_of_old_clients_are_runs_of_their_own() -> None:
    builder = (
        SessionBuilder(version="1.0.128")
        .user("go")
        .tools(
            Agent("One", "first prompt", lambda run: run.assistant("first report")),
            Agent("Two", "second prompt", lambda run: run.assistant("second report")),
        )
    )

    conversation = conversation_of(builder)

    runs = {run.prompt: run for run in conversation.agent_runs}
    assert {run.link for run in runs.values()} == {"prompt"}
    assert runs["first prompt"].tool_call_id == conversation.tool_calls[0].id
    assert runs["second prompt"].tool_call_id == conversation.tool_calls[1].id
    assert message_of(conversation, "first report").agent_run_id == runs["first prompt"].id
    assert len(conversation.threads) == 1


def test_side_chains_whose_rows_run_in_a_circle_are_kept() -> None:
    side = {"isSidechain": True}
    conversation = conversation_of_rows(
        prompt("x", "y", "one", 1, **side), answer("y", "x", "two", 2, **side)
    )

    assert len(only_run(conversation).message_ids) == 2


def test_rows_with_an_agent_id_in_the_session_s_file_belong_to_that_run() -> None:
    side = {"isSidechain": True, "agentId": "a1"}
    rows = [*started(), prompt("x", None, "List all files", 2, **side)]

    run = only_run(conversation_of_rows(*rows))

    assert (run.id, run.message_ids) == ("a1", ("x",))


def test_a_background_run_ends_with_its_notification() -> None:
    builder = looking(background=True).assistant("Started.").notification("Look around")

    conversation = conversation_of(builder.assistant("It is done."))

    run, call = only_run(conversation), conversation.tool_calls[0]
    assert (run.status, call.background_id, call.background_status) == ("done", run.id, "completed")
    assert call.notification_id == message_of(conversation, 'Agent "Look around" finished').id


@pytest.mark.parametrize(("told", "status"), [("failed", "failed"), ("killed", "interrupted")])
def test_the_notification_tells_how_a_background_run_ended(told: str, status: str) -> None:
    builder = looking(background=True).notification("Look around", status=told)

    assert only_run(conversation_of(builder)).status == status


def test_the_numbers_of_a_notification_are_the_clients_own() -> None:
    usage = "<usage><subagent_tokens>900</subagent_tokens><tool_uses>2</tool_uses></usage>"
    news = f"<task-notification><task-id>a1</task-id>{usage}</task-notification>"
    rows = [*started(toolUseResult={"agentId": "a1"}), prompt("n", "r", news, 10)]

    run = only_run(conversation_of(session_with(rows, agent_file())))

    assert run.reported is not None
    assert (run.reported.total_tokens, run.reported.tool_uses) == (900, 2)


def test_news_without_numbers_leaves_those_of_the_result() -> None:
    news = "<task-notification><task-id>a1</task-id><status>completed</status></task-notification>"
    told = {"agentId": "a1", "totalTokens": 700, "totalToolUseCount": 3}
    rows = [*started(toolUseResult=told), prompt("n", "r", news, 10)]

    run = only_run(conversation_of(session_with(rows, agent_file())))

    assert run.reported is not None
    assert (run.reported.total_tokens, run.reported.tool_uses) == (700, 3)


def test_the_numbers_of_a_notification_replace_those_of_the_result() -> None:
    usage = "<usage><subagent_tokens>900</subagent_tokens><tool_uses>2</tool_uses></usage>"
    news = f"<task-notification><task-id>a1</task-id>{usage}</task-notification>"
    earlier = {"agentId": "a1", "totalTokens": 700, "totalToolUseCount": 3}
    rows = [*started(toolUseResult=earlier), prompt("n", "r", news, 10)]

    run = only_run(conversation_of(session_with(rows, agent_file())))

    assert run.reported is not None
    assert (run.reported.total_tokens, run.reported.tool_uses) == (900, 2)


def test_a_run_that_is_sent_another_message_goes_on_in_its_own_file() -> None:
    def steps(run: SessionBuilder) -> object:
        return run.assistant("First report.").user("And the tests?").assistant("Second report.")

    builder = SessionBuilder().user("go").agent("Look", "Look around", steps)
    builder.tool("SendMessage", {"to": builder.runs[0].id, "message": "And the tests?"}, "Sent.")

    conversation = conversation_of(builder)

    run = only_run(conversation)
    assert len(run.message_ids) == 4
    assert run.tool_call_id == conversation.tool_calls[0].id
    assert conversation.totals.prompts == 1


def test_agents_of_a_workflow_hang_on_its_call_and_bear_their_labels() -> None:
    builder = SessionBuilder().user("go")
    launched = {"status": "async_launched", "runId": "wf_1", "taskId": "w1"}
    builder.tool("Workflow", {"script": "x"}, "Launched.", tool_use_result=launched)
    journal = {"type": "started", "agentId": "a1", "label": "find bugs", "phase": "Search"}
    run = msgspec.structs.replace(agent_file(), kind=TranscriptKind.WORKFLOW, workflow_id="wf_1")
    kept = transcript_of(lines_of(journal), "journal", TranscriptKind.JOURNAL, "", "wf_1")
    material = material_of(builder)

    conversation = conversation_of(
        material_of(builder, transcripts=(*material.transcripts, run, kept))
    )

    found = only_run(conversation)
    assert (found.kind, found.link, found.workflow_id) == ("workflow", "workflow", "wf_1")
    assert found.tool_call_id == only_call(conversation).id
    assert (found.label, found.phase) == ("find bugs", "Search")
    assert only_call(conversation).started_run_id is None


def test_a_workflow_that_has_ended_tells_its_labels_in_its_record() -> None:
    record = b'{"workflowProgress":[{"agentId":"a1","label":"fix","phaseTitle":"Repair"}]}'
    run = msgspec.structs.replace(agent_file(), kind=TranscriptKind.WORKFLOW, workflow_id="wf_1")

    found = only_run(
        conversation_of(Material("s", (run,), workflows={"wf_1": decode_workflow(record)}))
    )

    assert (found.label, found.phase, found.tool_call_id) == ("fix", "Repair", None)


def test_a_workflow_may_be_known_by_the_folder_of_its_transcripts() -> None:
    folder = {"transcriptDir": "/home/dev/.claude/projects/x/s/subagents/workflows/wf_1/"}
    builder = SessionBuilder().user("go").tool("Workflow", {}, "ok", tool_use_result=folder)
    run = msgspec.structs.replace(agent_file(), kind=TranscriptKind.WORKFLOW, workflow_id="wf_1")
    material = material_of(builder)

    found = only_run(
        conversation_of(material_of(builder, transcripts=(*material.transcripts, run)))
    )

    assert found.link == "workflow"


def test_a_teammate_hangs_on_the_call_that_spawned_it() -> None:
    spawned = {"status": "teammate_spawned", "agent_id": "worker@team", "name": "worker"}
    meta = AgentMeta(
        agent_type="worker", name="worker", team_name="team", color="blue",
        task_kind="in_process_teammate",
    )  # fmt: skip
    rows = started(toolUseResult=spawned)

    run = only_run(conversation_of(session_with(rows, agent_file(text="x"), metas={"a1": meta})))

    assert (run.kind, run.link, run.name, run.color) == ("teammate", "teammate", "worker", "blue")


@pytest.mark.parametrize(
    ("kind", "told", "is_hidden"),
    [
        (TranscriptKind.COMPACTION, "compaction", False),
        (TranscriptKind.SUGGESTION, "suggestion", True),
        (TranscriptKind.SIDE_QUESTION, "side_question", False),
    ],
)
def test_runs_that_the_client_starts_itself_are_known(
    kind: TranscriptKind, told: str, *, is_hidden: bool
) -> None:
    run = msgspec.structs.replace(agent_file(text="x"), kind=kind)

    conversation = conversation_of(session_with(started(), run))

    found = only_run(conversation)
    assert (found.kind, found.is_hidden) == (told, is_hidden)
    assert conversation.totals.agent_runs == (0 if is_hidden else 1)


def test_a_compaction_begins_with_its_request_not_with_what_it_copies() -> None:
    fields = {"isSidechain": True, "agentId": "acompact-1"}
    rows = lines_of(
        prompt(
            "copy", "r", "<system-reminder>Be brief.</system-reminder>", 3, isMeta=True, **fields
        ),
        prompt("ask", "r", "Your task is to create a detailed summary", 600, **fields),
        answer("sum", "ask", "A summary", 670, **fields),
    )
    transcript = transcript_of(rows, "agent-acompact-1", TranscriptKind.COMPACTION, "acompact-1")

    run = only_run(conversation_of(session_with(started(), transcript)))

    asked = message_of(conversation_of_rows(prompt("ask", None, "x", 600)), "x").started_at
    assert run.started_at == asked


def test_warm_ups_are_hidden_and_hang_on_nothing() -> None:
    conversation = conversation_of(session_with(started(text="Warmup"), agent_file(text="Warmup")))

    run = only_run(conversation)

    assert (run.kind, run.is_hidden, run.tool_call_id) == ("warmup", True, None)
    assert conversation.totals.agent_runs == 0


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        (lambda run: run.assistant("done"), "done"),
        (lambda run: run.failure("Overloaded"), "failed"),
        (lambda run: run.assistant("half").interrupt(), "interrupted"),
        (lambda run: run.tool("Bash", {"command": "ls"}), "unknown"),
        (lambda run: run.wait(1), "unknown"),
    ],
)
def test_without_a_result_the_rows_tell_how_a_run_ended(steps: Any, status: str) -> None:
    builder = SessionBuilder().user("go").agent("Look", "Look around", steps)
    builder.draft.items.pop()

    assert only_run(conversation_of(builder)).status == status


@pytest.mark.parametrize(
    ("call", "status"),
    [({"error": True}, "failed"), ({"denied": True}, "denied")],
)
def test_a_run_ends_as_its_call_does(call: dict[str, Any], status: str) -> None:
    builder = (
        SessionBuilder()
        .user("go")
        .tools(Call("Task", {"prompt": "List all files"}, "no", id="c", **call))
    )
    material = material_of(builder)
    material = material_of(builder, transcripts=(*material.transcripts, agent_file()))

    assert only_run(conversation_of(material)).status == status


def test_hundreds_of_agents_are_all_linked() -> None:
    agents = [
        Agent(f"Task {number}", f"prompt {number}", lambda run: run.assistant("ok"))
        for number in range(400)
    ]

    conversation = conversation_of(SessionBuilder().user("go").tools(*agents))

    assert len({run.tool_call_id for run in conversation.agent_runs}) == 400


def test_a_worktree_of_an_agent_is_told() -> None:
    metas = {"a1": AgentMeta(worktree_path="/repo/.claude/worktrees/agent-a1")}

    run = only_run(conversation_of(session_with(started(), agent_file(), metas=metas)))

    assert run.worktree_path == "/repo/.claude/worktrees/agent-a1"


def test_an_input_that_is_no_object_starts_nothing() -> None:
    odd = {"type": "tool_use", "id": "c", "name": "Task", "input": {"prompt": ["x"]}}
    rows = [prompt("p", None, "go"), answer("a", "p", [odd], 1)]

    run = only_run(conversation_of(session_with(rows, agent_file())))

    assert run.tool_call_id is None


def test_the_transcript_of_a_run_is_named_in_its_places() -> None:
    builder = looking()

    conversation = conversation_of(builder)

    files = {message.lines[0].file for message in conversation.messages}
    assert files == {f"{builder.session_id}.jsonl", f"agent-{builder.runs[0].id}.jsonl"}
    assert run_transcript(builder.runs[0]).agent_id == only_run(conversation).id
