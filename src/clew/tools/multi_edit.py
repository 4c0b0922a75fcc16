"""MultiEdit: several replacements in one file, one after the other."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Diff, Part
from clew.tools.diffs import diff_of, diff_of_files, diff_of_hunks, fragment_hunks
from clew.tools.line_counts import LineCounts, count_fragments
from clew.tools.patch import Hunk
from clew.tools.paths import short_path
from clew.tools.pieces import note, options
from clew.tools.replacing import find_spans, replace_spans
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
    return proposed_edits(arguments)


def proposed_edits(arguments: MultiEditInput) -> MultiEditResult:
    """Give what edits come to if all goes well; those that are no list say nothing."""
    edits = () if isinstance(arguments.edits, str) else arguments.edits
    return MultiEditResult(arguments.file_path, edits)


def multi_edit_diff(result: MultiEditResult) -> Diff:
    """Give what the edits changed together, from the best evidence there is, as for one edit."""
    path, steps = result.file_path, result.edits
    if result.original_file_contents is not None:
        after = _apply(result.original_file_contents, steps)
        if after is not None:
            return diff_of_files(path, result.original_file_contents, after)
    if result.structured_patch:
        old = "\n".join(step.old_string for step in steps)
        new = "\n".join(step.new_string for step in steps)
        return diff_of_hunks(path, result.structured_patch, old, new)
    hunks = [hunk for step in steps for hunk in fragment_hunks(step.old_string, step.new_string)]
    return diff_of(path, tuple(hunks), _count(steps))


def _apply(text: str, steps: Iterable[EditStep]) -> str | None:
    """Make the edits one after the other; None where one does not fit the text."""
    for step in steps:
        old, new = step.old_string, step.new_string
        spans = find_spans(text, old, new, replace_all=step.replace_all)
        if not spans:
            return None
        text = replace_spans(text, spans, new)
    return text


def _count(steps: Sequence[EditStep]) -> LineCounts:
    """Count the lines of edits in an unknown file.

    A later edit may take back what an earlier one did, so only those that no later one touches
    are counted, and several of them are a lower bound.
    """
    last = [step for at, step in enumerate(steps) if not _is_touched(step, steps[at + 1 :])]
    counts = [count_fragments(step.old_string, step.new_string) for step in last]
    is_exact = len(steps) == 1 and not counts[0].is_lower_bound and not steps[0].replace_all
    added, removed = sum(each.added for each in counts), sum(each.removed for each in counts)
    return LineCounts(added, removed, is_lower_bound=not is_exact)


def _is_touched(step: EditStep, later: Iterable[EditStep]) -> bool:
    new = step.new_string
    return any(other.old_string in new or new in other.old_string for other in later)


def parts(edit: MultiEditInput, result: MultiEditResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the diff that was made, or would have been."""
    if isinstance(edit.edits, str):
        yield from options(call, "file_path")
    else:
        yield from options(call, "file_path", "edits")
        yield multi_edit_diff(result or proposed_edits(edit))
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
