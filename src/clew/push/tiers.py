"""Which tier applies: the lowest of all that have a say."""

from collections.abc import Iterable

from clew.protocol import Tier


def lowest_tier(tiers: Iterable[Tier | None]) -> Tier:
    """Return the lowest of some tiers; None stands for no opinion, and without any it is nothing.

    A session takes the lowest tier of all projects that it touched, and a project the lower one of
    what its user allows and of what the repository permits at most.
    """
    return min((tier for tier in tiers if tier is not None), key=_rank, default=Tier.NOTHING)


def _rank(tier: Tier) -> int:
    return tier.rank
