"""TaskCreate, TaskUpdate, TaskList and TaskGet: the task list that replaced to-dos."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import CheckItem, Checklist, Note, Part
from clew.tools.display import check_state, describe_change, failed_state, input_fields, note, prose
from clew.tools.tool import Tool

_CREATED: Final = re.compile(r"Task #(\S{1,100}) created successfully: ([^\n]*)")
_UPDATED: Final = re.compile(r"Updated task #(\S{1,100})(?: ([^\n]{0,400}))?")
_LISTED: Final = re.compile(r"#(\S{1,100}) \[(\w{1,40})\] ([^\n]*)")
_BLOCKED: Final = re.compile(r" \[blocked by (#[^\[\]\n]{1,4000})\]$")
_SHOWN: Final = re.compile(r"Task #(\S{1,100}): ([^\n]*)\nStatus: (\w{1,40})\nDescription: ")
_LINKS: Final = re.compile(r"(Blocked by|Blocks): (#[^\n]{1,4000})")


class TaskCreateInput(msgspec.Struct, frozen=True):
    """The new task."""

    subject: str
    description: str = ""
    active_form: str = msgspec.field(default="", name="activeForm")
    metadata: Any = None


class TaskUpdateInput(msgspec.Struct, frozen=True, rename="camel"):
    """Which task, and its changes."""

    task_id: str
    status: str = ""
    subject: str = ""
    description: str = ""
    active_form: str = ""
    owner: str = ""
    add_blocks: tuple[str, ...] = ()
    add_blocked_by: tuple[str, ...] = ()
    metadata: Any = None


class TaskGetInput(msgspec.Struct, frozen=True, rename="camel"):
    """Which task."""

    task_id: str


class TaskListInput(msgspec.Struct, frozen=True):
    """Nothing."""


class TaskItem(msgspec.Struct, frozen=True, rename="camel"):
    """One task of the list."""

    id: str
    subject: str = ""
    status: str = ""
    description: str = ""
    owner: str = ""
    blocks: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()


class StatusChange(msgspec.Struct, frozen=True):
    """A task's status before and after."""

    old: str = msgspec.field(default="", name="from")
    new: str = msgspec.field(default="", name="to")


class TaskCreateResult(msgspec.Struct, frozen=True):
    """The new task."""

    task: TaskItem


class TaskUpdateResult(msgspec.Struct, frozen=True, rename="camel"):
    """Which fields have changed."""

    success: bool
    task_id: str = ""
    updated_fields: tuple[str, ...] = ()
    status_change: StatusChange | None = None
    error: str = ""
    verification_nudge_needed: bool = False


class TaskListResult(msgspec.Struct, frozen=True):
    """All tasks."""

    tasks: tuple[TaskItem, ...]


class TaskGetResult(msgspec.Struct, frozen=True):
    """The task, or none of that id."""

    task: TaskItem | None


def _read_created(arguments: TaskCreateInput, text: str) -> TaskCreateResult | None:
    """Read the new task's id."""
    match = _CREATED.match(text)
    if match is None:
        return None
    return TaskCreateResult(TaskItem(match[1], match[2], description=arguments.description))


def _read_updated(_arguments: object, text: str) -> TaskUpdateResult | None:
    """Read the names of the changed fields."""
    match = _UPDATED.match(text)
    if match is None:
        return None
    fields = (name.strip() for name in (match[2] or "").split(","))
    return TaskUpdateResult(
        success=True, task_id=match[1], updated_fields=tuple(filter(None, fields))
    )


def _read_list(_arguments: object, text: str) -> TaskListResult | None:
    """Read one task a line; an owner stays in the subject, which may end in brackets too."""
    if text.startswith("No tasks found"):
        return TaskListResult(())
    items = [_listed(line) for line in text.split("\n") if line]
    tasks = tuple(item for item in items if item is not None)
    return TaskListResult(tasks) if tasks and len(tasks) == len(items) else None


def _read_task(_arguments: object, text: str) -> TaskGetResult | None:
    """Read a task; its description ends where the links to other tasks begin."""
    if text.startswith("Task not found"):
        return TaskGetResult(None)
    match = _SHOWN.match(text)
    if match is None:
        return None
    lines = text[match.end() :].split("\n")
    links: dict[str, tuple[str, ...]] = {}
    while lines and (link := _LINKS.fullmatch(lines[-1])):
        links[link[1]] = _ids(link[2])
        lines.pop()
    return TaskGetResult(
        TaskItem(
            match[1],
            match[2],
            match[3],
            "\n".join(lines),
            blocks=links.get("Blocks", ()),
            blocked_by=links.get("Blocked by", ()),
        )
    )


