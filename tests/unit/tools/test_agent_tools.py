"""Agent, SendMessage, teams, Workflow, Skill, SlashCommand, ListAgents and Batch."""

from typing import Any

import msgspec
import pytest

from clew.tools import decode_input, decode_result
from clew.tools.builtin.agent import (
    AgentCacheCreation,
    AgentInput,
    AgentResult,
    AgentToolStats,
    AgentUsage,
)
from clew.tools.builtin.skills import SkillInput, SkillResult, SlashCommandInput
from clew.tools.builtin.teams import (
    ListAgentsInput,
    Routing,
    SendMessageInput,
    SendMessageResult,
    TeamCreateInput,
    TeamCreateResult,
    TeamDeleteInput,
    TeamDeleteResult,
    TeamMessage,
)
from clew.tools.builtin.workflow import (
    BatchInput,
    BatchResult,
    BatchToolResult,
    Invocation,
    WorkflowInput,
    WorkflowResult,
)
from clew.tools.display.blocks import ResultBlock
from clew.tools.fallback import UntypedResult

TASK = {"description": "Count", "prompt": "Count files"}
DONE = ResultBlock("text", "Three.")

INPUTS = [
    (
        "Task",
        {**TASK, "subagent_type": "Explore", "run_in_background": True},
        AgentInput("Count files", "Count", "Explore", run_in_background=True),
    ),
    (
        "Agent",
        {**TASK, "name": "ann", "team_name": "t", "isolation": "worktree", "effort": "low"},
        AgentInput(
            "Count files", "Count", name="ann", team_name="t", isolation="worktree", effort="low"
        ),
    ),
    (
        "SendMessage",
        {"to": "ann", "message": {"type": "shutdown_request", "reason": "late"}},
        SendMessageInput("ann", TeamMessage("shutdown_request", reason="late")),
    ),
    (
        "SendMessage",
        {"type": "message", "recipient": "ann", "content": "hi", "summary": "greeting"},
        SendMessageInput(type="message", recipient="ann", content="hi", summary="greeting"),
    ),
    ("TeamCreate", {"team_name": "t", "description": "d"}, TeamCreateInput("t", "d")),
    ("TeamDelete", {}, TeamDeleteInput()),
    ("ListAgents", {"q": "ann"}, ListAgentsInput(q="ann")),
    (
        "Workflow",
        {"scriptPath": "/w/f.js", "args": {"n": [1]}},
        WorkflowInput(script_path="/w/f.js", args={"n": [1]}),
    ),
    ("Skill", {"skill": "pirate", "args": "ahoy"}, SkillInput("pirate", "ahoy")),
    ("Skill", {"command": "pirate"}, SkillInput(command="pirate")),
    ("SlashCommand", {"command": "/review 3"}, SlashCommandInput("/review 3")),
    (
        "Batch",
        {"description": "Two", "invocations": [{"tool_name": "LS", "input": {"path": "/"}}]},
        BatchInput((Invocation("LS", {"path": "/"}),), "Two"),
    ),
]

RESULTS = [
    (
        "Task",
        {
            "content": [{"type": "text", "text": "Three."}],
            "totalDurationMs": 9,
            "totalTokens": 7,
            "totalToolUseCount": 1,
            "usage": {
                "input_tokens": 1,
                "output_tokens": 2,
                "service_tier": None,
                "cache_creation": {"ephemeral_1h_input_tokens": 3},
            },
            "wasInterrupted": False,
        },
        AgentResult(
            content=(DONE,),
            total_duration_ms=9,
            total_tokens=7,
            total_tool_use_count=1,
            usage=AgentUsage(1, 2, cache_creation=AgentCacheCreation(0, 3)),
        ),
    ),
    (
        "Agent",
        {
            "status": "completed",
            "agentId": "a1",
            "agentType": "Explore",
            "content": [],
            "toolStats": {"readCount": 2, "linesAdded": 5},
            "toolsUsed": ["Read"],
        },
        AgentResult(
            "completed",
            agent_id="a1",
            agent_type="Explore",
            tool_stats=AgentToolStats(2, lines_added=5),
            tools_used=("Read",),
        ),
    ),
    (
        "Agent",
        {"status": "teammate_spawned", "prompt": "p", "agent_id": "ann@t", "team_name": "t"},
        AgentResult("teammate_spawned", prompt="p", teammate_agent_id="ann@t", team_name="t"),
    ),
    (
        "SendMessage",
        {"success": True, "message": "sent", "routing": {"sender": "lead", "targetColor": "red"}},
        SendMessageResult(
            success=True, message="sent", routing=Routing("lead", target_color="red")
        ),
    ),
    (
        "TeamCreate",
        {"team_name": "t", "team_file_path": "/t.json", "lead_agent_id": "lead@t"},
        TeamCreateResult("t", "/t.json", "lead@t"),
    ),
    (
        "TeamDelete",
        {"success": True, "message": "gone"},
        TeamDeleteResult(success=True, message="gone"),
    ),
    ("ListAgents", {"agents": []}, UntypedResult({"agents": []})),
    (
        "Workflow",
        {"status": "async_launched", "taskId": "w1", "runId": "wf_1", "transcriptDir": "/d"},
        WorkflowResult("async_launched", "w1", run_id="wf_1", transcript_dir="/d"),
    ),
    (
        "Skill",
        {"success": True, "commandName": "pirate", "allowedTools": ["Read"]},
        SkillResult(success=True, command_name="pirate", allowed_tools=("Read",)),
    ),
    (
        "Batch",
        {
            "orderedToolResults": [{"key": "k", "message": {"type": "user"}}],
            "normalizedMessages": [{"type": "assistant"}],
            "totalToolCalls": 1,
        },
        BatchResult(
            (BatchToolResult("k", {"type": "user"}),), ({"type": "assistant"},), total_tool_calls=1
        ),
    ),
]

