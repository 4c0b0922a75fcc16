"""The findings of all files → one report."""

from collections.abc import Iterable, Sequence
from typing import Final

from clew.check.findings import MOST_EXAMPLES, Findings, Ids
from clew.check.input_files import CheckInput
from clew.check.links import LooseEnd, unresolved
from clew.check.names import version_key
from clew.check.report import Example, FileTotals, ProblemGroup, Report, RoundTrip
from clew.problems import PROBLEM_KINDS, Problem, Severity, severity_of
from clew.source import SourceFile

_SEVERITIES: Final = list(Severity)
_KINDS: Final = list(PROBLEM_KINDS)


class _KindProblems:
    """The problems of one kind so far."""

    def __init__(self) -> None:
        self.count = 0
        self.files = 0
        self._examples: list[Problem] = []

    def add(self, count: int, files: int, examples: Iterable[Problem]) -> None:
        """Add more problems: how many, in how many files, and the first of them."""
        self.count += count
        self.files += files
        self._examples.extend(examples)
        # Cut now and then, so that memory does not grow with the number of files.
        if len(self._examples) > 2 * MOST_EXAMPLES:
            self._examples = self.first()

    def first(self) -> list[Problem]:
        """Return the first problems, by file and place."""
        return sorted(self._examples, key=_place)[:MOST_EXAMPLES]


class ReportBuilder:
    """All findings so far. In whatever order they come, the report is the same."""

    def __init__(self) -> None:
        self._lines = 0
        self._entries = 0
        self._types: dict[str, int] = {}
        self._versions: dict[str, int] = {}
        self._drift: dict[str, dict[str, int]] = {}
        self._groups: dict[str, _KindProblems] = {}
        self._identical = 0
        self._different: list[str] = []
        self._ids: list[Ids] = []
        self._parents: list[LooseEnd] = []
        self._results: list[LooseEnd] = []
        self._calls: list[LooseEnd] = []

    def add(self, findings: Findings) -> None:
        """Add the findings of one file."""
        self._lines += findings.lines
        self._entries += findings.entries
        _add_counts(self._types, findings.types)
        _add_counts(self._versions, findings.versions)
        for version, paths in findings.drift.items():
            _add_counts(self._drift.setdefault(version, {}), paths)
        for kind, count in findings.problem_counts.items():
            examples = [problem for problem in findings.problems if problem.kind == kind]
            self._group(kind).add(count, 1, examples)
        if findings.identical is not None:
            self._identical += findings.identical
            self._different.extend(() if findings.identical else (findings.file,))
        self._ids.append(findings.ids)
        self._parents.extend(findings.loose.parents)
        self._results.extend(findings.loose.results)
        self._calls.extend(findings.loose.calls)

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Add problems of no file's own findings."""
        by_kind: dict[str, list[Problem]] = {}
        for problem in problems:
            by_kind.setdefault(problem.kind, []).append(problem)
        for kind, some in by_kind.items():
            self._group(kind).add(len(some), len({problem.file for problem in some}), some)

    def report(self, inputs: CheckInput) -> Report:
        """Return the report, after the last file."""
        self.add_problems(inputs.problems)
        self.add_problems(unresolved(self._parents, (ids.uuids for ids in self._ids)))
        self.add_problems(unresolved(self._results, (ids.calls for ids in self._ids)))
        self.add_problems(unresolved(self._calls, (ids.results for ids in self._ids)))
        return Report(
            paths=inputs.paths,
            files=_file_totals(inputs.files),
            lines=self._lines,
            entries=self._entries,
            entries_by_type=_by_count(self._types),
            versions={v: self._versions[v] for v in _by_version(self._versions)},
            problems=[_problem_group(k, self._groups[k]) for k in _by_severity(self._groups)],
            drift={v: _by_count(self._drift[v]) for v in _by_version(self._drift)},
            round_trip=RoundTrip(
                files=self._identical + len(self._different),
                identical=self._identical,
                different=sorted(self._different),
            ),
        )

    def _group(self, kind: str) -> _KindProblems:
        return self._groups.setdefault(kind, _KindProblems())


def _problem_group(kind: str, group: _KindProblems) -> ProblemGroup:
    known = PROBLEM_KINDS.get(kind)
    return ProblemGroup(
        kind=kind,
        severity=severity_of(kind),
        meaning="" if known is None else known.meaning,
        count=group.count,
        files=group.files,
        examples=[Example(p.file, p.line, p.offset, p.text) for p in group.first()],
    )


def _file_totals(files: Sequence[SourceFile]) -> FileTotals:
    kinds: dict[str, int] = {}
    for file in files:
        kinds[file.kind.value] = kinds.get(file.kind.value, 0) + 1
    return FileTotals(len(files), _by_count(kinds), sum(file.size for file in files))


def _add_counts(counts: dict[str, int], more: dict[str, int]) -> None:
    for name, number in more.items():
        counts[name] = counts.get(name, 0) + number


def _by_count(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _by_version(versions: Iterable[str]) -> list[str]:
    return sorted(versions, key=version_key)


def _by_severity(kinds: Iterable[str]) -> list[str]:
    return sorted(kinds, key=_rank)


def _rank(kind: str) -> tuple[int, int, str]:
    place = _KINDS.index(kind) if kind in PROBLEM_KINDS else len(_KINDS)
    return _SEVERITIES.index(severity_of(kind)), place, kind


def _place(problem: Problem) -> tuple[str, int, int, str]:
    return problem.file, problem.line, problem.offset, problem.text
