"""Of all tiers that have a say, the lowest."""

from itertools import permutations

import pytest

from clew.protocol import Tier
from clew.push.tiers import lowest_tier


@pytest.mark.parametrize("tiers", [*permutations(Tier, 2)])
def test_the_lower_of_two_counts(tiers: tuple[Tier, Tier]) -> None:
    first, second = tiers

    assert lowest_tier(tiers) is (first if first.rank < second.rank else second)


def test_without_an_opinion_nothing_leaves() -> None:
    assert lowest_tier([]) is Tier.NOTHING
    assert lowest_tier([None]) is Tier.NOTHING
    assert lowest_tier([None, Tier.REDACTED]) is Tier.REDACTED
