"""Fragments of one answer are one call, made when the first of them was."""

from pathlib import Path

import pytest

from tests.build import SessionBuilder, Usage, thinking
from tests.unit.analytics.counting import count, session


def answer_over_midnight(*days: str) -> SessionBuilder:
    builder = session().assistant(thinking("hm"), "One.", "Two.", usage=Usage(output=60))
    for row, day in zip(builder.rows[-3:], days, strict=True):
        row["timestamp"] = f"{day}T12:00:00.000Z"
    return builder


@pytest.mark.parametrize(
    "days",
    [
        ("2026-11-02", "2026-11-03", "2026-11-04"),
        ("2026-11-03", "2026-11-02", "2026-11-04"),
        ("2026-11-04", "2026-11-03", "2026-11-02"),
    ],
)
def test_an_answer_counts_on_the_day_of_its_earliest_fragment(
    tmp_path: Path, days: tuple[str, ...]
) -> None:
    report = count(tmp_path, answer_over_midnight(*days), by="day")

    assert [(row.key, row.output_tokens) for row in report.rows] == [("2026-11-02", 60)]


def test_a_fragment_without_a_time_does_not_move_its_answer(tmp_path: Path) -> None:
    builder = answer_over_midnight("2026-11-02", "2026-11-03", "2026-11-04")
    builder.rows[-1]["timestamp"] = ""

    report = count(tmp_path, builder, by="day")

    assert [row.key for row in report.rows] == ["2026-11-02"]
