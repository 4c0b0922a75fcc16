"""Diffs: from the hunks that a client kept, or computed from a text before and after."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Final

from clew.parts import Diff, DiffHunk
from clew.tools.patch import Hunk

_CONTEXT: Final = 3
# Beyond this product of line counts a comparison takes longer than it is worth.
_MOST_PAIRS: Final = 4_000_000


def diff_of_hunks(path: str, hunks: Iterable[Hunk]) -> Diff:
    """Give the diff that a client kept."""
    kept = tuple(DiffHunk(hunk.old_start, hunk.new_start, hunk.lines) for hunk in hunks)
    return diff_of(path, kept)


def diff_of_texts(path: str, before: str, after: str, first_line: int | None = None) -> Diff:
    """Compare two texts by their lines; `first_line` is where in the file they begin."""
    return diff_of(path, tuple(hunks_between(before, after, first_line)))


def diff_of(path: str, hunks: tuple[DiffHunk, ...]) -> Diff:
    """Give a diff with its counts."""
    marks = [line[:1] for hunk in hunks for line in hunk.lines]
    return Diff(path, hunks, marks.count("+"), marks.count("-"))


def hunks_between(before: str, after: str, first_line: int | None = None) -> Iterator[DiffHunk]:
    """Give the hunks that lead from one text to the other."""
    old, new = _lines(before, after), _lines(after, before)
    skipped = max(_same(old, new) - _CONTEXT, 0)
    kept = max(_same(old[skipped:][::-1], new[skipped:][::-1]) - _CONTEXT, 0)
    old, new = old[skipped : len(old) - kept], new[skipped : len(new) - kept]
    for old_start, new_start, lines in _compared(old, new):
        if first_line is None:
            yield DiffHunk(None, None, lines)
        else:
            at = first_line + skipped
            yield DiffHunk(at + old_start, at + new_start, lines)


def _lines(text: str, other: str) -> list[str]:
    """Give a text's lines; a last newline counts only where the other text lacks it."""
    if not text:
        return []
    return (text.removesuffix("\n") if not other or other.endswith("\n") else text).split("\n")


def _same(old: list[str], new: list[str]) -> int:
    """Count the lines that two lists begin with alike."""
    pairs = zip(old, new, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _compared(old: list[str], new: list[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    if old == new:
        return
    if not (old and new) or len(old) * len(new) > _MOST_PAIRS:
        yield 0, 0, (*(f"-{line}" for line in old), *(f"+{line}" for line in new))
        return
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT):
        lines: list[str] = []
        for what, old_start, old_end, new_start, new_end in group:
            if what == "equal":
                lines += (f" {line}" for line in old[old_start:old_end])
            else:
                lines += (f"-{line}" for line in old[old_start:old_end])
                lines += (f"+{line}" for line in new[new_start:new_end])
        yield group[0][1], group[0][3], tuple(lines)
