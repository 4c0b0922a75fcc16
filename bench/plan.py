"""The list of things to do that a session keeps, in either of its two forms."""

from typing import Any

from bench.project import Project
from bench.vocabulary import progressive

Step = tuple[str, dict[str, Any], str, Any]


class Plan:
    """Steps that are pending, then in progress, then completed."""

    def __init__(self, project: Project, *, has_tasks: bool) -> None:
        self._project = project
        self._has_tasks = has_tasks
        self._todos: list[dict[str, str]] = []
        self._tasks = 0
        self._started = 0
        self._open = 0

    def advance(self) -> Step:
        """Give the tool, its input, its text and its result of the next move."""
        return self._task() if self._has_tasks else self._todo()

    def _todo(self) -> Step:
        old = self._todos
        if not old or all(todo["status"] == "completed" for todo in old):
            self._todos = [self._describe() for _ in range(self._project.dice.randint(3, 8))]
        else:
            self._todos = _move_on(old)
        told = {"oldTodos": old, "newTodos": self._todos}
        return "TodoWrite", {"todos": self._todos}, "Todos have been modified successfully.", told

    def _describe(self) -> dict[str, str]:
        title = self._project.prose.title()
        verb, _, rest = title.partition(" ")
        return {"content": title, "status": "pending", "activeForm": f"{progressive(verb)} {rest}"}

    def _task(self) -> Step:
        if self._open == 0 and self._started == self._tasks:
            return self._create()
        if self._open == 0:
            self._started += 1
            self._open = self._started
            return self._change("pending", "in_progress")
        step = self._change("in_progress", "completed")
        self._open = 0
        return step

    def _create(self) -> Step:
        self._tasks += 1
        todo = self._describe()
        arguments = {
            "subject": todo["content"],
            "description": self._project.prose.text(130),
            "activeForm": todo["activeForm"],
        }
        text = f"Task #{self._tasks} created successfully: {todo['content']}"
        told = {"task": {"id": str(self._tasks), "subject": todo["content"]}}
        return "TaskCreate", arguments, text, told

    def _change(self, old: str, new: str) -> Step:
        number = str(self._open)
        told = {
            "success": True,
            "taskId": number,
            "updatedFields": ["status"],
            "statusChange": {"from": old, "to": new},
        }
        arguments = {"taskId": number, "status": new}
        return "TaskUpdate", arguments, f"Updated task #{number} status", told


def _move_on(todos: list[dict[str, str]]) -> list[dict[str, str]]:
    """Complete what is in progress and start the first that is pending."""
    moved = [
        todo | {"status": "completed"} if todo["status"] == "in_progress" else todo
        for todo in todos
    ]
    for position, todo in enumerate(moved):
        if todo["status"] == "pending":
            return [
                *moved[:position],
                todo | {"status": "in_progress"},
                *moved[position + 1 :],
            ]
    return moved
