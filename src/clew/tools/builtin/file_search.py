"""Glob, Grep, LS and LSP: find files, lines and symbols."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Listing, Note, Output, Part
from clew.tools.display import (
    fields,
    full_output,
    input_fields,
    output,
    search_label,
    searched_folder,
    short_path,
)
from clew.tools.result_text import PersistedOutput, find_persisted
from clew.tools.tool import Number, Tool

_TRUNCATED: Final = "(Results are truncated"
_FILES: Final = re.compile(r"Found (\d{1,12}) files?\b[^\n]{0,80}(?:\n|$)")
_TOTALS: Final = re.compile(r"\n*Found (\d{1,12}) total occurrences? across (\d{1,12}) files?\.")
_PAGES: Final = re.compile(r"\n*\[Showing results with pagination = [^\]\n]{0,80}\]\s*$")
_NOTHING: Final = ("No files found", "No matches found")


class GlobInput(msgspec.Struct, frozen=True):
    """Which pattern, below which folder."""

    pattern: str
    path: str = ""


class GlobResult(msgspec.Struct, frozen=True, rename="camel"):
    """The files found; `total_matches` counts them before the cut, where it is known."""

    filenames: tuple[str, ...]
    num_files: Number | None = None
    truncated: bool = False
    duration_ms: Number | None = None
    total_matches: Number | None = None
    count_is_complete: bool | None = None


def _read_glob(_arguments: object, text: str) -> GlobResult:
    """Read one file a line."""
    if text.startswith("No files found"):
        return GlobResult((), 0)
    lines = [line for line in text.split("\n") if line]
    names = tuple(line for line in lines if not line.startswith(_TRUNCATED))
    return GlobResult(names, len(names), truncated=len(names) < len(lines))


def _glob_label(glob: GlobInput, cwd: str) -> str:
    """Name the pattern, and where it is searched."""
    return search_label(glob.pattern, searched_folder(glob.path, cwd))


def _glob_parts(_glob: object, result: GlobResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the files, and how many there are."""
    yield from input_fields(call)
    if result is None:
        return
    total = result.total_matches or result.num_files
    if result.filenames:
        yield Listing(result.filenames, len(result.filenames) if total is None else int(total))
    else:
        yield Note("No files found")
    if result.truncated:
        yield Note("Results are truncated", "warn")


GLOB: Final = Tool(
    names=("Glob",),
    input=GlobInput,
    result=GlobResult,
    label=_glob_label,
    parts=_glob_parts,
    read_text=_read_glob,
)


class GrepInput(msgspec.Struct, frozen=True):
    """Which pattern, where, and what to show of the matches."""

    pattern: str
    path: str = ""
    output_mode: str = ""
    glob: str = ""
    type: str = ""
    include: str = ""
    head_limit: Number | None = None
    offset: Number | None = None
    multiline: bool = False
    context: Number | None = None
    lines_after: Number | None = msgspec.field(default=None, name="-A")
    lines_before: Number | None = msgspec.field(default=None, name="-B")
    lines_around: Number | None = msgspec.field(default=None, name="-C")
    ignore_case: bool = msgspec.field(default=False, name="-i")
    line_numbers: bool | None = msgspec.field(default=None, name="-n")
    only_matching: bool = msgspec.field(default=False, name="-o")


class GrepResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was found, by `mode`: content, files_with_matches or count.

    `persisted` is the file with the full output, read from the result's text.
    """

    filenames: tuple[str, ...]
    num_files: Number | None = None
    mode: str = ""
    content: str = ""
    num_lines: Number | None = None
    num_matches: Number | None = None
    total_files: Number | None = None
    total_lines: Number | None = None
    applied_limit: Number | None = None
    applied_offset: Number | None = None
    persisted: PersistedOutput | None = None


def _read_grep(arguments: GrepInput, text: str) -> GrepResult:
    """Read a list of files, counts, or matching lines."""
    mode = arguments.output_mode or "files_with_matches"
    persisted = find_persisted(text)
    if persisted is not None:
        return GrepResult((), mode=mode, content=persisted.preview, persisted=persisted)
    files = _FILES.match(text)
    if files is not None and mode == "files_with_matches":
        names = text[files.end() :].split("\n")
        return GrepResult(tuple(name for name in names if name), int(files[1]), mode)
    counts = _TOTALS.search(text[-400:]) if mode == "count" else None
    body = _grep_body(text)
    if counts is not None:
        body = _grep_body(text[: text.rfind("Found ")].rstrip("\n"))
        return GrepResult((), int(counts[2]), mode, body, num_matches=int(counts[1]))
    if mode == "files_with_matches" and not body:
        return GrepResult((), 0, mode)
    return GrepResult((), None, mode, body, num_lines=body.count("\n") + 1 if body else 0)


def _grep_body(text: str) -> str:
    if text.startswith(_NOTHING):
        return ""
    pages = _PAGES.search(text, max(0, len(text) - 200))
    return text if pages is None else text[: pages.start()]


def _grep_label(grep: GrepInput, cwd: str) -> str:
    """Name the pattern, and where it is searched."""
    files = grep.glob or grep.include or grep.type
    return search_label(grep.pattern, searched_folder(grep.path, cwd), files)


def _grep_parts(_grep: object, result: GrepResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the files or lines that were found, and how many."""
    yield from input_fields(call)
    if result is None:
        return
    content = full_output(call) or result.content
    if content.strip("\n"):
        yield Output(content)
    if result.filenames:
        total = result.total_files or result.num_files
        yield Listing(result.filenames, None if total is None else int(total))
    nothing = "No matches found" if result.mode in ("content", "count") else "No files found"
    yield Note(_grep_counts(result) or nothing)
    if result.applied_limit is not None:
        offset = "" if result.applied_offset is None else f", offset: {result.applied_offset:.0f}"
        yield Note(f"Limit: {result.applied_limit:.0f}{offset}")


def _grep_counts(result: GrepResult) -> str:
    counts = (
        (result.num_matches, "total occurrences"),
        (result.total_lines or result.num_lines, "lines"),
        (result.total_files or result.num_files, "files"),
    )
    counted = (
        f"{count:.0f} {name[: -1 if count == 1 else None]}" for count, name in counts if count
    )
    found = " across ".join(counted)
    return f"Found {found}" if found else ""


GREP: Final = Tool(
    names=("Grep",),
    input=GrepInput,
    result=GrepResult,
    label=_grep_label,
    parts=_grep_parts,
    read_text=_read_grep,
)


class LsInput(msgspec.Struct, frozen=True):
    """Which folder, and the patterns to leave out."""

    path: str
    ignore: tuple[str, ...] | str = ()


class LsResult(msgspec.Struct, frozen=True):
    """The tree, one name a line, indented by depth."""

    listing: str


def _read_ls(_arguments: object, text: str) -> LsResult:
    """Read the tree, without the note to the model below it."""
    return LsResult(text.partition("\n\nNOTE: ")[0])


def _ls_parts(_arguments: object, result: LsResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the tree as it was printed."""
    yield from input_fields(call)
    if result is not None:
        yield from output(result.listing)


LS: Final = Tool(
    names=("LS",),
    input=LsInput,
    result=LsResult,
    label=lambda arguments, cwd: short_path(arguments.path, cwd),
    parts=_ls_parts,
    read_text=_read_ls,
)


class LspInput(msgspec.Struct, frozen=True, rename="camel"):
    """The operation, and the position in a file."""

    operation: str
    file_path: str = ""
    line: Number | None = None
    character: Number | None = None
    query: str = ""


class LspResult(msgspec.Struct, frozen=True, rename="camel"):
    """The answer as text, and the number of results."""

    operation: str
    result: str
    file_path: str = ""
    result_count: Number | None = None
    file_count: Number | None = None


def _read_lsp(arguments: LspInput, text: str) -> LspResult:
    """Take the text as the answer."""
    return LspResult(arguments.operation, text, arguments.file_path)


def _lsp_label(lsp: LspInput, cwd: str) -> str:
    """Name the operation, and the symbol or position."""
    at = f":{lsp.line}" if lsp.line is not None else ""
    return f"{lsp.operation} {lsp.query or short_path(lsp.file_path, cwd) + at}"


def _lsp_parts(_lsp: object, result: LspResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the answer, and the number of results."""
    yield from input_fields(call)
    if result is not None:
        yield from output(result.result)
        yield from fields(("Results", result.result_count), ("Files", result.file_count))


LSP: Final = Tool(
    names=("LSP",),
    input=LspInput,
    result=LspResult,
    label=_lsp_label,
    parts=_lsp_parts,
    read_text=_read_lsp,
)
