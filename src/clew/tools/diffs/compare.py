"""Diffs computed from a text before and after."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from clew.parts import Diff, DiffHunk
from clew.tools.diffs.lcs import can_compare, changed_blocks
from clew.tools.diffs.line_counts import LineCounts

Span: TypeAlias = tuple[int, int]
_CONTEXT: Final = 3
_NO_NEWLINE: Final = "\\ No newline at end of file"
_Block: TypeAlias = tuple[int, int, int, int]


def find_spans(text: str, old: str, new: str, *, replace_all: bool) -> list[Span]:
    """Find the spans of a text that an edit replaces; none where `old` is not in it.

    An empty `old` means the whole text. An empty `new` removes the newline after `old` too.
    """
    if not old:
        return [(0, len(text))]
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old = f"{old}\n"
    spans = _occurrences(text, old)
    return list(spans) if replace_all else [span for span, _ in zip(spans, "1", strict=False)]


def replace_spans(text: str, spans: Iterable[Span], new: str) -> str:
    """Replace each span by `new`."""
    pieces, at = [], 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    return new.join((*pieces, text[at:]))


def _occurrences(text: str, part: str) -> Iterator[Span]:
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        yield at, end
        at = text.find(part, end)


def diff_of_files(path: str, before: str, after: str) -> Diff:
    """Compare a whole file before and after."""
    return diff_of(path, tuple(_hunks(_file_lines(before), _file_lines(after), 1, 1)))


def diff_of_spans(path: str, text: str, spans: Sequence[Span], new: str) -> Diff:
    """Compare a whole file before and after replacements; lines far from them are not compared."""
    hunks: list[DiffHunk] = []
    line, shift, at = 1, 0, 0
    for start, end, inside in _windows(text, spans):
        before = text[start:end]
        after = replace_spans(before, [(a - start, b - start) for a, b in inside], new)
        line += text.count("\n", at, start)
        hunks += _hunks(_file_lines(before), _file_lines(after), line, line + shift)
        shift += after.count("\n") - before.count("\n")
        at = start
    return diff_of(path, tuple(hunks))


def diff_of_fragments(path: str, old: str, new: str, first_line: int | None = None) -> Diff:
    """Compare fragments of a file, which need not begin and end where lines do.

    `first_line` is the line they begin at, None if unknown.
    """
    return diff_of(path, fragment_hunks(old, new, first_line))


def fragment_hunks(old: str, new: str, first_line: int | None = None) -> tuple[DiffHunk, ...]:
    """Compare fragments of a file, and return the hunks."""
    at = first_line or 1
    hunks = _hunks(_fragment_lines(old, new), _fragment_lines(new, old), at, at)
    if first_line is not None:
        return tuple(hunks)
    return tuple(DiffHunk(None, None, hunk.lines) for hunk in hunks)


def diff_of(path: str, hunks: tuple[DiffHunk, ...], counts: LineCounts | None = None) -> Diff:
    """Make a diff of hunks; without `counts`, its lines are counted."""
    counts = counts or _count(hunks)
    return Diff(path, hunks, counts.added, counts.removed, counts.is_lower_bound)


def _count(hunks: Iterable[DiffHunk]) -> LineCounts:
    """Count the lines of hunks; blocks that were too long to compare may share lines."""
    added = removed = shared = 0
    for hunk in hunks:
        signs = [line[:1] for line in hunk.lines]
        came, gone = signs.count("+"), signs.count("-")
        added, removed = added + came, removed + gone
        if not can_compare(came, gone):
            shared += (_lines_of(hunk, "+") & _lines_of(hunk, "-")).total()
    return LineCounts(added - shared, removed - shared, is_lower_bound=shared > 0)


def _lines_of(hunk: DiffHunk, sign: str) -> Counter[str]:
    return Counter(line[1:] for line in hunk.lines if line.startswith(sign))


def _hunks(old: list[str], new: list[str], old_start: int, new_start: int) -> Iterator[DiffHunk]:
    for blocks in _grouped(changed_blocks(old, new)):
        lines: list[str] = []
        top = max(blocks[0][0] - _CONTEXT, 0)
        at = top
        for old_at, old_end, new_at, new_end in blocks:
            lines += [f" {line}" for line in old[at:old_at]]
            lines += [f"-{line}" for line in old[old_at:old_end]]
            lines += [f"+{line}" for line in new[new_at:new_end]]
            at = old_end
        lines += [f" {line}" for line in old[at : at + _CONTEXT]]
        above = blocks[0][0] - top
        # A last line without a newline includes its marker, which is a line of its own.
        marked = tuple("\n".join(lines).split("\n"))
        yield DiffHunk(old_start + top, new_start + blocks[0][2] - above, marked)


def _grouped(blocks: Iterable[_Block]) -> Iterator[list[_Block]]:
    """Put blocks in one hunk whose lines of context would meet."""
    group: list[_Block] = []
    for block in blocks:
        if group and block[0] - group[-1][1] > 2 * _CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _file_lines(text: str) -> list[str]:
    """Split a file into lines; a last line without a newline differs from the same with one."""
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += f"\n{_NO_NEWLINE}"
    else:
        lines.pop()
    return lines


def _fragment_lines(text: str, other: str) -> list[str]:
    """Split a fragment into lines; a last newline counts only if the other fragment lacks it."""
    if not text:
        return []
    return (text.removesuffix("\n") if not other or other.endswith("\n") else text).split("\n")


def _windows(text: str, spans: Iterable[Span]) -> Iterator[tuple[int, int, list[Span]]]:
    """Cut out the lines of replacements with their context, together where they meet."""
    first = last = 0
    inside: list[Span] = []
    for start, end in spans:
        top, bottom = _above(text, start), _below(text, end)
        if inside and top > last:
            yield first, last, inside
            inside = []
        first = first if inside else top
        last = bottom
        inside.append((start, end))
    if inside:
        yield first, last, inside


def _above(text: str, at: int) -> int:
    """Find the start of the context above a position."""
    for _ in range(_CONTEXT + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _below(text: str, at: int) -> int:
    """Find the end of the context below a position."""
    for _ in range(_CONTEXT + 1):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at
