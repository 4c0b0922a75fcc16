"""TodoWrite and TodoRead: the to-do list."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import CheckItem, Checklist, Note, Part
from clew.tools.display import check_state, describe_change, formatted_text, json_value
from clew.tools.tool import Tool


class Todo(msgspec.Struct, frozen=True):
    """One to-do: pending, in_progress or completed."""

    content: str
    status: str = ""
    active_form: str = msgspec.field(default="", name="activeForm")
    id: str | int = ""
    priority: str = ""


class TodoWriteInput(msgspec.Struct, frozen=True):
    """The whole list; a string is a list that the model wrote as text."""

    todos: tuple[Todo, ...] | str


class TodoWriteResult(msgspec.Struct, frozen=True, rename="camel"):
    """The list before and after."""

    new_todos: tuple[Todo, ...]
    old_todos: tuple[Todo, ...] = ()
    verification_nudge_needed: bool = False


class TodoReadInput(msgspec.Struct, frozen=True):
    """Nothing; some models pass a list all the same."""

    todos: Any = None


class TodoReadResult(msgspec.Struct, frozen=True):
    """The current list."""

    todos: tuple[Todo, ...]


def _read_text(arguments: TodoWriteInput, text: str) -> TodoWriteResult | None:
    """Take the new list from the input, once the text confirms it."""
    if not text.startswith("Todos have been modified") or isinstance(arguments.todos, str):
        return None
    return TodoWriteResult(arguments.todos)


def _label(todo: TodoWriteInput, _cwd: str) -> str:
    """Count the completed to-dos, and name the current one."""
    if isinstance(todo.todos, str):
        return ""
    done = sum(item.status == "completed" for item in todo.todos)
    current = next((item.content for item in todo.todos if item.status == "in_progress"), "")
    counts = f"{done} of {len(todo.todos)} done"
    return f"{counts}, {current}" if current else counts


def _write_parts(
    write: TodoWriteInput, result: TodoWriteResult | None, _call: ToolCall
) -> Iterator[Part]:
    """Show the list, with what changed against the one before."""
    if isinstance(write.todos, str):
        yield from formatted_text(write.todos)
        todos: tuple[Todo, ...] = () if result is None else result.new_todos
    else:
        todos = write.todos
    before = () if result is None else result.old_todos
    items = tuple(_items(todos, before))
    yield Checklist(items) if items else Note("No to-dos")


def _read_parts(
    read: TodoReadInput, result: TodoReadResult | None, _call: ToolCall
) -> Iterator[Part]:
    yield from json_value(read.todos or None)
    if result is not None:
        items = tuple(_items(result.todos, ()))
        yield Checklist(items) if items else Note("No to-dos")


def _items(todos: tuple[Todo, ...], before: tuple[Todo, ...]) -> Iterator[CheckItem]:
    """List the to-dos, then those that were removed."""
    known = {_key(todo): todo for todo in before}
    by_words = {todo.content: todo for todo in before}
    gone = {todo.content for todo in before}
    for todo in todos:
        old = known.get(_key(todo)) or by_words.get(todo.content)
        gone.discard(old.content if old else "")
        change = describe_change(old.status if old else None, todo.status) if before else ""
        if old is not None and old.content != todo.content:
            change = change or "reworded"
        yield CheckItem(todo.content, check_state(todo.status), _note(todo), change)
    for old in before:
        if old.content in gone:
            yield CheckItem(old.content, "dropped", change="removed")


def _key(todo: Todo) -> str | int:
    return todo.id or todo.content


def _note(todo: Todo) -> str:
    active = todo.active_form if todo.status == "in_progress" else ""
    return " · ".join(filter(None, (active, todo.priority)))


TODO_WRITE: Final = Tool(
    names=("TodoWrite",),
    input=TodoWriteInput,
    result=TodoWriteResult,
    label=_label,
    parts=_write_parts,
    read_text=_read_text,
)


TODO_READ: Final = Tool(
    names=("TodoRead",),
    input=TodoReadInput,
    result=TodoReadResult,
    parts=_read_parts,
    array_result="todos",
)
