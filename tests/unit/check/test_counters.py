"""Counting within bounds."""

from clew.check.counters import DriftCounter, ProblemCounter, count
from clew.check.findings import MOST_EXAMPLES
from clew.problems import Problem


def test_all_problems_are_counted_and_the_first_are_kept() -> None:
    tally = ProblemCounter()

    for line in range(MOST_EXAMPLES + 5):
        tally.add(Problem("blank", line=line))

    assert tally.counts == {"blank": MOST_EXAMPLES + 5}
    assert [problem.line for problem in tally.first] == list(range(MOST_EXAMPLES))


def test_too_many_names_are_counted_together() -> None:
    counts: dict[str, int] = {}

    for number in range(3000):
        count(counts, f"made-up-{number}")

    assert len(counts) == 1001
    assert counts["(others)"] == 2000


def test_drift_before_any_version_goes_to_the_first() -> None:
    drift = DriftCounter()

    drift.add("summary.new")
    drift.set_version("2.0.1")
    drift.add("user.new")
    drift.set_version("2.0.2")
    drift.add("user.new")

    expected = {"2.0.1": {"user.new": 1, "summary.new": 1}, "2.0.2": {"user.new": 1}}
    assert drift.by_version("2.0.1") == expected


def test_drift_of_a_file_without_versions_is_unknown() -> None:
    drift = DriftCounter()

    drift.add("summary.new")

    assert drift.by_version("") == {"unknown": {"summary.new": 1}}


def test_too_many_versions_are_counted_together() -> None:
    drift = DriftCounter()

    for number in range(1500):
        drift.set_version(f"9.9.{number}")
        drift.add("user.new")

    assert len(drift.by_version("")) == 1001
    assert drift.by_version("")["(others)"] == {"user.new": 500}
