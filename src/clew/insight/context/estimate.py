"""Tokens from characters: fitted to what the API counted, request by request.

What a session adds from one request to the next tells how many characters a token has. What is
left of the first requests is what no row has: the system prompt and the definitions of tools.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

import msgspec

# With fewer tokens to go by, the usual ratio is better than one that is measured.
_ENOUGH: Final = 4_000
_USUAL: Final = 3.4
_LEAST, _MOST = 2.0, 6.0
_FIRST: Final = 10


class Count(msgspec.Struct, frozen=True):
    """The characters of a request's messages, the tokens of all of it, and its epoch."""

    characters: int
    tokens: int
    epoch: int


class Fit(msgspec.Struct, frozen=True):
    """How many characters a token has, and how many tokens each request has besides messages."""

    per_token: float
    base: int

    def estimate(self, characters: int) -> float:
        """Estimate the tokens of a request."""
        return self.base + characters / self.per_token


def fit(counts: Sequence[Count]) -> Fit:
    """Fit characters to tokens over the requests of a session, or of one of its runs."""
    per_token = _ratio(counts)
    left = [count.tokens - count.characters / per_token for count in counts[:_FIRST]]
    return Fit(per_token, max(0, round(median(left)) if left else 0))


def errors(counts: Iterable[Count], found: Fit) -> list[float]:
    """Return how far estimates are from what was counted, as shares of it."""
    return [
        abs(found.estimate(count.characters) - count.tokens) / count.tokens
        for count in counts
        if count.tokens
    ]


def _ratio(counts: Sequence[Count]) -> float:
    characters = tokens = 0
    for last, count in pairwise(counts):
        more, added = count.tokens - last.tokens, count.characters - last.characters
        if count.epoch == last.epoch and more > 0 and added > 0:
            characters += added
            tokens += more
    if tokens < _ENOUGH:
        return _USUAL
    return min(max(characters / tokens, _LEAST), _MOST)
