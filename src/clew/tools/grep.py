"""Grep: files and lines by a pattern of their text."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Listing, Note, Output, Part
from clew.tools.paths import searched, searched_folder
from clew.tools.persisted import PersistedOutput, find_persisted
from clew.tools.pieces import options, whole_text
from clew.tools.tool import Number, Tool

_FILES: Final = re.compile(r"Found (\d{1,12}) files?\b[^\n]{0,80}(?:\n|$)")
_COUNTS: Final = re.compile(r"\n*Found (\d{1,12}) total occurrences? across (\d{1,12}) files?\.")
_PAGES: Final = re.compile(r"\n*\[Showing results with pagination = [^\]\n]{0,80}\]\s*$")
_NOTHING: Final = ("No files found", "No matches found")


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

    `persisted` tells where the rest lies, where only the result's text tells of it.
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


def read_text(arguments: GrepInput, text: str) -> GrepResult:
    """Read a list of files, counts, or matching lines."""
    mode = arguments.output_mode or "files_with_matches"
    persisted = find_persisted(text)
    if persisted is not None:
        return GrepResult((), mode=mode, content=persisted.preview, persisted=persisted)
    files = _FILES.match(text)
    if files is not None and mode == "files_with_matches":
        names = text[files.end() :].split("\n")
        return GrepResult(tuple(name for name in names if name), int(files[1]), mode)
    counts = _COUNTS.search(text[-400:]) if mode == "count" else None
    body = _body(text)
    if counts is not None:
        body = _body(text[: text.rfind("Found ")].rstrip("\n"))
        return GrepResult((), int(counts[2]), mode, body, num_matches=int(counts[1]))
    if mode == "files_with_matches" and not body:
        return GrepResult((), 0, mode)
    return GrepResult((), None, mode, body, num_lines=body.count("\n") + 1 if body else 0)


def _body(text: str) -> str:
    if text.startswith(_NOTHING):
        return ""
    pages = _PAGES.search(text, max(0, len(text) - 200))
    return text if pages is None else text[: pages.start()]


def label(grep: GrepInput, cwd: str) -> str:
    """Tell the pattern, and where it is looked for."""
    files = grep.glob or grep.include or grep.type
    return searched(grep.pattern, searched_folder(grep.path, cwd), files)


def parts(_grep: object, result: GrepResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the files or lines that were found, and how many."""
    yield from options(call)
    if result is None:
        return
    content = whole_text(call) or result.content
    if content.strip("\n"):
        yield Output(content)
    if result.filenames:
        total = result.total_files or result.num_files
        yield Listing(result.filenames, None if total is None else int(total))
    nothing = "No matches found" if result.mode in ("content", "count") else "No files found"
    yield Note(_counts(result) or nothing)
    if result.applied_limit is not None:
        offset = "" if result.applied_offset is None else f", offset: {result.applied_offset:.0f}"
        yield Note(f"limit: {result.applied_limit:.0f}{offset}")


def _counts(result: GrepResult) -> str:
    counts = (
        (result.num_matches, "total occurrences"),
        (result.total_lines or result.num_lines, "lines"),
        (result.total_files or result.num_files, "files"),
    )
    told = (f"{count:.0f} {name[: -1 if count == 1 else None]}" for count, name in counts if count)
    found = " across ".join(told)
    return f"Found {found}" if found else ""


GREP: Final = Tool(
    names=("Grep",),
    input=GrepInput,
    result=GrepResult,
    label=label,
    parts=parts,
    read_text=read_text,
)
