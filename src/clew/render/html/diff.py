"""A change of a file → its lines, with what changed inside of them."""

from itertools import groupby
from typing import Final

import msgspec

from clew.parts import Diff, DiffHunk
from clew.render.html.escaping import escape, tag

_SHARE: Final = 3
_LONGEST: Final = 400
_CLASSES: Final = {"+": "added", "-": "removed"}


class HunkView(msgspec.Struct, frozen=True, gc=False):
    """The lines of a hunk as markup, and their numbers below each other."""

    text: str
    numbers: str
    is_far: bool


def draw_hunks(diff: Diff) -> list[HunkView]:
    """Draw the hunks of a diff; one that does not follow on the one before it is `is_far`."""
    return [
        HunkView(_draw_lines(hunk.lines), _number(hunk), bool(position))
        for position, hunk in enumerate(diff.hunks)
    ]


def _draw_lines(lines: tuple[str, ...]) -> str:
    """Put lines of one mark in one element; removed lines are compared with those added."""
    groups = [(mark, list(own)) for mark, own in groupby(lines, key=_mark)]
    drawn = []
    for position, (mark, own) in enumerate(groups):
        across = _opposite(groups, position)
        if across:
            pairs = zip(own, across, strict=True)
            text = "\n".join(_compared(line, other) for line, other in pairs)
        else:
            text = _escaped(own)
        # The last newline is invisible, but part of what is copied.
        drawn.append(tag("span", _CLASSES.get(mark, "same"), f"{text}\n"))
    return "".join(drawn)


def _escaped(lines: list[str]) -> str:
    text = "\n".join(lines)
    # A return at the end of a line and the newline behind it would count as one.
    return "\n".join(map(escape, lines)) if "\r" in text else escape(text)


def _mark(line: str) -> str:
    return line[:1] if line[:1] in _CLASSES else " "


def _opposite(groups: list[tuple[str, list[str]]], position: int) -> list[str]:
    """Find the lines that took the place of these, or that these took: just as many, adjacent."""
    mark, own = groups[position]
    beside = position + 1 if mark == "-" else position - 1
    if mark not in _CLASSES or not 0 <= beside < len(groups):
        return []
    other_mark, others = groups[beside]
    fits = other_mark != " " and len(others) == len(own)
    return others if fits else []


def _compared(line: str, other: str) -> str:
    """Mark what differs in a line, unless most of it does."""
    if len(line) > _LONGEST or len(other) > _LONGEST:
        return escape(line)
    mine, theirs = line[1:], other[1:]
    start = _shared(mine, theirs)
    rest = _shared(mine[start:][::-1], theirs[start:][::-1])
    end = len(mine) - rest
    shared = len(mine[:start].strip()) + len(mine[end:].strip())
    if start >= end or shared * _SHARE < max(len(mine.strip()), len(theirs.strip())):
        return escape(line)
    changed = tag("b", "changed", escape(mine[start:end]))
    return f"{line[0]}{escape(mine[:start])}{changed}{escape(mine[end:])}"


def _shared(one: str, other: str) -> int:
    """Count the characters with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _number(hunk: DiffHunk) -> str:
    """Write the number of each line: in the old file where it was removed, else in the new."""
    old, new = hunk.old_start, hunk.new_start
    if old is None and new is None:
        return ""
    old, new = (new or 1) if old is None else old, (old or 1) if new is None else new
    numbers = []
    for line in hunk.lines:
        mark = line[:1]
        if mark == "\\":
            numbers.append("")
            continue
        numbers.append(str(old if mark == "-" else new))
        old += mark != "+"
        new += mark != "-"
    return "\n".join(numbers)
