"""NotebookEdit and NotebookRead: the cells of a notebook."""

import re
from typing import Final

import msgspec

from clew.tools.read import NotebookCell
from clew.tools.tool import Number, Tool

_DONE: Final = re.compile(r"(Updated|Inserted|Deleted) cell (\S{1,200})")
_MODES: Final = {"Updated": "replace", "Inserted": "insert", "Deleted": "delete"}


class NotebookEditInput(msgspec.Struct, frozen=True):
    """Which cell, and its new source."""

    notebook_path: str
    new_source: str = ""
    cell_id: str = ""
    cell_number: Number | None = None
    cell_type: str = ""
    edit_mode: str = ""


class NotebookEditResult(msgspec.Struct, frozen=True):
    """The cell before and after; newer clients add the whole notebook."""

    new_source: str
    old_source: str = ""
    cell_id: str = ""
    cell_number: Number | None = None
    cell_type: str = ""
    language: str = ""
    edit_mode: str = ""
    error: str = ""
    notebook_path: str = ""
    original_file: str | None = None
    updated_file: str | None = None


class NotebookReadInput(msgspec.Struct, frozen=True):
    """Which notebook, and which of its cells."""

    notebook_path: str
    cell_id: str = ""


class NotebookReadResult(msgspec.Struct, frozen=True):
    """The cells that were read."""

    cells: tuple[NotebookCell, ...]


def read_text(arguments: NotebookEditInput, text: str) -> NotebookEditResult | None:
    """Read the confirmation."""
    done = _DONE.match(text)
    if done is None:
        return None
    return NotebookEditResult(
        arguments.new_source,
        cell_id=done[2],
        cell_type=arguments.cell_type,
        edit_mode=_MODES[done[1]],
        notebook_path=arguments.notebook_path,
    )


NOTEBOOK_EDIT: Final = Tool(
    names=("NotebookEdit",),
    input=NotebookEditInput,
    result=NotebookEditResult,
    read_text=read_text,
)
NOTEBOOK_READ: Final = Tool(
    names=("NotebookRead",),
    input=NotebookReadInput,
    result=NotebookReadResult,
    array_result="cells",
)
