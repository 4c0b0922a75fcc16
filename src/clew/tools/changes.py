"""Lines that a call added to a file and removed from it."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from clew.parts import Diff, Part
from clew.tools.bash import BashResult
from clew.tools.edit import EditInput, EditResult, edit_diff
from clew.tools.multi_edit import MultiEditInput, MultiEditResult, multi_edit_diff
from clew.tools.notebook import NotebookEditInput, NotebookEditResult, notebook_diff
from clew.tools.table import find_tool
from clew.tools.write import WriteInput, WriteResult, write_diff

Change: TypeAlias = EditResult | MultiEditResult | WriteResult | NotebookEditResult

_EDITS: Final = (EditInput, MultiEditInput, NotebookEditInput, WriteInput)


def is_edit(tool: str) -> bool:
    """Tell by its name whether a tool changes files."""
    return find_tool(tool).input in _EDITS


def may_edit(tool: str) -> bool:
    """Tell by its name whether a tool changes files, or runs commands that may do so."""
    return is_edit(tool) or find_tool(tool).result is BashResult


def change(result: object, shown: Iterable[Part] = ()) -> tuple[int, int] | None:
    """Count the lines that were added and removed, or give None where nobody can tell.

    Args:
        result: What `decode_call` gave for a call's result.
        shown: The parts of the call, where they are made: their diff need not be made again.
    """
    if not isinstance(result, Change):
        return None
    diff = next((part for part in shown if isinstance(part, Diff)), None) or _diff(result)
    return None if diff is None else (diff.added, diff.removed)


def kept_change(result: object) -> tuple[int, int] | None:
    """Count the lines as `change` does, but only where the client kept a new file or hunks."""
    match result:
        case WriteResult(type="create"):
            return change(result)
        case EditResult() | MultiEditResult() | WriteResult() if result.structured_patch:
            return change(result)
        case _:
            return None


def _diff(result: Change) -> Diff | None:
    match result:
        case EditResult():
            return edit_diff(result)
        case MultiEditResult():
            return multi_edit_diff(result)
        case WriteResult():
            return write_diff(result)
        case NotebookEditResult():
            return notebook_diff(result)
