"""TaskOutput: what a background task has given so far."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.pieces import encoded, exit_note, exit_state, facts, fold, options, output, prose
from clew.tools.tags import read_body, read_tag
from clew.tools.tool import Number, Standing, Tool


class TaskOutputInput(msgspec.Struct, frozen=True):
    """Which task, and how long to wait for it; an older tool says `agentId`."""

    task_id: str = ""
    block: bool | None = None
    timeout_ms: Number | None = msgspec.field(default=None, name="timeout")
    agent_id: str = msgspec.field(default="", name="agentId")
    wait_up_to: Number | None = None


class BackgroundTask(msgspec.Struct, frozen=True):
    """A command or agent run in the background, as it stood."""

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


def read_text(_arguments: object, text: str) -> TaskOutputResult | None:
    """Read the tags; those before the output are the client's, those in it may be anyone's."""
    head, _, _ = text.partition("<output>")
    status = read_tag(head, "retrieval_status")
    task_id = read_tag(head, "task_id")
    if status is None:
        return None
    return TaskOutputResult(status, None if task_id is None else _task(task_id, head, text))


def _task(task_id: str, head: str, text: str) -> BackgroundTask:
    exit_code = (read_tag(head, "exit_code") or "")[:9]
    return BackgroundTask(
        task_id,
        read_tag(head, "task_type") or "",
        read_tag(head, "status") or "",
        output=read_body(text, "output"),
        exit_code=int(exit_code) if exit_code.isdecimal() else None,
    )


def parts(_asked: object, result: TaskOutputResult | None, call: ToolCall) -> Iterator[Part]:
    """Show how the task stands, and what it gave."""
    yield from options(call)
    if result is None:
        return
    task = result.task or BackgroundTask("")
    yield from facts(
        ("retrieval", result.retrieval_status),
        ("task", task.task_id),
        ("type", task.task_type),
        ("status", task.status),
        ("description", task.description),
    )
    yield from _task_parts(task)
    yield from encoded(result.agents)


def _task_parts(task: BackgroundTask) -> Iterator[Part]:
    yield from fold("prompt", prose(task.prompt))
    if task.result and task.result != task.output:
        yield from prose(task.result)
    yield from output(task.output)
    yield from output(task.error, "error", is_error=True)
    yield from exit_note(task.exit_code)


def _named(result: TaskOutputResult, told: str) -> str:
    """Say what the task is about: its id says nothing to a reader."""
    description = result.task.description if result.task is not None else ""
    return f"{told}: {description}" if description else told


def _state(result: TaskOutputResult) -> Standing:
    if result.task is None:
        return ("", "") if result.retrieval_status == "success" else (result.retrieval_status, "")
    return exit_state(result.task.status, result.task.exit_code)


TASK_OUTPUT: Final = Tool(
    names=("TaskOutput", "AgentOutputTool", "BashOutputTool"),
    input=TaskOutputInput,
    result=TaskOutputResult,
    label=lambda asked, _: asked.task_id or asked.agent_id,
    label_result=_named,
    parts=parts,
    state=_state,
    read_text=read_text,
)
