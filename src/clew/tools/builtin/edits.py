"""Edit, MultiEdit and Write: changes of a text file."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Diff, Part
from clew.tools.diffs import (
    GitDiff,
    Hunk,
    LineCounts,
    count_fragments,
    diff_of,
    diff_of_files,
    diff_of_fragments,
    diff_of_hunks,
    diff_of_spans,
    find_spans,
    fragment_hunks,
    replace_spans,
)
from clew.tools.display import input_fields, language_of, note, short_path
from clew.tools.result_text import NumberedText, read_numbered
from clew.tools.tool import Number, Tool

_INDENTS: Final = ("\t", "  ")


class EditInput(msgspec.Struct, frozen=True):
    """Which file, and which text becomes which."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False
    expected_replacements: Number | None = None


class EditResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was replaced, and the resulting hunks.

    `snippet` is the edited part of the file, read from the result's text.
    """

    file_path: str
    old_string: str = ""
    new_string: str = ""
    original_file: str | None = None
    structured_patch: tuple[Hunk, ...] = ()
    user_modified: bool = False
    replace_all: bool = False
    git_diff: GitDiff | None = None
    snippet: NumberedText | None = None


def _label(change: "EditInput | MultiEditInput | WriteInput", cwd: str) -> str:
    return short_path(change.file_path, cwd)


def _read_edit(arguments: EditInput, text: str) -> EditResult | None:
    """Read the confirmation, and the snippet that older clients put below it."""
    if not (text.startswith("The file ") and " has been updated" in text):
        return None
    _, _, below = text.partition("snippet of the edited file:\n")
    return EditResult(
        arguments.file_path,
        arguments.old_string,
        arguments.new_string,
        replace_all=arguments.replace_all,
        snippet=read_numbered(below),
    )


def edit_diff(result: EditResult) -> Diff:
    """Make the diff of an edit.

    The text of the file before it is the best source. The hunks that the client recorded come
    second, because they have spaces in place of leading tabs.
    """
    path, old, new = result.file_path, result.old_string, result.new_string
    if result.original_file is not None and (old or new):
        spans = find_spans(result.original_file, old, new, replace_all=result.replace_all)
        if spans:
            return diff_of_spans(path, result.original_file, spans, new)
    if new and not old:
        return diff_of_files(path, "", new)
    if result.structured_patch:
        return diff_of_hunks(path, result.structured_patch, old, new)
    diff = _snippet_diff(result) or diff_of(
        path, fragment_hunks(old, new), count_fragments(old, new)
    )
    is_lower_bound = diff.is_lower_bound or result.replace_all
    return msgspec.structs.replace(diff, is_lower_bound=is_lower_bound)


def _snippet_diff(result: EditResult) -> Diff | None:
    """Compare the lines around an edit, where the result shows them and the edit is unique."""
    snippet, old, new = result.snippet, result.old_string, result.new_string
    if snippet is None or not new or snippet.content.count(new) != 1:
        return None
    before = snippet.content.replace(new, old)
    return diff_of_fragments(result.file_path, before, snippet.content, snippet.start_line)


def proposed_edit(edit: EditInput) -> EditResult:
    """Return the result that an edit has if it succeeds, from its input."""
    return EditResult(
        edit.file_path, edit.old_string, edit.new_string, replace_all=edit.replace_all
    )


def _edit_parts(edit: EditInput, result: EditResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the diff that was made, or would have been."""
    shown = ("file_path", "old_string", "new_string")
    yield from input_fields(call, *shown, "" if edit.replace_all else "replace_all")
    yield edit_diff(result or proposed_edit(edit))
    if result is not None:
        yield from note("Edited by the user before it was applied", when=result.user_modified)


EDIT: Final = Tool(
    names=("Edit",),
    input=EditInput,
    result=EditResult,
    label=_label,
    parts=_edit_parts,
    read_text=_read_edit,
)


class EditStep(msgspec.Struct, frozen=True):
    """One replacement."""

    old_string: str
    new_string: str
    replace_all: bool = False
    expected_replacements: Number | None = None


class MultiEditInput(msgspec.Struct, frozen=True):
    """Which file, and its replacements in order."""

    file_path: str
    edits: tuple[EditStep, ...] | str


class MultiEditResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was replaced, and the resulting hunks."""

    file_path: str
    edits: tuple[EditStep, ...] = ()
    original_file_contents: str | None = None
    structured_patch: tuple[Hunk, ...] = ()
    user_modified: bool = False


def _read_multi_edit(arguments: MultiEditInput, text: str) -> MultiEditResult | None:
    """Read the confirmation; it shortens the edits, so they are taken from the input."""
    if not text.startswith("Applied ") or isinstance(arguments.edits, str):
        return None
    return proposed_edits(arguments)


def proposed_edits(arguments: MultiEditInput) -> MultiEditResult:
    """Return the result that edits have if they succeed; edits that are text are skipped."""
    edits = () if isinstance(arguments.edits, str) else arguments.edits
    return MultiEditResult(arguments.file_path, edits)


def multi_edit_diff(result: MultiEditResult) -> Diff:
    """Make the diff of all edits together, from the best source, as for one edit."""
    path, steps = result.file_path, result.edits
    if result.original_file_contents is not None:
        after = _apply_steps(result.original_file_contents, steps)
        if after is not None:
            return diff_of_files(path, result.original_file_contents, after)
    if result.structured_patch:
        old = "\n".join(step.old_string for step in steps)
        new = "\n".join(step.new_string for step in steps)
        return diff_of_hunks(path, result.structured_patch, old, new)
    hunks = [hunk for step in steps for hunk in fragment_hunks(step.old_string, step.new_string)]
    return diff_of(path, tuple(hunks), _count_steps(steps))


def _apply_steps(text: str, steps: Iterable[EditStep]) -> str | None:
    """Apply the edits one after the other; None if one does not fit the text."""
    for step in steps:
        old, new = step.old_string, step.new_string
        spans = find_spans(text, old, new, replace_all=step.replace_all)
        if not spans:
            return None
        text = replace_spans(text, spans, new)
    return text


def _count_steps(steps: Sequence[EditStep]) -> LineCounts:
    """Count the lines of edits in an unknown file.

    A later edit may undo an earlier one, so only edits that no later one touches are counted, and
    several of them are a lower bound.
    """
    last = [step for at, step in enumerate(steps) if not _is_changed_later(step, steps[at + 1 :])]
    counts = [count_fragments(step.old_string, step.new_string) for step in last]
    is_exact = len(steps) == 1 and not counts[0].is_lower_bound and not steps[0].replace_all
    added, removed = sum(each.added for each in counts), sum(each.removed for each in counts)
    return LineCounts(added, removed, is_lower_bound=not is_exact)


def _is_changed_later(step: EditStep, later: Iterable[EditStep]) -> bool:
    new = step.new_string
    return any(other.old_string in new or new in other.old_string for other in later)


def _multi_edit_parts(
    edit: MultiEditInput, result: MultiEditResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the diff that was made, or would have been."""
    if isinstance(edit.edits, str):
        yield from input_fields(call, "file_path")
    else:
        yield from input_fields(call, "file_path", "edits")
        yield multi_edit_diff(result or proposed_edits(edit))
    if result is not None:
        yield from note("Edited by the user before it was applied", when=result.user_modified)


MULTI_EDIT: Final = Tool(
    names=("MultiEdit",),
    input=MultiEditInput,
    result=MultiEditResult,
    label=_label,
    parts=_multi_edit_parts,
    read_text=_read_multi_edit,
)


class WriteInput(msgspec.Struct, frozen=True):
    """Which file, and its content."""

    file_path: str
    content: str


class WriteResult(msgspec.Struct, frozen=True, rename="camel"):
    """`type` is create or update; a new file has no original."""

    type: str
    file_path: str
    content: str = ""
    structured_patch: tuple[Hunk, ...] = ()
    original_file: str | None = None
    user_modified: bool = False
    git_diff: GitDiff | None = None


def _read_write(arguments: WriteInput, text: str) -> WriteResult | None:
    """Read the confirmation."""
    if text.startswith("File created successfully at: "):
        return WriteResult("create", arguments.file_path, arguments.content)
    if text.startswith("The file ") and " has been " in text:
        return WriteResult("update", arguments.file_path, arguments.content)
    return None


def write_diff(result: WriteResult) -> Diff | None:
    """Make the diff of a write; None where the content before it is unknown."""
    path, content = result.file_path, result.content
    if result.type == "create":
        return diff_of_files(path, "", content)
    if result.original_file is not None:
        return diff_of_files(path, result.original_file, content)
    if not result.structured_patch:
        return None
    diff = diff_of_hunks(path, result.structured_patch, "", content)
    # A line whose tabs became spaces is in no hunk that a client recorded.
    is_lower_bound = content.startswith(_INDENTS) or any(f"\n{i}" in content for i in _INDENTS)
    return msgspec.structs.replace(diff, is_lower_bound=is_lower_bound)


def _write_parts(write: WriteInput, result: WriteResult | None, call: ToolCall) -> Iterator[Part]:
    """Show a new file whole, and of a replaced one the diff."""
    yield from input_fields(call, "file_path", "content")
    diff = None if result is None or result.type == "create" else write_diff(result)
    if diff is None:
        content = write.content if result is None else result.content
        yield Code(content, language_of(write.file_path), write.file_path, 1)
        yield from note("Empty file", when=not content)
    else:
        yield diff
        yield from note("Nothing changed", when=not diff.hunks)
    if result is not None:
        yield from note("Edited by the user before it was written", when=result.user_modified)


WRITE: Final = Tool(
    names=("Write",),
    input=WriteInput,
    result=WriteResult,
    label=_label,
    parts=_write_parts,
    read_text=_read_write,
)
