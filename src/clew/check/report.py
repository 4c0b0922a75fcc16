"""Report: what a check found, in the order in which it is shown and written as JSON."""

from typing import Final

import msgspec

from clew.problems import Severity

SCHEMA: Final = "clew.check/1"


class Example(msgspec.Struct, frozen=True):
    """The position of one problem, and its text, which never quotes messages."""

    file: str
    line: int
    offset: int
    text: str


class ProblemGroup(msgspec.Struct, frozen=True):
    """All problems of one kind: counted in full, the first ones listed.

    `files` is the number of files that have at least one.
    """

    kind: str
    severity: Severity
    meaning: str
    count: int
    files: int
    examples: list[Example]


class FileTotals(msgspec.Struct, frozen=True):
    """How many files were looked at, of which kinds, and their size."""

    total: int
    by_kind: dict[str, int]
    size_bytes: int


class RoundTrip(msgspec.Struct, frozen=True):
    """How many files, joined again from their lines, are byte for byte what they were."""

    files: int
    identical: int
    different: list[str]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was checked and what was found: structure only, no text of any transcript.

    `drift` counts, per client version, the types and fields that no struct names.
    """

    schema: str = SCHEMA
    paths: list[str]
    files: FileTotals
    lines: int
    entries: int
    entries_by_type: dict[str, int]
    versions: dict[str, int]
    problems: list[ProblemGroup]
    drift: dict[str, dict[str, int]]
    round_trip: RoundTrip

    def count(self, severity: Severity) -> int:
        """Add up the problems of this severity."""
        return sum(group.count for group in self.problems if group.severity is severity)
