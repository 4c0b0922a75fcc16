"""Changes of a file as the client keeps them: hunks of a diff."""

from typing import Final

import msgspec

from clew.tools.tool import Number

_TAB: Final = "  "


class Hunk(msgspec.Struct, frozen=True, rename="camel"):
    """One stretch of a diff; each line begins with a blank, `+`, `-` or a backslash."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        """Count the lines that are new."""
        return sum(line.startswith("+") for line in self.lines)

    @property
    def removed(self) -> int:
        """Count the lines that are gone."""
        return sum(line.startswith("-") for line in self.lines)


class GitDiff(msgspec.Struct, frozen=True):
    """The same change as git tells it."""

    filename: str = ""
    status: str = ""
    additions: Number = 0
    deletions: Number = 0
    changes: Number = 0
    patch: str = ""
    repository: str | None = None


def without_tabs(line: str) -> str:
    """Write a line as clients do in hunks: two blanks for each tab that it begins with."""
    rest = line.lstrip("\t")
    return _TAB * (len(line) - len(rest)) + rest
