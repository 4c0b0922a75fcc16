"""Which calls a window takes in."""

from typing import Final

import pytest

from clew.analytics.sums import CountedCall, Sums, Window

SINCE: Final = "2026-11-10T09:00:00.000Z"
UNTIL: Final = "2026-11-10T10:00:00.000Z"


def counted(at: str, window: Window) -> int:
    sums = Sums(window)
    sums.add("session", "", call(at))
    return sum(total.calls for total in sums.finish())


def call(at: str) -> CountedCall:
    return CountedCall(
        name="call",
        at=at,
        model="model",
        run="",
        is_ended=True,
        is_corrupt=False,
        is_partial=False,
        input_tokens=1,
        output_tokens=0,
        cache_read_tokens=0,
        cache_write_5m_tokens=0,
        cache_write_1h_tokens=0,
        web_searches=0,
        web_fetches=0,
        cost_nano_usd=None,
    )


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-11-10T08:59:59.999Z", 0),
        (SINCE, 1),
        ("2026-11-10T09:59:59.999Z", 1),
        (UNTIL, 0),
        ("2026-11-10T10:00:00.001Z", 0),
    ],
)
def test_a_window_begins_with_since_and_ends_before_until(at: str, expected: int) -> None:
    assert counted(at, Window(SINCE, UNTIL)) == expected


def test_a_window_without_an_end_takes_in_all_later_calls() -> None:
    assert counted("9999-12-31T23:59:59.999Z", Window(SINCE)) == 1
