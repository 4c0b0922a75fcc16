"""Diffs: computed from a text before and after, or taken from the hunks that a client recorded."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from clew.parts import Diff, DiffHunk
from clew.tools.line_counts import LineCounts
from clew.tools.matching import can_compare, changed_blocks
from clew.tools.patch import Hunk, without_tabs
from clew.tools.replacing import Span, replace_spans

_CONTEXT: Final = 3
_NO_NEWLINE: Final = "\\ No newline at end of file"
_Block: TypeAlias = tuple[int, int, int, int]


def diff_of_hunks(path: str, hunks: Iterable[Hunk], old: str = "", new: str = "") -> Diff:
    """Give the diff that a client recorded.

    Clients record two blanks for each tab that a line begins with. Lines of the replaced text and
    of the new one get their tabs back; a change of such a tab into blanks is not in the hunks.
    """
    before, after = set(old.split("\n")), set(new.split("\n"))
    lines = before | after
    tabs = {"-": _tabbed(before), "+": _tabbed(after), " ": _tabbed(lines)}
    recorded = tuple(
        DiffHunk(hunk.old_start, hunk.new_start, _with_tabs(hunk.lines, tabs)) for hunk in hunks
    )
    is_lower_bound = len(set(map(without_tabs, lines))) < len(lines)
    return msgspec.structs.replace(diff_of(path, recorded), is_lower_bound=is_lower_bound)


def diff_of_files(path: str, before: str, after: str) -> Diff:
    """Compare a whole file before and after."""
    return diff_of(path, tuple(_hunks(_file_lines(before), _file_lines(after), 1, 1)))


def diff_of_spans(path: str, text: str, spans: Sequence[Span], new: str) -> Diff:
    """Compare a whole file before and after replacements; lines far from them are not looked at."""
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
    """Compare stretches of a file, which need not begin and end where lines do.

    `first_line` is the line they begin at; it is None where nothing says where they are.
    """
    return diff_of(path, fragment_hunks(old, new, first_line))


def fragment_hunks(old: str, new: str, first_line: int | None = None) -> tuple[DiffHunk, ...]:
    """Give the hunks that lead from one stretch of a file to another."""
    at = first_line or 1
    hunks = _hunks(_fragment_lines(old, new), _fragment_lines(new, old), at, at)
    if first_line is not None:
        return tuple(hunks)
    return tuple(DiffHunk(None, None, hunk.lines) for hunk in hunks)


def diff_of(path: str, hunks: tuple[DiffHunk, ...], counts: LineCounts | None = None) -> Diff:
    """Give a diff with its counts, which are those of its lines where no others are given."""
    counts = counts or _count(hunks)
    return Diff(path, hunks, counts.added, counts.removed, counts.is_lower_bound)


def _count(hunks: Iterable[DiffHunk]) -> LineCounts:
    """Count the lines of hunks; those that were too many to compare may not all have changed."""
    added = removed = shared = 0
    for hunk in hunks:
        signs = [line[:1] for line in hunk.lines]
        came, gone = signs.count("+"), signs.count("-")
        added, removed = added + came, removed + gone
        if not can_compare(came, gone):
            shared += (_lines_of(hunk, "+") & _lines_of(hunk, "-")).total()
    return LineCounts(added - shared, removed - shared, is_lower_bound=shared > 0)


def _tabbed(lines: set[str]) -> dict[str, str]:
    """Give the lines that begin with a tab by what clients record of them."""
    tabbed = {without_tabs(line): line for line in lines if line.startswith("\t")}
    return {recorded: line for recorded, line in tabbed.items() if recorded not in lines}


def _with_tabs(lines: tuple[str, ...], tabs: dict[str, dict[str, str]]) -> tuple[str, ...]:
    if not any(tabs.values()):
        return lines
    return tuple([line[:1] + tabs.get(line[:1], {}).get(line[1:], line[1:]) for line in lines])


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
        # A last line without a newline brings its marker along, which is a line of its own.
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
    """Give the lines of a file; a last one without a newline differs from the same with one."""
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += f"\n{_NO_NEWLINE}"
    else:
        lines.pop()
    return lines


def _fragment_lines(text: str, other: str) -> list[str]:
    """Give the lines of a stretch; a last newline counts only where the other one lacks it."""
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
    """Find the beginning of the context above a place."""
    for _ in range(_CONTEXT + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _below(text: str, at: int) -> int:
    """Find the end of the context below a place."""
    for _ in range(_CONTEXT + 1):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at
