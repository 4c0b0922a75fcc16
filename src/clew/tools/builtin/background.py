"""BashOutput, KillShell, TaskOutput and TaskStop: commands and agents in the background."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Part
from clew.tools.display import (
    exit_note,
    exit_state,
    failed_state,
    fields,
    fold,
    input_fields,
    json_value,
    output,
    prose,
    words,
)
from clew.tools.result_text import read_body, read_tag
from clew.tools.tool import CallState, Number, Tool


class BashOutputInput(msgspec.Struct, frozen=True):
    """Which shell, a pattern that lines must match, and how long to wait for output."""

    bash_id: str
    filter: str = ""
    block: bool | None = None
    wait_up_to: Number | None = None


class BashOutputResult(msgspec.Struct, frozen=True, rename="camel"):
    """The new output; a running command has no exit code."""

    status: str
    shell_id: str = ""
    command: str = ""
    stdout: str = ""
    stderr: str = ""
    stdout_lines: Number | None = None
    stderr_lines: Number | None = None
    exit_code: int | None = None
    timestamp: str = ""
    filter_pattern: str = ""


def _read_shell(arguments: BashOutputInput, text: str) -> BashOutputResult | None:
    """Read the tags; those after `stdout` are searched after it, as output may quote them."""
    head, stdout_tag, _ = text.partition("<stdout>")
    status = read_tag(head, "status")
    if status is None:
        return None
    tail = text[text.rfind("</stdout>") :] if stdout_tag else text
    return BashOutputResult(
        status,
        arguments.bash_id,
        stdout=read_body(text, "stdout"),
        stderr=read_body(tail, "stderr"),
        exit_code=_exit_code(head),
        timestamp=read_tag(tail, "timestamp") or "",
    )


def _exit_code(head: str) -> int | None:
    digits = (read_tag(head, "exit_code") or "")[:9]
    return int(digits) if digits.isdecimal() else None


def _shell_parts(
    _arguments: object, result: BashOutputResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the command, its new output and its status."""
    yield from input_fields(call)
    if result is None:
        return
    if result.command:
        yield Code(result.command, "bash", is_command=True)
    yield from output(result.stdout)
    yield from output(result.stderr, "stderr", is_error=True)
    yield from exit_note(result.exit_code)
    yield from fields(
        ("Status", result.status), ("Filter", result.filter_pattern), ("Time", result.timestamp)
    )


def _shell_state(result: BashOutputResult) -> CallState:
    return exit_state(result.status, result.exit_code)


BASH_OUTPUT: Final = Tool(
    names=("BashOutput",),
    input=BashOutputInput,
    result=BashOutputResult,
    label=lambda arguments, _: arguments.bash_id,
    label_result=lambda result, label: f"{label}: {result.command}" if result.command else label,
    parts=_shell_parts,
    state=_shell_state,
    read_text=_read_shell,
)


class KillShellInput(msgspec.Struct, frozen=True):
    """Which shell."""

    shell_id: str


class KillShellResult(msgspec.Struct, frozen=True):
    """The confirmation; only old clients write `success`."""

    message: str
    shell_id: str = ""
    success: bool | None = None


