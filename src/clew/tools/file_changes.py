"""What a call changed in a file: a diff, and the lines that were added and removed."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from clew.parts import Diff, Part
from clew.tools.builtin import (
    BashResult,
    EditInput,
    EditResult,
    MultiEditInput,
    MultiEditResult,
    NotebookEditInput,
    NotebookEditResult,
    WriteInput,
    WriteResult,
    edit_diff,
    multi_edit_diff,
    notebook_diff,
    proposed_edit,
    proposed_edits,
    write_diff,
)
from clew.tools.diffs import LineCounts
from clew.tools.registry import find_tool
from clew.tools.tool_errors import ToolError

Change: TypeAlias = EditResult | MultiEditResult | WriteResult | NotebookEditResult
_EDITS: Final = (EditInput, MultiEditInput, NotebookEditInput, WriteInput)


def is_edit(tool: str) -> bool:
    """Tell by its name whether a tool changes files."""
    return find_tool(tool).input in _EDITS


def may_edit(tool: str) -> bool:
    """Tell by its name whether a tool changes files, or runs commands that may do so."""
    return is_edit(tool) or find_tool(tool).result is BashResult


def change(arguments: object, result: object, shown: Iterable[Part] = ()) -> LineCounts | None:
    """Count the lines that were added and removed, or give None where nothing says it.

    Args:
        arguments: What `decode_call` gave for a call's input.
        result: What it gave for the result.
        shown: The parts of the call, where they are made: their diff need not be made again.
    """
    if not isinstance(arguments, _EDITS) or result is None or isinstance(result, ToolError):
        return None
    diff = next((part for part in shown if isinstance(part, Diff)), None)
    diff = diff or change_diff(arguments, result)
    return None if diff is None else LineCounts(diff.added, diff.removed, diff.is_lower_bound)


def change_diff(arguments: object, result: object) -> Diff | None:
    """Give what a call changed, or None where nothing says what was there before.

    Where the client wrote no result that can be read, the input says what became of what.
    """
    known = result if isinstance(result, Change) else arguments
    match known:
        case EditInput():
            return edit_diff(proposed_edit(known))
        case MultiEditInput(edits=tuple()):
            return multi_edit_diff(proposed_edits(known))
        case EditResult():
            return edit_diff(known)
        case MultiEditResult():
            return multi_edit_diff(known)
        case WriteResult():
            return write_diff(known)
        case NotebookEditResult():
            return notebook_diff(known)
        case _:
            return None
