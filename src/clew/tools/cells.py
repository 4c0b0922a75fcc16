"""Cells of a notebook, and how they show."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.parts import Code, Image, Note, Part, Prose
from clew.tools.pieces import encoded, output

_MARKDOWN: Final = "markdown"


class NotebookCell(msgspec.Struct, frozen=True):
    """One cell of a notebook, with what it gave."""

    cell_type: str = msgspec.field(default="", name="cellType")
    source: str | tuple[str, ...] = ""
    cell_id: str = ""
    language: str = ""
    execution_count: int | None = None
    outputs: Any = None


class _Picture(msgspec.Struct, frozen=True):
    """A picture that a cell drew."""

    image_data: str
    media_type: str = "image/png"


class _CellOutput(msgspec.Struct, frozen=True):
    """One thing that a cell gave."""

    output_type: str
    text: str | tuple[str, ...] = ""
    image: _Picture | None = None


def cell_parts(cell: NotebookCell) -> Iterator[Part]:
    """Show a cell: its name, its source, and what it gave."""
    count = "" if cell.execution_count is None else f"run {cell.execution_count}"
    yield Note(" · ".join(filter(None, (f"{cell.cell_type} cell {cell.cell_id}".strip(), count))))
    source = _joined(cell.source)
    if cell.cell_type == _MARKDOWN:
        yield Prose(source)
    elif source:
        yield Code(source, cell.language or "python")
    for given in cell.outputs if isinstance(cell.outputs, list) else [cell.outputs]:
        yield from _given(given)


def _given(given: object) -> Iterator[Part]:
    try:
        known = msgspec.convert(given, _CellOutput)
    except msgspec.ValidationError:
        yield from encoded(given)
        return
    yield from output(_joined(known.text), is_error=known.output_type == "error")
    if known.image is not None:
        yield Image(known.image.media_type, known.image.image_data)


def _joined(text: str | tuple[str, ...]) -> str:
    return text if isinstance(text, str) else "".join(text)