FACTS = "<usage>total_tokens: 70\ntool_uses: 2\nduration_ms: 900</usage>"
TEXTS = [
    (
        "Task",
        TASK,
        (
            f"agentId: quoted\nThree.\nagentId: a1b2 (for resuming)\nworktreePath: /w/t\n"
            f"worktreeBranch: side\n{FACTS}"
        ),
        AgentResult(
            "completed",
            (ResultBlock("text", "agentId: quoted\nThree."),),
            "a1b2",
            prompt="Count files",
            total_tokens=70,
            total_tool_use_count=2,
            total_duration_ms=900,
            worktree_path="/w/t",
            worktree_branch="side",
        ),
    ),
    ("Task", TASK, "Three.", AgentResult("completed", (DONE,), prompt="Count files")),
    (
        "Agent",
        TASK,
        (
            "[Subagent hand-back] Model output. The report follows:\n  Three.\n  - a\n"
            f"agentId: a1 (more)\n{FACTS.replace('total_tokens', 'subagent_tokens')}"
        ),
        AgentResult(
            "completed",
            (ResultBlock("text", "Three.\n- a"),),
            "a1",
            prompt="Count files",
            total_tokens=70,
            total_tool_use_count=2,
            total_duration_ms=900,
        ),
    ),
    (
        "Agent",
        TASK,
        "Async agent launched successfully.\nagentId: a1 (internal)\noutput_file: /t/a1.output\n",
        AgentResult(
            "async_launched",
            agent_id="a1",
            description="Count",
            prompt="Count files",
            is_async=True,
            output_file="/t/a1.output",
        ),
    ),
    (
        "Agent",
        {**TASK, "team_name": "t"},
        "Spawned successfully.\nagent_id: ann@t\nname: ann\nIt is running.",
        AgentResult(
            "teammate_spawned",
            prompt="Count files",
            name="ann",
            team_name="t",
            teammate_agent_id="ann@t",
        ),
    ),
    (
        "SendMessage",
        {"to": "ann", "message": "hi"},
        '{"success":true,"message":"sent"}',
        SendMessageResult(success=True, message="sent"),
    ),
    (
        "Workflow",
        {"script": "x"},
        (
            "Workflow launched in background. Task ID: w1\nSummary: Two\nTranscript dir: /d\n"
            "Script file: /f.js\nRun ID: wf_1\n"
        ),
        WorkflowResult(
            "async_launched",
            "w1",
            run_id="wf_1",
            summary="Two",
            transcript_dir="/d",
            script_path="/f.js",
        ),
    ),
    (
        "Skill",
        {"skill": "pirate"},
        "Launching skill: pirate",
        SkillResult(success=True, command_name="pirate"),
    ),
]


@pytest.mark.parametrize(("name", "value", "expected"), INPUTS)
def test_input_is_typed(name: str, value: Any, expected: object) -> None:
    assert decode_input(name, msgspec.json.encode(value)) == expected


@pytest.mark.parametrize(("name", "value", "expected"), RESULTS)
def test_result_is_typed(name: str, value: Any, expected: object) -> None:
    assert decode_result(name, msgspec.json.encode(value), "", None) == expected


@pytest.mark.parametrize(("name", "value", "text", "expected"), TEXTS)
def test_result_is_read_from_text(name: str, value: Any, text: str, expected: object) -> None:
    arguments = decode_input(name, msgspec.json.encode(value))

    assert decode_result(name, b"", text, arguments) == expected


def test_a_teammate_in_the_same_process_has_an_agent_id() -> None:
    text = "Spawned successfully.\nagent_id: aann-09f9\nname: ann"

    result = decode_result("Agent", b"", text, AgentInput("p"))

    assert isinstance(result, AgentResult)
    assert result.agent_id == "aann-09f9"


def test_an_object_of_another_kind_is_no_agent_result() -> None:
    result = decode_result("Agent", b'{"stdout":"a"}', "a", AgentInput("p"))

    assert isinstance(result, UntypedResult)
    assert result.value == {"stdout": "a"}
