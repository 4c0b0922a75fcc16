"""Counting names that come from files, within bounds."""

from typing import Final

from clew.check.findings import MOST_EXAMPLES
from clew.problems import Problem

OTHERS: Final = "(others)"
UNKNOWN_VERSION: Final = "unknown"
# No client writes nearly as many types or fields. A hostile file must not fill the memory.
_MOST_NAMES: Final = 1000


def count(counts: dict[str, int], name: str, by: int = 1) -> None:
    """Count one more of this name, or of the others when there are too many names."""
    if name not in counts and len(counts) >= _MOST_NAMES:
        name = OTHERS
    counts[name] = counts.get(name, 0) + by


class ProblemCounter:
    """The problems of one file: all counted, the first of each kind listed."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.first: list[Problem] = []

    def add(self, problem: Problem) -> None:
        """Count a problem."""
        found = self.counts.get(problem.kind, 0) + 1
        self.counts[problem.kind] = found
        if found <= MOST_EXAMPLES:
            self.first.append(problem)


class DriftCounter:
    """Types and fields that no struct names, per client version.

    Markers carry no version: theirs is that of the entry before, or of the first that has one.
    """

    def __init__(self) -> None:
        self._version = ""
        self._paths: dict[str, dict[str, int]] = {}

    def set_version(self, version: str) -> None:
        """Set the version of the client that wrote the next entries."""
        self._version = version

    def add(self, path: str) -> None:
        """Count a path."""
        if self._version not in self._paths and len(self._paths) >= _MOST_NAMES:
            self._version = OTHERS
        count(self._paths.setdefault(self._version, {}), path)

    def by_version(self, first_version: str) -> dict[str, dict[str, int]]:
        """Return the counts; what was before any version goes to the first."""
        paths = {version: dict(counts) for version, counts in self._paths.items() if version}
        for path, number in self._paths.get("", {}).items():
            count(paths.setdefault(first_version or UNKNOWN_VERSION, {}), path, number)
        return paths
