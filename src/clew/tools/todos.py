"""TodoWrite and TodoRead: the list of what is to do."""

from typing import Any, Final

import msgspec

from clew.tools.tool import Tool


class Todo(msgspec.Struct, frozen=True):
    """One thing to do: pending, in_progress or completed."""

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
    """Nothing; some models give something all the same."""

    todos: Any = None


class TodoReadResult(msgspec.Struct, frozen=True):
    """The list as it stands."""

    todos: tuple[Todo, ...]


def read_text(arguments: TodoWriteInput, text: str) -> TodoWriteResult | None:
    """Take the new list from the input, once the text confirms it."""
    if not text.startswith("Todos have been modified") or isinstance(arguments.todos, str):
        return None
    return TodoWriteResult(arguments.todos)


TODO_WRITE: Final = Tool(
    names=("TodoWrite",), input=TodoWriteInput, result=TodoWriteResult, read_text=read_text
)
TODO_READ: Final = Tool(
    names=("TodoRead",), input=TodoReadInput, result=TodoReadResult, array_result="todos"
)
