"""Bash, PowerShell, BashOutput, KillShell, TaskOutput, TaskStop and Monitor."""

from typing import Any

import msgspec
import pytest

from clew.tools import BashResult, decode_input, decode_result
from clew.tools.builtin.background import (
    BackgroundTask,
    BashOutputInput,
    BashOutputResult,
    KillShellInput,
    KillShellResult,
    TaskOutputInput,
    TaskOutputResult,
    TaskStopInput,
    TaskStopResult,
)
from clew.tools.builtin.schedule import MonitorInput, MonitorResult, WebSocket
from clew.tools.builtin.shell import BashInput, GitOperation, GitPush

INPUTS = [
    (
        "Bash",
        {"command": "ls", "description": "List", "timeout": 5000, "run_in_background": True},
        BashInput("ls", "List", 5000, run_in_background=True),
    ),
    ("Bash", {"command": "ls", "timeout": None}, BashInput("ls")),
    (
        "Bash",
        {"command": "ls", "dangerouslyDisableSandbox": True},
        BashInput("ls", dangerously_disable_sandbox=True),
    ),
    ("PowerShell", {"command": "dir", "timeout": "5000"}, BashInput("dir", timeout_ms=5000)),
    ("BashOutput", {"bash_id": "b1", "filter": "err"}, BashOutputInput("b1", "err")),
    ("KillShell", {"shell_id": "b1"}, KillShellInput("b1")),
    ("KillBash", {"shell_id": "b1"}, KillShellInput("b1")),
    (
        "TaskOutput",
        {"task_id": "b1", "block": True, "timeout": 30000},
        TaskOutputInput("b1", block=True, timeout_ms=30000),
    ),
    ("AgentOutputTool", {"agentId": "a1"}, TaskOutputInput(agent_id="a1")),
    ("TaskStop", {"task_id": "b1"}, TaskStopInput("b1")),
    (
        "Monitor",
        {"description": "Log", "ws": {"url": "wss://x"}, "timeout_ms": 1000},
        MonitorInput("Log", ws=WebSocket("wss://x"), timeout_ms=1000),
    ),
]

RESULTS = [
    (
        "Bash",
        {"stdout": "a", "stderr": "b", "interrupted": True, "isImage": False},
        BashResult("a", "b", interrupted=True),
    ),
    (
        "Bash",
        {"stdout": "a", "persistedOutputPath": "/t/b1.txt", "persistedOutputSize": 90000},
        BashResult("a", persisted_output_path="/t/b1.txt", persisted_output_bytes=90000),
    ),
    (
        "Bash",
        {"stdout": "", "gitOperation": {"push": {"branch": "main"}}, "backgroundTaskId": "b1"},
        BashResult("", background_task_id="b1", git_operation=GitOperation(push=GitPush("main"))),
    ),
    ("PowerShell", {"stdout": "a", "stderr": "", "interrupted": False}, BashResult("a")),
    (
        "BashOutput",
        {"shellId": "b1", "command": "x", "status": "running", "exitCode": None, "stdoutLines": 1},
        BashOutputResult("running", "b1", "x", stdout_lines=1),
    ),
    ("KillShell", {"message": "gone", "shell_id": "b1"}, KillShellResult("gone", "b1")),
    (
        "TaskOutput",
        {
            "retrieval_status": "success",
            "task": {"task_id": "b1", "task_type": "local_bash", "status": "failed", "exitCode": 2},
        },
        TaskOutputResult("success", BackgroundTask("b1", "local_bash", "failed", exit_code=2)),
    ),
    ("TaskOutput", {"retrieval_status": "timeout", "task": None}, TaskOutputResult("timeout")),
    (
        "TaskStop",
        {"message": "stopped", "task_id": "b1", "task_type": "local_bash", "command": "x"},
        TaskStopResult("stopped", "b1", "local_bash", "x"),
    ),
    (
        "Monitor",
        {"taskId": "b1", "timeoutMs": 1000, "persistent": False},
        MonitorResult("b1", 1000),
    ),
]

TEXTS = [
    ("Bash", {"command": "ls"}, "a\nb", BashResult("a\nb")),
    ("Bash", {"command": "ls"}, "(Bash completed with no output)", BashResult("")),
    (
        "Bash",
        {"command": "x &"},
        (
            "Command running in background with ID: b2b. "
            "Output is being written to: /t/tasks/b2b.output. You will be notified."
        ),
        BashResult("", background_task_id="b2b", output_path="/t/tasks/b2b.output"),
    ),
    (
        "Bash",
        {"command": "x"},
        "Command was manually backgrounded by user with ID: b3",
        BashResult("", background_task_id="b3", backgrounded_by_user=True),
    ),
    (
        "PowerShell",
        {"command": "x"},
        (
            "Command did not complete within its 120s timeout and was moved to the background "
            "(ID: b4). Keep working."
        ),
        BashResult("", background_task_id="b4"),
    ),
    (
        "Bash",
        {"command": "seq 9"},
        (
            "<persisted-output>\nOutput too large (2KB). Full output saved to: /t/x.txt\n\n"
            "Preview (first 2KB):\n1\n2\n...\n</persisted-output>"
        ),
        BashResult("1\n2", persisted_output_path="/t/x.txt", persisted_output_bytes=2048),
    ),
    (
        "BashOutput",
        {"bash_id": "b1"},
        (
            "<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<stdout>\na</stderr>\n</stdout>"
            "\n\n<stderr>\nb\n</stderr>\n\n<timestamp>2026-01-01T00:00:00Z</timestamp>"
        ),
        BashOutputResult(
            "completed",
            "b1",
            stdout="a</stderr>",
            stderr="b",
            exit_code=0,
            timestamp="2026-01-01T00:00:00Z",
        ),
    ),
    (
        "BashOutput",
        {"bash_id": "b1"},
        "<status>running</status>\n\n<stderr>\nb\n</stderr>",
        BashOutputResult("running", "b1", stderr="b"),
    ),
    (
        "KillShell",
        {"shell_id": "b1"},
        '{"message":"gone","shell_id":"b1"}',
        KillShellResult("gone", "b1"),
    ),
    (
        "TaskOutput",
        {"task_id": "b1"},
        (
            "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n"
            "<task_type>local_bash</task_type>\n\n<status>failed</status>\n\n"
            "<exit_code>1</exit_code>\n\n<output>\nno </output> here\n</output>"
        ),
        TaskOutputResult(
            "success",
            BackgroundTask("b1", "local_bash", "failed", "", "no </output> here", 1),
        ),
    ),
    (
        "TaskStop",
        {"task_id": "b1"},
        '{"message":"stopped","task_id":"b1"}',
        TaskStopResult("stopped", "b1"),
    ),
    (
        "Monitor",
        {"command": "tail"},
        "Monitor started (task b1, timeout 600000ms). You will be notified.",
        MonitorResult("b1", 600000),
    ),
    (
        "Monitor",
        {"command": "tail"},
        "Monitor started (task b1, persistent — runs until the end).",
        MonitorResult("b1", persistent=True),
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
