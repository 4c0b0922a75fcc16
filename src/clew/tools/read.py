"""Read: a file's content, an image, a notebook or a document."""

import re
from typing import Any, Final

import msgspec

from clew.tools.numbered import read_numbered
from clew.tools.persisted import read_size
from clew.tools.tool import Number, Tool

_UNCHANGED: Final = re.compile(r"(?:File|Wasted call\b[^\n]{1,20}file) unchanged since")
_PDF: Final = re.compile(r"PDF file read: [^\n]{1,4000} \(([^()\n]{1,40})\)")


class ReadInput(msgspec.Struct, frozen=True):
    """Which file, and from which line how many lines, or which pages."""

    file_path: str
    offset: Number | None = None
    limit: Number | None = None
    pages: str = ""
    allow_large: bool = False


class ImageSize(msgspec.Struct, frozen=True, rename="camel"):
    """How big an image is, and how big it was shown to the model, in pixels."""

    original_width: Number = 0
    original_height: Number = 0
    display_width: Number = 0
    display_height: Number = 0


class NotebookCell(msgspec.Struct, frozen=True):
    """One cell of a notebook, with what it gave."""

    cell_type: str = msgspec.field(default="", name="cellType")
    source: str | tuple[str, ...] = ""
    cell_id: str = ""
    language: str = ""
    execution_count: int | None = None
    outputs: Any = None


class ReadFile(msgspec.Struct, frozen=True, rename="camel"):
    """What was read: text with its lines, or the data of an image or document.

    `media_type` is that of an image; `count` and `output_dir` belong to extracted pages.
    """

    file_path: str = ""
    content: str = ""
    num_lines: int | None = None
    start_line: int | None = None
    total_lines: int | None = None
    truncated_by_token_cap: bool = False
    base64: str = ""
    media_type: str = msgspec.field(default="", name="type")
    original_size_bytes: Number | None = msgspec.field(default=None, name="originalSize")
    dimensions: ImageSize | None = None
    cells: tuple[NotebookCell, ...] = ()
    count: Number | None = None
    output_dir: str = ""


class ReadResult(msgspec.Struct, frozen=True):
    """`type` is text, image, notebook, pdf, parts or file_unchanged."""

    type: str
    file: ReadFile
    source: str = ""


def read_text(arguments: ReadInput, text: str) -> ReadResult | None:
    """Read numbered lines, or the note that stands for a document or an unchanged file."""
    path = arguments.file_path
    numbered = read_numbered(text)
    if numbered is not None:
        file = ReadFile(path, numbered.content, numbered.line_count, numbered.start_line)
        return ReadResult("text", file)
    if _UNCHANGED.match(text):
        return ReadResult("file_unchanged", ReadFile(path))
    pdf = _PDF.match(text)
    if pdf is not None:
        return ReadResult("pdf", ReadFile(path, original_size_bytes=read_size(pdf[1])))
    return None


READ: Final = Tool(names=("Read",), input=ReadInput, result=ReadResult, read_text=read_text)
