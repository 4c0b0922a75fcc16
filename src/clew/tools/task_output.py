"""TaskOutput: what a background task has given so far."""

from typing import Any, Final

import msgspec

from clew.tools.tags import read_body, read_tag
from clew.tools.tool import Number, Tool


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


TASK_OUTPUT: Final = Tool(
    names=("TaskOutput", "AgentOutputTool", "BashOutputTool"),
    input=TaskOutputInput,
    result=TaskOutputResult,
    read_text=read_text,
)
