"""Lists of things to do: how a thing stands, and what became of it."""

from typing import Final

from clew.parts import State

_STATES: Final[dict[str, State]] = {
    "in_progress": "doing",
    "completed": "done",
    "deleted": "dropped",
    "cancelled": "dropped",
}
_CHANGES: Final = {"in_progress": "started", "completed": "done", "pending": "reopened"}


def check_state(status: str) -> State:
    """Tell by a client's word how a thing stands; a word nobody knows is one that is open."""
    return _STATES.get(status, "open")


def what_changed(old: str | None, new: str) -> str:
    """Say in a word what became of a thing; None stands for one that was not there before."""
    if old is None:
        return "new"
    return "" if old == new else _CHANGES.get(new, new)
