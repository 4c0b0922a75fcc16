"""Spans that overlap become one."""

import pytest

from clew.redact.spans import SecretSpan, merge, start_of_run


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 4), (4, 8)], [(0, 4), (4, 8)]),
        ([(0, 5), (4, 8)], [(0, 8)]),
        ([(4, 8), (0, 5)], [(0, 8)]),
        ([(0, 8), (4, 8)], [(0, 8)]),
        ([(0, 8), (4, 9)], [(0, 9)]),
        ([(0, 8), (2, 3)], [(0, 8)]),
        ([(0, 4), (0, 5)], [(0, 5)]),
        ([(0, 2), (1, 4), (3, 6)], [(0, 6)]),
        ([(0, 1), (0, 1), (1, 2)], [(0, 1), (1, 2)]),
    ],
)
def test_spans_that_share_a_character_are_joined(
    spans: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    merged = merge([SecretSpan(start, end, "rule") for start, end in spans])

    assert [(span.start, span.end) for span in merged] == expected


def test_joined_spans_take_the_rule_of_the_first_and_no_stand_in() -> None:
    spans = [SecretSpan(3, 6, "second", "x"), SecretSpan(0, 4, "first", "y")]

    assert merge(spans) == [SecretSpan(0, 6, "first")]


def test_a_span_on_its_own_keeps_its_stand_in() -> None:
    spans = [
        SecretSpan(0, 3, "name", "x"),
        SecretSpan(1, 2, "inner", "y"),
        SecretSpan(1, 3, "inner", "z"),
    ]

    assert merge(spans) == [SecretSpan(0, 3, "name", "x")]


def test_a_run_begins_behind_the_last_sign_that_is_not_of_base64() -> None:
    plain = "key = QUJD"

    assert start_of_run(plain, len(plain)) == plain.index("QUJD")
    assert start_of_run(plain, plain.index("QUJD")) == plain.index("QUJD")
