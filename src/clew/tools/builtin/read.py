"""Read: a file's content, an image, a notebook or a document."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Document, Image, Note, Part
from clew.tools.builtin.notebook import NotebookCell, cell_parts
from clew.tools.display import fields, input_fields, language_of, note, short_path
from clew.tools.result_text import read_numbered, read_size
from clew.tools.tool import CallState, Number, Tool

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
    """`type` is text, image, notebook, pdf, parts or file_unchanged.

    `reminders` are the system reminders below the content, without their tags.
    """

    type: str
    file: ReadFile
    source: str = ""
    reminders: tuple[str, ...] = ()


def _read_text(arguments: ReadInput, text: str) -> ReadResult | None:
    """Read numbered lines, or the note on a document or an unchanged file."""
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


def _label(read: ReadInput, cwd: str) -> str:
    """Name the file, and the lines or pages of it."""
    if read.pages:
        return f"{short_path(read.file_path, cwd)} pages {read.pages}"
    return f"{short_path(read.file_path, cwd)} {_line_range(read)}"


def _parts(read: ReadInput, result: ReadResult | None, call: ToolCall) -> Iterator[Part]:
    """Show what was read, as what it is."""
    yield from input_fields(call, "file_path", "offset", "limit", "pages")
    if result is None:
        yield from fields(
            ("File", read.file_path), ("From line", read.offset), ("Lines", read.limit)
        )
        return
    match result.type:
        case "image":
            yield _image(result.file)
        case "pdf":
            yield _document(read, result.file)
        case "notebook":
            for cell in result.file.cells:
                yield from cell_parts(cell)
        case "parts":
            yield from _pages(result.file)
        case "file_unchanged":
            yield Note("The file has not changed since it was last read")
        case _:
            yield from _lines(read, result.file)


def _state(result: ReadResult) -> CallState:
    return ("unchanged", "quiet") if result.type == "file_unchanged" else ("", "")


def _line_range(read: ReadInput) -> str:
    if read.offset is None and read.limit is None:
        return ""
    first = max(int(read.offset or 1), 1)
    return f"{first}-" if read.limit is None else f"{first}-{first + int(read.limit) - 1}"


def _lines(read: ReadInput, file: ReadFile) -> Iterator[Part]:
    path = file.file_path or read.file_path
    if file.content:
        yield Code(file.content, language_of(path), path, file.start_line)
    else:
        yield Note("Empty file")
    shown, total = file.num_lines, file.total_lines
    if shown is not None and total is not None and shown < total:
        yield Note(f"{shown:,} of {total:,} lines")
    yield from note("Truncated: too many tokens", when=file.truncated_by_token_cap)


def _image(file: ReadFile) -> Image:
    size = file.dimensions
    return Image(
        file.media_type,
        file.base64,
        text=file.file_path,
        width=None if size is None else int(size.original_width) or None,
        height=None if size is None else int(size.original_height) or None,
        size_bytes=_bytes(file),
    )


def _document(read: ReadInput, file: ReadFile) -> Document:
    return Document("application/pdf", file.file_path or read.file_path, file.base64, _bytes(file))


def _bytes(file: ReadFile) -> int | None:
    return None if file.original_size_bytes is None else int(file.original_size_bytes)


def _pages(file: ReadFile) -> Iterator[Part]:
    yield from fields(
        ("Pages", file.count), ("Saved to", file.output_dir), ("Bytes", file.original_size_bytes)
    )


READ: Final = Tool(
    names=("Read",),
    input=ReadInput,
    result=ReadResult,
    label=_label,
    parts=_parts,
    state=_state,
    read_text=_read_text,
)
