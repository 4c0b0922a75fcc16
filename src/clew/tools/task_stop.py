"""TaskStop: end a task in the background."""

from typing import Final

import msgspec

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


TASK_STOP: Final = Tool(
    names=("TaskStop",), input=TaskStopInput, result=TaskStopResult, json_text=True
)