def _listed(line: str) -> TaskItem | None:
    match = _LISTED.fullmatch(line)
    if match is None:
        return None
    blocked = _BLOCKED.search(match[3])
    if blocked is None:
        return TaskItem(match[1], match[3], match[2])
    subject = match[3][: blocked.start()]
    return TaskItem(match[1], subject, match[2], blocked_by=_ids(blocked[1]))


def _ids(text: str) -> tuple[str, ...]:
    return tuple(part.strip().removeprefix("#") for part in text.split(",") if part.strip())


def _update_label(task: TaskUpdateInput, _cwd: str) -> str:
    changes = (
        task.status,
        _task_numbers("blocked by", task.add_blocked_by),
        _task_numbers("blocks", task.add_blocks),
        task.subject,
        f"owner {task.owner}" if task.owner else "",
    )
    return f"{task.task_id}: {', '.join(change for change in changes if change)}".rstrip(": ")


def _create_parts(
    task: TaskCreateInput, result: TaskCreateResult | None, call: ToolCall
) -> Iterator[Part]:
    number = "" if result is None else f"#{result.task.id}"
    yield Checklist((CheckItem(task.subject, "open", number, "new"),))
    yield from prose(task.description)
    yield from input_fields(call, "subject", "description")


def _update_parts(
    task: TaskUpdateInput, result: TaskUpdateResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the task and its changes; its subject is known only if it changed."""
    changed = None if result is None else result.status_change
    status = task.status or (changed.new if changed else "")
    change = describe_change(changed.old, changed.new) if changed else ""
    if status or task.subject:
        number = f"#{task.task_id}"
        text, note_ = (task.subject, number) if task.subject else (f"task {number}", "")
        yield Checklist((CheckItem(text, check_state(status), note_, change),))
    yield from prose(task.description)
    shown = ("taskId", "status") if status or task.subject else ()
    yield from input_fields(call, "subject", "description", *shown)
    if result is not None:
        yield from note(f"Updated: {', '.join(result.updated_fields)}", when=result.updated_fields)
        yield from note(result.error, bad=True)


def _list_parts(
    _arguments: object, result: TaskListResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    if result is not None:
        items = tuple(_item(task) for task in result.tasks)
        yield Checklist(items) if items else Note("No tasks found")


def _get_parts(_arguments: object, result: TaskGetResult | None, call: ToolCall) -> Iterator[Part]:
    yield from input_fields(call)
    if result is None:
        return
    if result.task is None:
        yield Note("Task not found", "warn")
        return
    yield Checklist((_item(result.task),))
    yield from prose(result.task.description)


def _item(task: TaskItem) -> CheckItem:
    notes = (
        f"#{task.id}",
        task.owner,
        _task_numbers("blocked by", task.blocked_by),
        _task_numbers("blocks", task.blocks),
    )
    return CheckItem(task.subject, check_state(task.status), " · ".join(filter(None, notes)))


def _task_numbers(name: str, ids: tuple[str, ...]) -> str:
    return f"{name} {', '.join(f'#{task_id}' for task_id in ids)}" if ids else ""


TASK_CREATE: Final = Tool(
    names=("TaskCreate",),
    input=TaskCreateInput,
    result=TaskCreateResult,
    label=lambda task, _: task.subject,
    parts=_create_parts,
    read_text=_read_created,
)


TASK_UPDATE: Final = Tool(
    names=("TaskUpdate",),
    input=TaskUpdateInput,
    result=TaskUpdateResult,
    label=_update_label,
    parts=_update_parts,
    state=lambda result: failed_state(not result.success),
    read_text=_read_updated,
)


TASK_LIST: Final = Tool(
    names=("TaskList",),
    input=TaskListInput,
    result=TaskListResult,
    parts=_list_parts,
    read_text=_read_list,
)


TASK_GET: Final = Tool(
    names=("TaskGet",),
    input=TaskGetInput,
    result=TaskGetResult,
    label=lambda task, _: task.task_id,
    label_result=lambda found, label: f"{label}: {found.task.subject}" if found.task else label,
    parts=_get_parts,
    read_text=_read_task,
)
