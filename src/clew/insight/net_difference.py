"""What two sessions made of the same files: the end of one against the end of the other."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from clew.conversation import Conversation
from clew.parts import DiffHunk
from clew.replay import NetChange, find_changes, replay_session
from clew.tools import diff_of_files

Difference: TypeAlias = Literal["only_a", "only_b", "same", "different", "unknown"]

_LONGEST_DIFF: Final = 2_000


class ChangedSide(msgspec.Struct, frozen=True, kw_only=True):
    """What one session made of a file; `state` says how sure its text at the end is.

    Without `has_counts`, the text before or after is unknown, and so are the lines.
    """

    action: str
    state: str
    has_counts: bool
    added: int
    removed: int
    reason: str = ""


class FileDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A file that one or both sessions changed; `path` is relative to their projects.

    `hunks` lead from the end of session A to that of B, or are the net change of the only session
    that changed the file. Where a text is unknown, there are none and `reason` says why; a diff of
    very many lines is left out.
    """

    path: str
    difference: Difference
    a: ChangedSide | None = None
    b: ChangedSide | None = None
    added: int = 0
    removed: int = 0
    hunks: tuple[DiffHunk, ...] = ()
    reason: str = ""


def read_changes(conversation: Conversation) -> dict[str, NetChange]:
    """Return what a session changed, by the path in its project; what it undid is left out."""
    changes = find_changes(conversation, replay_session(conversation))
    return {file.name: file for file in changes.files if file.action != "none"}


def compare_changes(
    a: Mapping[str, NetChange], b: Mapping[str, NetChange]
) -> tuple[FileDifference, ...]:
    """Compare what two sessions changed, file by file."""
    return tuple(_difference(path, a.get(path), b.get(path)) for path in sorted({*a, *b}))


def _difference(path: str, a: NetChange | None, b: NetChange | None) -> FileDifference:
    if a is None or b is None:
        return _one_sided(path, a, b)
    unknown = next((file for file in (a, b) if not file.end.is_known), None)
    found = FileDifference(path=path, difference="unknown", a=_side(a), b=_side(b))
    if unknown is not None:
        return msgspec.structs.replace(found, reason=unknown.reason)
    before, after = a.end.text or "", b.end.text or ""
    if before == after and a.end.exists == b.end.exists:
        return msgspec.structs.replace(found, difference="same")
    diff = diff_of_files(path, before, after)
    found = msgspec.structs.replace(found, difference="different")
    return _with_hunks(found, diff.hunks, diff.added, diff.removed)


def _one_sided(path: str, a: NetChange | None, b: NetChange | None) -> FileDifference:
    only: Difference = "only_b" if a is None else "only_a"
    found = FileDifference(
        path=path,
        difference=only,
        a=None if a is None else _side(a),
        b=None if b is None else _side(b),
    )
    file = a or b
    if file is None or not file.has_diff:
        return msgspec.structs.replace(found, reason="" if file is None else file.reason)
    hunks = (DiffHunk(h.old_start, h.new_start, h.lines) for h in file.hunks)
    return _with_hunks(found, hunks, file.added, file.removed)


def _with_hunks(
    found: FileDifference, hunks: Iterable[DiffHunk], added: int, removed: int
) -> FileDifference:
    shown = tuple(hunks)
    is_long = sum(len(hunk.lines) for hunk in shown) > _LONGEST_DIFF
    return msgspec.structs.replace(
        found,
        added=added,
        removed=removed,
        hunks=() if is_long else shown,
        reason=f"more than {_LONGEST_DIFF:,} lines" if is_long else "",
    )


def _side(file: NetChange) -> ChangedSide:
    return ChangedSide(
        action=file.action,
        state=str(file.state),
        has_counts=file.has_diff,
        added=file.added,
        removed=file.removed,
        reason=file.reason,
    )
