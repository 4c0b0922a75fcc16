"""Diffs as clients record them: hunks, with two spaces for each leading tab."""

from collections.abc import Iterable
from typing import Final

import msgspec

from clew.parts import Diff, DiffHunk
from clew.tools.diffs.compare import diff_of
from clew.tools.tool import Number

_TAB: Final = "  "


class Hunk(msgspec.Struct, frozen=True, rename="camel"):
    """One hunk of a diff; each line begins with a space, `+`, `-` or a backslash."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        """The number of new lines."""
        return sum(line.startswith("+") for line in self.lines)

    @property
    def removed(self) -> int:
        """The number of removed lines."""
        return sum(line.startswith("-") for line in self.lines)


class GitDiff(msgspec.Struct, frozen=True):
    """The same change as a diff of git."""

    filename: str = ""
    status: str = ""
    additions: Number = 0
    deletions: Number = 0
    changes: Number = 0
    patch: str = ""
    repository: str | None = None


def diff_of_hunks(path: str, hunks: Iterable[Hunk], old: str = "", new: str = "") -> Diff:
    """Make a diff of the hunks that a client recorded.

    Clients record two spaces for each leading tab. Lines of the replaced text and of the new one
    get their tabs back; a change of such a tab into spaces is not in the hunks.
    """
    before, after = set(old.split("\n")), set(new.split("\n"))
    lines = before | after
    tabs = {"-": _tabbed(before), "+": _tabbed(after), " ": _tabbed(lines)}
    recorded = tuple(
        DiffHunk(hunk.old_start, hunk.new_start, _with_tabs(hunk.lines, tabs)) for hunk in hunks
    )
    is_lower_bound = len(set(map(_without_tabs, lines))) < len(lines)
    return msgspec.structs.replace(diff_of(path, recorded), is_lower_bound=is_lower_bound)


def _tabbed(lines: set[str]) -> dict[str, str]:
    """Map what clients record to the lines that begin with a tab."""
    tabbed = {_without_tabs(line): line for line in lines if line.startswith("\t")}
    return {recorded: line for recorded, line in tabbed.items() if recorded not in lines}


def _with_tabs(lines: tuple[str, ...], tabs: dict[str, dict[str, str]]) -> tuple[str, ...]:
    if not any(tabs.values()):
        return lines
    return tuple([line[:1] + tabs.get(line[:1], {}).get(line[1:], line[1:]) for line in lines])


def _without_tabs(line: str) -> str:
    """Write a line as clients do in hunks: two spaces for each leading tab."""
    rest = line.lstrip("\t")
    return _TAB * (len(line) - len(rest)) + rest
