from typing import Any

import msgspec
import pytest

from clew.entries.sidecars import (
    AgentMeta,
    WorkflowRecord,
    decode_meta,
    decode_title,
    decode_workflow,
)

META = {
    "agentType": "Explore",
    "description": "look around",
    "toolUseId": "toolu_1",
    "parentAgentId": "a0",
    "spawnDepth": 1,
    "name": "w1",
    "taskKind": "in_process_teammate",
    "teamName": "team",
    "color": "blue",
}


def test_an_agents_meta_file_links_it_to_its_call() -> None:
    meta = decode_meta(msgspec.json.encode(META))

    assert (meta.tool_use_id, meta.parent_agent_id, meta.spawn_depth) == ("toolu_1", "a0", 1)
    assert (meta.agent_type, meta.team_name, meta.color) == ("Explore", "team", "blue")


def test_a_workflows_record_tells_of_its_agents() -> None:
    progress = [{"type": "workflow_agent", "agentId": "a1", "tokens": 7}]
    record = {"runId": "wf_1", "status": "completed", "workflowProgress": progress}

    workflow = decode_workflow(msgspec.json.encode(record))

    assert (workflow.run_id, workflow.status) == ("wf_1", "completed")
    assert [(agent.agent_id, agent.tokens) for agent in workflow.workflow_progress] == [("a1", 7)]


def test_a_title_file_holds_a_title() -> None:
    assert decode_title(b'{"customTitle":"Mine"}') == "Mine"
    assert decode_title(b'{"customTitle":null}') == ""


@pytest.mark.parametrize("field", sorted(META))
def test_a_misfit_costs_that_field_alone(field: str) -> None:
    meta = decode_meta(msgspec.json.encode({**META, field: [[]]}))

    kept = [name for name in META if name != field]
    same = decode_meta(msgspec.json.encode({name: META[name] for name in kept}))
    assert meta == same


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b"{",
        b"\x00",
        b"\xff",
        b"[" * 100_000,
        b'{"a":' * 990 + b"1" + b"}" * 990,
    ],
)
def test_a_file_that_is_no_record_tells_nothing(raw: bytes) -> None:
    assert decode_meta(raw) == AgentMeta()
    assert decode_workflow(raw) == WorkflowRecord()
    assert decode_title(raw) == ""


def test_a_file_with_too_many_misfits_tells_nothing() -> None:
    record = {"runId": "wf_1", "workflowProgress": [{"tokens": "many"}] * 100}

    assert decode_workflow(msgspec.json.encode(record)) == WorkflowRecord()


@pytest.mark.parametrize("value", [10**30, "many", None])
def test_a_number_that_is_none_is_left_out(value: Any) -> None:
    record = {"totalTokens": value, "runId": "wf_1"}

    workflow = decode_workflow(msgspec.json.encode(record))

    assert (workflow.total_tokens, workflow.run_id) == (None, "wf_1")
