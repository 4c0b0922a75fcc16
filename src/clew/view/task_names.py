"""Subjects of tasks that later calls name by number alone."""

from collections.abc import Iterable
from typing import Final

from clew.conversation import ToolCall
from clew.tools import TaskCreateResult, TaskUpdateInput, decode_call

_TOOLS: Final = ("TaskCreate", "TaskUpdate")


def name_tasks(calls: Iterable[ToolCall]) -> dict[str, str]:
    """Return the subject of the task that a call changes, by the call's id."""
    subjects: dict[str, str] = {}
    named: dict[str, str] = {}
    for call in calls:
        if call.tool not in _TOOLS:
            continue
        match decode_call(call):
            case _, TaskCreateResult(task=task):
                subjects[task.id] = task.subject
            case TaskUpdateInput(task_id=number, subject=""), _ if number in subjects:
                named[call.id] = subjects[number]
            case TaskUpdateInput(task_id=number, subject=subject), _ if subject:
                subjects[number] = subject
            case _:
                pass
    return named
