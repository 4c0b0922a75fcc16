"""Findings: what was found in one file, small enough to hand from one process to another."""

from typing import Final

import msgspec

from clew.check.links import LooseEnd
from clew.problems import Problem

# A report lists this many problems of a kind, and counts them all.
MOST_EXAMPLES: Final = 1000


class Ids(msgspec.Struct, frozen=True):
    """The ids that a file contains, as digests, for the loose ends of other files."""

    uuids: bytes = b""
    calls: bytes = b""
    results: bytes = b""


class LooseEnds(msgspec.Struct, frozen=True):
    """What a file's own ids do not answer: parents, calls of results, results of calls."""

    parents: list[LooseEnd] = []
    results: list[LooseEnd] = []
    calls: list[LooseEnd] = []


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one file.

    `problems` contains the first ones of each kind; `problem_counts` counts all. `identical` is
    None when the file could not be read to its end.
    """

    file: str
    identical: bool | None = None
    lines: int = 0
    entries: int = 0
    types: dict[str, int] = {}
    versions: dict[str, int] = {}
    drift: dict[str, dict[str, int]] = {}
    problem_counts: dict[str, int] = {}
    problems: list[Problem] = []
    ids: Ids = Ids()
    loose: LooseEnds = LooseEnds()
