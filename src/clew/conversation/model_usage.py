"""Tokens of model calls and how far they can be trusted; lists and counts need no more of us."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec

from clew.entries import Iteration

# More than any call has, so a larger count is corrupt: it would bury every true figure.
MAX_TOKENS: Final = 2_000_000
MAX_WEB_REQUESTS: Final = 1_000
COUNT_LIMITS: Final = {
    "input_tokens": MAX_TOKENS,
    "output_tokens": MAX_TOKENS,
    "cache_read_tokens": MAX_TOKENS,
    "cache_write_5m_tokens": MAX_TOKENS,
    "cache_write_1h_tokens": MAX_TOKENS,
    "cache_write_unsplit_tokens": MAX_TOKENS,
    "web_searches": MAX_WEB_REQUESTS,
    "web_fetches": MAX_WEB_REQUESTS,
}
"""The largest that each count of a `ModelUsage` can be."""

_LOWER_BOUND: Final = "lower_bound"
_INHERITED: Final = "inherited"


class ModelUsage(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one model call, or a sum of them; `quality` says how far they can be trusted.

    It is `exact` or `lower_bound`, or for a call that another session made and counts `inherited`
    or `inherited_lower_bound`. Counts that no call can have are left out of a corrupt one.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    cache_write_unsplit_tokens: int = 0
    web_searches: int = 0
    web_fetches: int = 0
    service_tier: str | None = None
    inference_geo: str | None = None
    speed: str | None = None
    iterations: tuple[Iteration, ...] = ()
    quality: str = "exact"
    is_corrupt: bool = False


def make_quality(*, is_inherited: bool = False, is_lower_bound: bool = False) -> str:
    """Return the quality of a count: exact or a lower bound, own or inherited."""
    if is_inherited:
        return f"{_INHERITED}_{_LOWER_BOUND}" if is_lower_bound else _INHERITED
    return _LOWER_BOUND if is_lower_bound else "exact"


def is_inherited(quality: str) -> bool:
    """Return whether another session made the call, and counts it."""
    return quality.startswith(_INHERITED)


def is_lower_bound(quality: str) -> bool:
    """Return whether more was used, or paid, than is known."""
    return quality.endswith(_LOWER_BOUND)


def sum_quality(qualities: Iterable[str]) -> str:
    """Return the quality of a sum: that of its worst part, inherited ones left out.

    A sum of inherited parts alone is inherited: nothing of it was used here.
    """
    return _sum_known(frozenset(qualities))


@lru_cache(maxsize=64)
def _sum_known(known: frozenset[str]) -> str:
    own = {quality for quality in known if not is_inherited(quality)}
    return make_quality(
        is_inherited=bool(known) and not own,
        is_lower_bound=any(map(is_lower_bound, own or known)),
    )
