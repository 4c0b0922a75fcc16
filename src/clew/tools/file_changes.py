"""The change that a call made to a file: its diff, and the number of lines added and removed."""

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
    """Whether the tool of this name changes files."""
    return find_tool(tool).input in _EDITS


def may_edit(tool: str) -> bool:
    """Whether the tool of this name changes files, or runs commands that may do so."""
    return is_edit(tool) or find_tool(tool).result is BashResult


def count_changes(
    arguments: object, result: object, shown: Iterable[Part] = ()
) -> LineCounts | None:
    """Count the lines added and removed; None where that is unknown.

    Args:
        arguments: The input of a call, from `decode_call`.
        result: Its result, from `decode_call`.
        shown: The parts of the call, if they exist: their diff is used again.
    """
    if not isinstance(arguments, _EDITS) or result is None or isinstance(result, ToolError):
        return None
    diff = next((part for part in shown if isinstance(part, Diff)), None)
    diff = diff or file_diff(arguments, result)
    return None if diff is None else LineCounts(diff.added, diff.removed, diff.is_lower_bound)


def file_diff(arguments: object, result: object) -> Diff | None:
    """Return the diff of a call; None where the text before it is unknown.

    Without a typed result, the diff is made from the input.
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
