"""Times as text."""

import pytest

from clew.clock import normal_time


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("2026-11-15T08:35:38.063Z", "2026-11-15T08:35:38.063Z"),
        ("2026-11-15T08:35:38Z", "2026-11-15T08:35:38.000Z"),
        ("2026-11-15T09:35:38.063+01:00", "2026-11-15T08:35:38.063Z"),
        ("2026-11-15T08:35:38.063999Z", "2026-11-15T08:35:38.063Z"),
        ("2026-11-15", "2026-11-15T00:00:00.000Z"),
        ("", ""),
        ("yesterday", ""),
    ],
)
def test_times_are_written_alike_so_that_they_compare_as_text(written: str, normal: str) -> None:
    assert normal_time(written) == normal
