"""The number of lines that a change added and removed, exact or a lower bound."""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from clew.tools.diffs.lcs import changed_blocks

# The first line of a fragment may continue a line of the file, and the last may be continued.
_Line: TypeAlias = tuple[str, bool, bool]


class LineCounts(msgspec.Struct, frozen=True):
    """Lines added and removed; both are lower bounds where not all is known of the change."""

    added: int
    removed: int
    is_lower_bound: bool = False


def count_fragments(old: str, new: str) -> LineCounts:
    """Count the lines that change when `new` replaces `old` in a file whose text is unknown.

    The first and the last line may be parts of lines. Where the rest of such a line decides
    whether it is one of those that stay, the counts are lower bounds.
    """
    if not new:
        # The newline after the old text is removed too, where there is one.
        return LineCounts(0, max(old.count("\n"), len(old[:1])), is_lower_bound=True)
    if not old:
        return LineCounts(new.removesuffix("\n").count("\n") + 1, 0)
    before, after = _lines(old), _lines(new)
    blocks = list(changed_blocks(before, after))
    removed = sum(end - start for start, end, _, _ in blocks)
    added = sum(end - start for _, _, start, end in blocks)
    doubts = min(_doubts(before, after), added, removed)
    # At the end of the file no line follows a last newline.
    new_ends, old_ends = new.endswith("\n"), old.endswith("\n")
    return LineCounts(
        max(added - doubts - (new_ends > old_ends), 0),
        max(removed - doubts - (old_ends > new_ends), 0),
        is_lower_bound=doubts > 0 or new_ends != old_ends,
    )


def _lines(text: str) -> list[_Line]:
    lines = text.split("\n")
    last = len(lines) - 1
    return [(line, number == 0, number == last) for number, line in enumerate(lines)]


def _doubts(old: list[_Line], new: list[_Line]) -> int:
    """Count the ends at which a line may turn out to be one of the other lines."""
    above, below = old[0] != new[0], old[-1] != new[-1]
    # Lines that both begin or end with stay, whatever surrounds them.
    old, new = old[1 - above : len(old) + below - 1], new[1 - above : len(new) + below - 1]
    if not old or not new:
        return 0
    starts = above and (_may_end(new[1:], old[0]) or _may_end(old[1:], new[0]))
    ends = below and (_may_begin(new[:-1], old[-1]) or _may_begin(old[:-1], new[-1]))
    return starts + ends


def _may_end(lines: Sequence[_Line], first: _Line) -> bool:
    return any(text.endswith(first[0]) for text, _, _ in lines)


def _may_begin(lines: Sequence[_Line], last: _Line) -> bool:
    return any(text.startswith(last[0]) for text, _, _ in lines)
