"""What a tool call says about files: the text that it found, and what it made of it."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from clew.conversation import ToolCall
from clew.tools import (
    BashResult,
    EditInput,
    EditResult,
    Hunk,
    MultiEditInput,
    MultiEditResult,
    NotebookEditInput,
    NotebookEditResult,
    ReadInput,
    ReadResult,
    WriteInput,
    WriteResult,
    decode_call,
    find_spans,
    find_tool,
    replace_spans,
    resolve_path,
)

_WHOLE: Final = "text"
_UNCHANGED: Final = "file_unchanged"
_FILE_TOOLS: Final = (EditInput, MultiEditInput, NotebookEditInput, ReadInput, WriteInput)
_TOLD: Final = b'"bashEditDiff"'


class Replacement(msgspec.Struct, frozen=True, gc=False):
    """One text that takes the place of another."""

    old: str
    new: str
    replace_all: bool = False


class Seen(msgspec.Struct, frozen=True, gc=False):
    """A whole file as a call saw it; nothing changed."""

    path: str
    text: str


class SeenPart(msgspec.Struct, frozen=True, gc=False):
    """Some lines of a file as a call saw them."""

    path: str
    text: str
    start_line: int


class Unchanged(msgspec.Struct, frozen=True, gc=False):
    """A file that has not changed since the same agent last read or wrote it."""

    path: str


class Edited(msgspec.Struct, frozen=True, gc=False):
    """Replacements in a file; `original` is its whole text before, where the client kept it."""

    path: str
    steps: tuple[Replacement, ...]
    original: str | None = None
    is_sure: bool = True


class Written(msgspec.Struct, frozen=True, gc=False):
    """A whole new text of a file.

    A file that `is_new` was not there, or was empty: clients do not tell these apart.
    """

    path: str
    text: str
    original: str | None = None
    is_new: bool = False
    is_sure: bool = True


class Told(msgspec.Struct, frozen=True, gc=False):
    """A file that a command is said to have changed; without hunks, nothing says how."""

    path: str
    hunks: tuple[Hunk, ...] = ()
    created: bool = False
    deleted: bool = False
    has_hunks: bool = True


Observation: TypeAlias = Seen | SeenPart | Unchanged | Edited | Written | Told


def is_file_tool(call: ToolCall) -> bool:
    """Whether a call reads or changes one file that it names."""
    return find_tool(call.tool).input in _FILE_TOOLS


def named_file(call: ToolCall, cwd: str) -> str:
    """Return the file that a call names; empty where its input does not fit."""
    arguments, _ = decode_call(call)
    return _named(arguments, cwd)


def observe(call: ToolCall, cwd: str) -> list[Observation]:
    """List what a call that is done says about files; paths are absolute where they can be."""
    arguments, result = decode_call(call)
    path = _named(arguments, cwd)
    if not path:
        return []
    match result:
        case ReadResult():
            return list(_read(path, result))
        case EditResult():
            step = Replacement(result.old_string, result.new_string, result.replace_all)
            sure = not result.user_modified
            return [Edited(path, (step,), result.original_file, is_sure=sure)]
        case MultiEditResult():
            steps = tuple(
                Replacement(s.old_string, s.new_string, s.replace_all) for s in result.edits
            )
            original = result.original_file_contents
            return (
                [Edited(path, steps, original, is_sure=not result.user_modified)] if steps else []
            )
        case WriteResult():
            return [_written(path, result)]
        case NotebookEditResult() if not result.error and result.updated_file is not None:
            return [Written(path, result.updated_file, result.original_file)]
        case _:
            return []


def observe_shell(call: ToolCall, cwd: str) -> list[Told] | None:
    """List what a command is said to have changed; None where the client did not look."""
    if _TOLD not in bytes(call.result):
        return None
    _, result = decode_call(call)
    if not isinstance(result, BashResult) or result.bash_edit_diff is None:
        return None
    told = result.bash_edit_diff
    found = {
        path: Told(path, file.hunks, created=file.created, deleted=file.deleted)
        for file in told.files
        if (path := resolve_path(file.file_path, cwd))
    }
    for name in told.changed_files:
        path = resolve_path(name, cwd)
        found.setdefault(path, Told(path, has_hunks=False))
    return list(found.values())


def _named(arguments: object, cwd: str) -> str:
    match arguments:
        case EditInput() | MultiEditInput() | WriteInput() | ReadInput():
            return resolve_path(arguments.file_path, cwd)
        case NotebookEditInput():
            return resolve_path(arguments.notebook_path, cwd)
        case _:
            return ""


def _read(path: str, result: ReadResult) -> Iterator[Observation]:
    file = result.file
    if result.type == _UNCHANGED:
        yield Unchanged(path)
    elif result.type == _WHOLE and file.total_lines is not None and file.start_line is not None:
        # The client's text of a file has an empty last line where it ends with a newline.
        lines = file.content.count("\n") + 1
        is_whole = file.start_line <= 1 and lines >= file.total_lines
        if is_whole and not file.truncated_by_token_cap:
            yield Seen(path, file.content)
        elif file.content:
            yield SeenPart(path, file.content, file.start_line)


def _written(path: str, result: WriteResult) -> Written:
    return Written(
        path,
        result.content,
        result.original_file,
        is_new=result.type == "create",
        is_sure=not result.user_modified,
    )


def apply_steps(text: str, steps: Sequence[Replacement], *, is_found: bool) -> str | None:
    """Make replacements in a text; None where one does not fit.

    Args:
        text: The text before.
        steps: What to replace, in order.
        is_found: Whether the text is the one that the client itself edited. In any other, a text
            that is there several times may be meant in another place.
    """
    for step in steps:
        spans = find_spans(text, step.old, step.new, replace_all=step.replace_all)
        if not spans or (
            not is_found and not step.replace_all and step.old and text.count(step.old) != 1
        ):
            return None
        text = replace_spans(text, spans, step.new)
    return text


def apply_hunks(text: str | None, told: Told) -> str | None:
    """Make the changes that a command is said to have made; None where they do not fit."""
    if told.created:
        text = ""
    if text is None:
        return None
    old = text.split("\n")
    tail = old.pop()
    lines = [f"{line}\n" for line in old] + ([tail] if tail else [])
    new: list[str] = []
    at = 0
    for hunk in told.hunks:
        gone, came = _sides(hunk.lines)
        start = max(hunk.old_start - 1, 0)
        if start < at or lines[start : start + len(gone)] != gone:
            return None
        new += lines[at:start]
        new += came
        at = start + len(gone)
    return "".join(new + lines[at:])


def removed_text(told: Told) -> str | None:
    """Return the text of a deleted file, where its hunk has all of it."""
    if len(told.hunks) != 1 or told.hunks[0].old_start > 1:
        return None
    gone, came = _sides(told.hunks[0].lines)
    return None if came else "".join(gone)


def _sides(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines that a hunk expects and those that it leaves, with their newlines."""
    gone: list[str] = []
    came: list[str] = []
    for line, following in zip(lines, (*lines[1:], ""), strict=True):
        text = line[1:] + ("" if following.startswith("\\") else "\n")
        if line[:1] in (" ", "-"):
            gone.append(text)
        if line[:1] in (" ", "+"):
            came.append(text)
    return gone, came
