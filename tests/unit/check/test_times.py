"""The clock of a transcript."""

from clew.check.times import TimeOrder


def steps(*times: str) -> list[int | None]:
    clock = TimeOrder()
    return [clock.step_back(time) for time in times]


def test_a_clock_that_goes_on_or_stands_does_not_step_back() -> None:
    noon, later = "2025-01-02T12:00:00.000Z", "2025-01-02T12:00:00.001Z"

    assert steps(noon, later, later) == [0, 0, 0]


def test_a_step_back_is_told_in_milliseconds() -> None:
    assert steps("2025-01-02T12:00:01.500Z", "2025-01-02T12:00:00.250Z") == [0, 1250]


def test_each_time_is_compared_with_the_one_before() -> None:
    three = ["2025-01-02T12:00:09.000Z", "2025-01-02T12:00:01.000Z", "2025-01-02T12:00:02.000Z"]

    assert steps(*three) == [0, 8000, 0]


def test_times_of_other_forms_are_compared_as_times() -> None:
    assert steps("2025-01-02T12:00:00.000Z", "2025-01-02T12:30:00+01:00") == [0, 1_800_000]


def test_a_text_that_is_no_time_is_passed_over() -> None:
    noon, before = "2025-01-02T12:00:00.000Z", "2025-01-02T11:59:59.000Z"

    assert steps(noon, "noon", before) == [0, None, 1000]
