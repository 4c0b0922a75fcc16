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


def test_input_on_the_first_fragment_and_output_on_the_last_are_both_counted(
    tmp_path: Path,
) -> None:
    builder = session().assistant("One.", "Two.", usage=Usage(output=60))
    first, last = builder.rows[-2:]
    first["message"]["usage"] = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_1h_input_tokens": 30},
        "cache_read_input_tokens": 500,
        "output_tokens": 1,
    }
    last["message"]["usage"] = {
        "input_tokens": 0,
        "output_tokens": 60,
        "server_tool_use": {"web_search_requests": 2},
    }

    totals = count(tmp_path, builder).totals

    assert (totals.input_tokens, totals.output_tokens) == (10, 60)
    assert (totals.cache_read_tokens, totals.cache_write_1h_tokens) == (500, 30)
    assert totals.web_searches == 2


def test_what_a_variant_used_is_not_counted(tmp_path: Path) -> None:
    builder = session().assistant("One.", usage=Usage(output=60))
    row = builder.rows[-1]
    other = {**row["message"], "id": "msg_other", "content": [{"type": "text", "text": "Two."}]}

    totals = count(tmp_path, builder.row({**row, "message": other})).totals

    assert (totals.model_calls, totals.output_tokens) == (1, 60)
