"""MultiEdit: several replacements in one file, one after the other."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Diff, Part
from clew.tools.diffs import diff_of, diff_of_hunks, diff_of_texts, hunks_between
from clew.tools.patch import Hunk
from clew.tools.paths import short_path
from clew.tools.pieces import note, options
from clew.tools.tool import Number, Tool


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
    """What was replaced, and the hunks that came of it."""

    file_path: str
    edits: tuple[EditStep, ...] = ()
    original_file_contents: str | None = None
    structured_patch: tuple[Hunk, ...] = ()
    user_modified: bool = False


def read_text(arguments: MultiEditInput, text: str) -> MultiEditResult | None:
    """Read the confirmation; it shortens the edits, so they are taken from the input."""
    if not text.startswith("Applied ") or isinstance(arguments.edits, str):
        return None
    return MultiEditResult(arguments.file_path, arguments.edits)


def multi_edit_diff(result: MultiEditResult) -> Diff:
    """Give what the edits changed: as the client kept it, else as far as the texts tell."""
    path, original = result.file_path, result.original_file_contents
    if result.structured_patch:
        return diff_of_hunks(path, result.structured_patch)
    if original is not None:
        after = original
        for step in result.edits:
            after = after.replace(step.old_string, step.new_string, -1 if step.replace_all else 1)
        return diff_of_texts(path, original, after, 1)
    steps = (hunks_between(step.old_string, step.new_string) for step in result.edits)
    return diff_of(path, tuple(hunk for hunks in steps for hunk in hunks))


def parts(edit: MultiEditInput, result: MultiEditResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the diff that was made, or would have been."""
    if isinstance(edit.edits, str):
        yield from options(call, "file_path")
    else:
        yield from options(call, "file_path", "edits")
        yield multi_edit_diff(result or MultiEditResult(edit.file_path, edit.edits))
    if result is not None:
        yield from note("the user changed the edit before it was made", when=result.user_modified)


MULTI_EDIT: Final = Tool(
    names=("MultiEdit",),
    input=MultiEditInput,
    result=MultiEditResult,
    label=lambda edit, cwd: short_path(edit.file_path, cwd),
    parts=parts,
    read_text=read_text,
)
