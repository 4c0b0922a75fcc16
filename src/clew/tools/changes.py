"""Lines that a call added to a file and removed from it."""

from clew.parts import Diff
from clew.tools.edit import EditResult, edit_diff
from clew.tools.multi_edit import MultiEditResult, multi_edit_diff
from clew.tools.notebook import NotebookEditResult, notebook_diff
from clew.tools.write import WriteResult, write_diff


def change(result: object) -> tuple[int, int] | None:
    """Count the lines that were added and removed, or give None where nobody can tell."""
    diff = _diff(result)
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


def _diff(result: object) -> Diff | None:
    match result:
        case EditResult():
            return edit_diff(result)
        case MultiEditResult():
            return multi_edit_diff(result)
        case WriteResult():
            return write_diff(result)
        case NotebookEditResult():
            return notebook_diff(result)
        case _:
            return None
