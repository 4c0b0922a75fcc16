"""Seeded chance: the same seed gives the same picks, sizes and ids on every machine."""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import Final, Generic, TypeVar

ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

T = TypeVar("T")


class Weighted(Generic[T]):
    """Things to pick from, some more often than others."""

    __slots__ = ("cumulative", "things")

    def __init__(self, weights: Mapping[T, float]) -> None:
        self.things: Final = tuple(weights)
        self.cumulative: Final = tuple(accumulate(weights.values()))


def zipf(things: Sequence[T], shift: float = 2.7) -> Weighted[T]:
    """Give each thing a weight that falls with its rank, as words in a language do."""
    return Weighted({thing: 1 / (rank + shift) for rank, thing in enumerate(things)})


class Dice(Random):
    """A random source that also rolls ids, sizes and weighted picks."""

    def chance(self, probability: float) -> bool:
        """Say yes with this probability."""
        return self.random() < probability

    def pick(self, weighted: Weighted[T]) -> T:
        """Pick one thing by weight."""
        return self.choices(weighted.things, cum_weights=weighted.cumulative)[0]

    def picks(self, weighted: Weighted[T], count: int) -> list[T]:
        """Pick several things by weight, with repetition."""
        return self.choices(weighted.things, cum_weights=weighted.cumulative, k=count)

    def size(self, median: float, spread: float, low: int, high: int) -> int:
        """Roll a size with a long tail: half lie below the median, few lie far above it."""
        return max(low, min(high, int(median * math.exp(self.gauss(0, spread)))))

    def uuid(self) -> str:
        """Roll an id in the form of a random UUID."""
        text = self.hexadecimal(32)
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def token(self, prefix: str, length: int) -> str:
        """Roll an id of letters and digits after a prefix, as the model's API gives them."""
        return prefix + "".join(self.choices(ALPHABET, k=length))

    def hexadecimal(self, digits: int) -> str:
        """Roll so many hexadecimal digits."""
        return f"{self.getrandbits(4 * digits):0{digits}x}"
