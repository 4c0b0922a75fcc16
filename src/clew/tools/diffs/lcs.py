"""The lines that two texts share: a longest common subsequence, for the smallest diff."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

# One bit for each pair of lines: 25 MB at most.
_MOST_PAIRS: Final = 200_000_000


def changed_blocks(
    old: Sequence[Hashable], new: Sequence[Hashable]
) -> Iterator[tuple[int, int, int, int]]:
    """List the blocks that differ, each as a range of old lines and one of new lines.

    Texts that are too long to compare are one block.
    """
    top = _common_prefix(old, new)
    rest_old, rest_new = old[top:], new[top:]
    bottom = _common_prefix(rest_old[::-1], rest_new[::-1])
    old_end, new_end = len(rest_old) - bottom, len(rest_new) - bottom
    old_at = new_at = 0
    matches = _common_lines(rest_old[:old_end], rest_new[:new_end])
    for old_match, new_match in (*matches, (old_end, new_end)):
        if old_match > old_at or new_match > new_at:
            yield top + old_at, top + old_match, top + new_at, top + new_match
        old_at, new_at = old_match + 1, new_match + 1


def can_compare(old_lines: int, new_lines: int) -> bool:
    """Whether texts of so many lines are compared."""
    return old_lines * new_lines <= _MOST_PAIRS


def _common_prefix(old: Sequence[Hashable], new: Sequence[Hashable]) -> int:
    """Count the lines that both begin with."""
    pairs = zip(old, new, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _common_lines(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    if not can_compare(len(old), len(new)) or set(old).isdisjoint(new):
        return []
    rows = _rows(old, new)
    found = []
    i, j = len(old), len(new)
    while i and j:
        if old[i - 1] == new[j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif rows[j] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1
    return found[::-1]


def _rows(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[int]:
    """Fill the table of a longest common subsequence, a row for each new line.

    Bit i of a row is 0 where old line i makes the subsequence longer. A row is one whole number,
    so that a step takes all of its cells at once (Hyyrö 2004).
    """
    places: dict[Hashable, int] = {}
    for i, line in enumerate(old):
        places[line] = places.get(line, 0) | 1 << i
    row = every = (1 << len(old)) - 1
    rows = [row]
    for line in new:
        hits = row & places.get(line, 0)
        row = ((row + hits) | (row - hits)) & every
        rows.append(row)
    return rows
