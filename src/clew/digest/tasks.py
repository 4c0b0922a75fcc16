"""The last list of tasks in a session: of TodoWrite, or of the tools that replaced it."""

from collections.abc import Container, Iterable
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.digest.model import ListedTask
from clew.tools import (
    TaskCreateResult,
    TaskListResult,
    TaskUpdateInput,
    TodoWriteInput,
    decode_input,
    decode_result,
)

_DELETED: Final = "deleted"
_TOOLS: Final = ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskList")


class TaskList(msgspec.Struct, frozen=True):
    """A list of tasks, and when it was last changed or shown."""

    items: tuple[ListedTask, ...] = ()
    at: str = ""


def last_tasks(calls: Iterable[ToolCall], main: Container[str]) -> TaskList:
    """Return the list as it was last, from the calls of the main thread in their order."""
    tasks: dict[str, ListedTask] = {}
    at = ""
    for call in calls:
        if call.tool not in _TOOLS or call.status != "done" or call.message_id not in main:
            continue
        at = call.started_at
        arguments = decode_input(call.tool, bytes(call.input))
        if isinstance(arguments, TodoWriteInput):
            if not isinstance(arguments.todos, str):
                todos = enumerate(arguments.todos)
                tasks = {f"todo {place}": ListedTask(t.content, t.status) for place, t in todos}
        else:
            _change(tasks, call, arguments)
    return TaskList(tuple(tasks.values()), at)


def _change(tasks: dict[str, ListedTask], call: ToolCall, arguments: object) -> None:
    """Apply a call of one of the tools that change a list task by task."""
    result = decode_result(call.tool, bytes(call.result), call.result_text, arguments)
    if isinstance(arguments, TaskUpdateInput):
        known = tasks.get(arguments.task_id)
        if arguments.status == _DELETED:
            tasks.pop(arguments.task_id, None)
        elif known is not None or arguments.subject:
            before = known or ListedTask("")
            tasks[arguments.task_id] = ListedTask(
                arguments.subject or before.text, arguments.status or before.status
            )
    elif isinstance(result, TaskCreateResult):
        subject = result.task.subject or str(getattr(arguments, "subject", ""))
        tasks[result.task.id] = ListedTask(subject, result.task.status or "pending")
    elif isinstance(result, TaskListResult):
        tasks.clear()
        tasks.update({task.id: ListedTask(task.subject, task.status) for task in result.tasks})
