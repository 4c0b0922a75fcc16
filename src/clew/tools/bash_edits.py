"""Files that a shell command changed, as the client saw them before and after it."""

from collections.abc import Iterator

import msgspec

from clew.parts import Listing, Note, Part
from clew.tools.diffs import diff_of_hunks
from clew.tools.patch import Hunk
from clew.tools.pieces import fold, note
from clew.tools.tool import Number


class EditedFile(msgspec.Struct, frozen=True, rename="camel"):
    """One file with its changes."""

    file_path: str
    hunks: tuple[Hunk, ...] = ()
    created: bool = False
    deleted: bool = False


class BashEditDiff(msgspec.Struct, frozen=True, rename="camel"):
    """What a command changed.

    At most a few `files` have their hunks, and binary or very long ones never do: `more_files`
    counts the others. `changed_files` are the paths of all.
    """

    files: tuple[EditedFile, ...] = ()
    more_files: Number = 0
    changed_files: tuple[str, ...] = ()


class ShellChange(msgspec.Struct, frozen=True):
    """A file that a command changed; lines are None where the client kept no hunks."""

    path: str
    action: str = "edit"
    added: int | None = None
    removed: int | None = None


def shell_changes(edits: BashEditDiff) -> Iterator[ShellChange]:
    """List the files that a command changed."""
    for file in edits.files:
        action = "create" if file.created else "delete" if file.deleted else "edit"
        added = sum(hunk.added for hunk in file.hunks)
        removed = sum(hunk.removed for hunk in file.hunks)
        yield ShellChange(file.file_path, action, added, removed)
    yield from map(ShellChange, _others(edits))


def edit_parts(edits: BashEditDiff) -> Iterator[Part]:
    """Show the diff of each file, and name the files that have none."""
    for file in edits.files:
        yield from note("new file", when=file.created)
        yield from note("deleted file", when=file.deleted)
        yield diff_of_hunks(file.file_path, file.hunks)
    others = _others(edits)
    count = max(int(edits.more_files), len(others))
    title = f"{count:,} more {'file' if count == 1 else 'files'} changed"
    if others:
        yield from fold(title, [Listing(others, count)])
    elif count:
        yield Note(title)


def _others(edits: BashEditDiff) -> tuple[str, ...]:
    """Give the files whose changes are not told."""
    told = {file.file_path for file in edits.files}
    return tuple(path for path in edits.changed_files if path not in told)
