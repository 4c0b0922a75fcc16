"""Findings of many files, added up."""

import random

from clew.check import CheckInput
from clew.check.findings import Findings
from clew.check.merge import ReportBuilder
from clew.problems import Problem

NOTHING_ASKED = CheckInput([], [], [])


def blank(file: int, line: int) -> Problem:
    return Problem("blank", file=f"{file:02}.jsonl", line=line)


def test_of_many_examples_the_first_by_file_and_line_are_kept() -> None:
    findings = [
        Findings(
            file=f"{file:02}.jsonl",
            problem_counts={"blank": 700},
            problems=[blank(file, line) for line in range(700)],
        )
        for file in range(8)
    ]
    random.shuffle(findings)
    total = ReportBuilder()

    for found in findings:
        total.add(found)

    [group] = total.report(NOTHING_ASKED).problems
    assert (group.count, group.files, len(group.examples)) == (5600, 8, 1000)
    last = group.examples[-1]
    assert (last.file, last.line) == ("01.jsonl", 299)


def test_problems_are_ordered_by_severity() -> None:
    total = ReportBuilder()
    kinds = ["blank", "nobody-listed-it", "unknown_type", "glued", "broken"]

    total.add_problems(Problem(kind, file="s.jsonl") for kind in kinds)

    groups = total.report(NOTHING_ASKED).problems
    expected = ["broken", "glued", "unknown_type", "nobody-listed-it", "blank"]
    assert [group.kind for group in groups] == expected


def test_drift_and_versions_are_ordered_by_version() -> None:
    total = ReportBuilder()

    for version in ("2.0.10", "2.0.9"):
        found = Findings(file="s", versions={version: 1}, drift={version: {"a": 1, "b": 2}})
        total.add(found)

    report = total.report(NOTHING_ASKED)
    assert list(report.versions) == list(report.drift) == ["2.0.9", "2.0.10"]
    assert list(report.drift["2.0.9"]) == ["b", "a"]
