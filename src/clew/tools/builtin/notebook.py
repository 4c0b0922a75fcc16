"""NotebookEdit and NotebookRead: the cells of a notebook."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Diff, Image, Note, Part, Prose
from clew.tools.diffs import diff_of_fragments
from clew.tools.display import failed_state, input_fields, json_value, note, output, short_path
from clew.tools.tool import Number, Tool

_MARKDOWN: Final = "markdown"
_DONE: Final = re.compile(r"(Updated|Inserted|Deleted) cell (\S{1,200})")
_MODES: Final = {"Updated": "replace", "Inserted": "insert", "Deleted": "delete"}


class NotebookCell(msgspec.Struct, frozen=True):
    """One cell of a notebook, with its outputs."""

    cell_type: str = msgspec.field(default="", name="cellType")
    source: str | tuple[str, ...] = ""
    cell_id: str = ""
    language: str = ""
    execution_count: int | None = None
    outputs: Any = None


class _Picture(msgspec.Struct, frozen=True):
    """An image among the outputs of a cell."""

    image_data: str
    media_type: str = "image/png"


class _CellOutput(msgspec.Struct, frozen=True):
    """One output of a cell."""

    output_type: str
    text: str | tuple[str, ...] = ""
    image: _Picture | None = None


def cell_parts(cell: NotebookCell) -> Iterator[Part]:
    """Show a cell: its name, its source and its outputs."""
    count = "" if cell.execution_count is None else f"run {cell.execution_count}"
    yield Note(
        " · ".join(
            filter(None, (f"{cell.cell_type.capitalize()} cell {cell.cell_id}".strip(), count))
        )
    )
    source = _join(cell.source)
    if cell.cell_type == _MARKDOWN:
        yield Prose(source)
    elif source:
        yield Code(source, cell.language or "python")
    for value in cell.outputs if isinstance(cell.outputs, list) else [cell.outputs]:
        yield from _output_parts(value)


def _output_parts(value: object) -> Iterator[Part]:
    try:
        known = msgspec.convert(value, _CellOutput)
    except msgspec.ValidationError:
        yield from json_value(value)
        return
    yield from output(_join(known.text), is_error=known.output_type == "error")
    if known.image is not None:
        yield Image(known.image.media_type, known.image.image_data)


def _join(text: str | tuple[str, ...]) -> str:
    return text if isinstance(text, str) else "".join(text)


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


def _read_edit(arguments: NotebookEditInput, text: str) -> NotebookEditResult | None:
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


def notebook_diff(result: NotebookEditResult) -> Diff | None:
    """Make the diff of a cell; None where its source before is unknown."""
    mode = result.edit_mode or "replace"
    if result.error or (mode == "replace" and not result.old_source):
        return None
    after = "" if mode == "delete" else result.new_source
    before = "" if mode == "insert" else result.old_source
    return diff_of_fragments(result.notebook_path, before, after, 1)


def _edit_label(notebook: NotebookEditInput, cwd: str) -> str:
    cell = notebook.cell_id or ("" if notebook.cell_number is None else notebook.cell_number)
    where = f" cell {cell}" if cell != "" else ""
    return f"{short_path(notebook.notebook_path, cwd)}{where} {notebook.edit_mode}"


def _edit_parts(
    notebook: NotebookEditInput, result: NotebookEditResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the cell's diff, or its new source where the old one is not known."""
    yield from input_fields(call, "notebook_path", "new_source")
    diff = None if result is None else notebook_diff(result)
    if diff is not None:
        yield msgspec.structs.replace(diff, path=notebook.notebook_path)
    elif notebook.new_source:
        is_prose = (result or notebook).cell_type == "markdown"
        language = "markdown" if is_prose else result.language if result else ""
        yield Code(notebook.new_source, language or "python", notebook.notebook_path)
    if result is not None:
        yield from note(result.error, bad=True)


def _read_parts(
    _notebook: NotebookReadInput, result: NotebookReadResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from input_fields(call)
    for cell in () if result is None else result.cells:
        yield from cell_parts(cell)


NOTEBOOK_EDIT: Final = Tool(
    names=("NotebookEdit",),
    input=NotebookEditInput,
    result=NotebookEditResult,
    label=_edit_label,
    parts=_edit_parts,
    state=lambda result: failed_state(result.error),
    read_text=_read_edit,
)


NOTEBOOK_READ: Final = Tool(
    names=("NotebookRead",),
    input=NotebookReadInput,
    result=NotebookReadResult,
    label=lambda notebook, cwd: short_path(notebook.notebook_path, cwd),
    parts=_read_parts,
    array_result="cells",
)
