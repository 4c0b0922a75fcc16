"""Edit: one text in a file replaced by another."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Diff, Part
from clew.tools.diffs import (
    diff_of,
    diff_of_files,
    diff_of_fragments,
    diff_of_hunks,
    diff_of_spans,
    fragment_hunks,
)
from clew.tools.line_counts import count_fragments
from clew.tools.numbered import NumberedText, read_numbered
from clew.tools.patch import GitDiff, Hunk
from clew.tools.paths import short_path
from clew.tools.pieces import note, options
from clew.tools.replacing import find_spans
from clew.tools.tool import Number, Tool


class EditInput(msgspec.Struct, frozen=True):
    """Which file, and which text becomes which."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False
    expected_replacements: Number | None = None


class EditResult(msgspec.Struct, frozen=True, rename="camel"):
    """What was replaced, and the hunks that came of it.

    `snippet` is the edited stretch of the file, where only the result's text tells of the edit.
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


def read_text(arguments: EditInput, text: str) -> EditResult | None:
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
    """Give what an edit changed.

    The text of the file before is the best evidence. The hunks that the client recorded come
    after it, because they have blanks in place of the tabs that lines begin with.
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
    diff = _diff_of_snippet(result) or diff_of(
        path, fragment_hunks(old, new), count_fragments(old, new)
    )
    is_lower_bound = diff.is_lower_bound or result.replace_all
    return msgspec.structs.replace(diff, is_lower_bound=is_lower_bound)


def _diff_of_snippet(result: EditResult) -> Diff | None:
    """Compare the lines around an edit, where the result shows them and the edit is plain there."""
    snippet, old, new = result.snippet, result.old_string, result.new_string
    if snippet is None or not new or snippet.content.count(new) != 1:
        return None
    before = snippet.content.replace(new, old)
    return diff_of_fragments(result.file_path, before, snippet.content, snippet.start_line)


def proposed_edit(edit: EditInput) -> EditResult:
    """Give what an edit comes to if all goes well, as far as its input says."""
    return EditResult(
        edit.file_path, edit.old_string, edit.new_string, replace_all=edit.replace_all
    )


def parts(edit: EditInput, result: EditResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the diff that was made, or would have been."""
    told = ("file_path", "old_string", "new_string")
    yield from options(call, *told, "" if edit.replace_all else "replace_all")
    yield edit_diff(result or proposed_edit(edit))
    if result is not None:
        yield from note("the user changed the edit before it was made", when=result.user_modified)


EDIT: Final = Tool(
    names=("Edit",),
    input=EditInput,
    result=EditResult,
    label=lambda edit, cwd: short_path(edit.file_path, cwd),
    parts=parts,
    read_text=read_text,
)
