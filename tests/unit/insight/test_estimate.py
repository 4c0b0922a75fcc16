"""Tokens from characters: fitted to what was counted, and shared out without a remainder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.insight.context.estimate import Count, errors, fit
from clew.insight.context.samples import share_out


def test_a_fit_finds_the_base_and_the_ratio() -> None:
    counts = [Count(size, 20_000 + size // 4, 0) for size in range(0, 200_000, 10_000)]

    found = fit(counts)

    assert found.per_token == pytest.approx(4.0)
    assert found.base == pytest.approx(20_000, abs=2)
    assert max(errors(counts, found)) < 0.001


def test_a_compaction_does_not_bend_the_ratio() -> None:
    before = [Count(size, 1_000 + size // 4, 0) for size in range(0, 100_000, 5_000)]
    after = [Count(size, 1_000 + size // 4, 1) for size in range(0, 100_000, 5_000)]

    assert fit([*before, *after]).per_token == pytest.approx(4.0)


def test_without_anything_to_go_by_the_usual_ratio_is_used() -> None:
    assert fit([]).base == 0
    assert fit([Count(340, 1_100, 0)]).base == 1_000


@given(st.integers(0, 10**7), st.lists(st.floats(0, 10**6), min_size=9, max_size=9))
def test_parts_add_up_to_the_total(total: int, shares: list[float]) -> None:
    parts = share_out(total, shares)

    assert sum(parts) == total
    assert min(parts) >= 0
