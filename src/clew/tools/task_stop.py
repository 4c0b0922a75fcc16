"""TaskStop: end a task in the background."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Part
from clew.tools.pieces import facts, options, words
from clew.tools.tool import Tool


class TaskStopInput(msgspec.Struct, frozen=True):
    """Which task; `shell_id` is its older name."""

    task_id: str = ""
    shell_id: str = ""


class TaskStopResult(msgspec.Struct, frozen=True):
    """What was ended."""

    message: str
    task_id: str = ""
    task_type: str = ""
    command: str = ""


def parts(_asked: object, result: TaskStopResult | None, call: ToolCall) -> Iterator[Part]:
    """Show what was ended."""
    yield from options(call)
    if result is None:
        return
    yield from words(result.message)
    yield from facts(("task", result.task_id), ("type", result.task_type))
    if result.command:
        yield Code(result.command, "bash", is_command=True)


TASK_STOP: Final = Tool(
    names=("TaskStop",),
    input=TaskStopInput,
    result=TaskStopResult,
    label=lambda asked, _: asked.task_id or asked.shell_id,
    label_result=lambda result, told: f"{told}: {result.command}" if result.command else told,
    parts=parts,
    json_text=True,
)