def _kill_parts(_shell: object, result: KillShellResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the confirmation."""
    yield from input_fields(call)
    if result is not None:
        yield from words(result.message)


KILL_SHELL: Final = Tool(
    names=("KillShell", "KillBash"),
    input=KillShellInput,
    result=KillShellResult,
    label=lambda shell, _: shell.shell_id,
    parts=_kill_parts,
    state=lambda result: failed_state(result.success is False),
    json_text=True,
)


class TaskOutputInput(msgspec.Struct, frozen=True):
    """Which task, and how long to wait for it; an older tool says `agentId`."""

    task_id: str = ""
    block: bool | None = None
    timeout_ms: Number | None = msgspec.field(default=None, name="timeout")
    agent_id: str = msgspec.field(default="", name="agentId")
    wait_up_to: Number | None = None


class BackgroundTask(msgspec.Struct, frozen=True):
    """A command or agent run in the background, and its status."""

    task_id: str
    task_type: str = ""
    status: str = ""
    description: str = ""
    output: str = ""
    exit_code: int | None = msgspec.field(default=None, name="exitCode")
    prompt: str = ""
    result: str = ""
    error: str = ""


class TaskOutputResult(msgspec.Struct, frozen=True):
    """`retrieval_status` is success, timeout or not_ready."""

    retrieval_status: str
    task: BackgroundTask | None = None
    agents: Any = None


def _read_output(_arguments: object, text: str) -> TaskOutputResult | None:
    """Read the tags; those before the output are the client's, those inside it may be quoted."""
    head, _, _ = text.partition("<output>")
    status = read_tag(head, "retrieval_status")
    task_id = read_tag(head, "task_id")
    if status is None:
        return None
    return TaskOutputResult(status, None if task_id is None else _task(task_id, head, text))


def _task(task_id: str, head: str, text: str) -> BackgroundTask:
    return BackgroundTask(
        task_id,
        read_tag(head, "task_type") or "",
        read_tag(head, "status") or "",
        output=read_body(text, "output"),
        exit_code=_exit_code(head),
    )


def _output_parts(
    _arguments: object, result: TaskOutputResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the status and the output of the task."""
    yield from input_fields(call)
    if result is None:
        return
    task = result.task or BackgroundTask("")
    yield from fields(
        ("Retrieval status", result.retrieval_status),
        ("Task", task.task_id),
        ("Type", task.task_type),
        ("Status", task.status),
        ("Description", task.description),
    )
    yield from _task_parts(task)
    yield from json_value(result.agents)


def _task_parts(task: BackgroundTask) -> Iterator[Part]:
    yield from fold("Prompt", prose(task.prompt))
    if task.result and task.result != task.output:
        yield from prose(task.result)
    yield from output(task.output)
    yield from output(task.error, "Error", is_error=True)
    yield from exit_note(task.exit_code)


def _task_label(result: TaskOutputResult, label: str) -> str:
    """Add the description: an id says nothing to a reader."""
    description = result.task.description if result.task is not None else ""
    return f"{label}: {description}" if description else label


def _task_state(result: TaskOutputResult) -> CallState:
    if result.task is None:
        return ("", "") if result.retrieval_status == "success" else (result.retrieval_status, "")
    return exit_state(result.task.status, result.task.exit_code)


TASK_OUTPUT: Final = Tool(
    names=("TaskOutput", "AgentOutputTool", "BashOutputTool"),
    input=TaskOutputInput,
    result=TaskOutputResult,
    label=lambda arguments, _: arguments.task_id or arguments.agent_id,
    label_result=_task_label,
    parts=_output_parts,
    state=_task_state,
    read_text=_read_output,
)


class TaskStopInput(msgspec.Struct, frozen=True):
    """Which task; `shell_id` is its older name."""

    task_id: str = ""
    shell_id: str = ""


class TaskStopResult(msgspec.Struct, frozen=True):
    """The task that was stopped."""

    message: str
    task_id: str = ""
    task_type: str = ""
    command: str = ""


def _stop_parts(
    _arguments: object, result: TaskStopResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the task that was stopped."""
    yield from input_fields(call)
    if result is None:
        return
    yield from words(result.message)
    yield from fields(("Task", result.task_id), ("Type", result.task_type))
    if result.command:
        yield Code(result.command, "bash", is_command=True)


TASK_STOP: Final = Tool(
    names=("TaskStop",),
    input=TaskStopInput,
    result=TaskStopResult,
    label=lambda arguments, _: arguments.task_id or arguments.shell_id,
    label_result=lambda result, label: f"{label}: {result.command}" if result.command else label,
    parts=_stop_parts,
    json_text=True,
)
