"""Which texts have the most of several words of which any will do; the rare ones count more."""

from collections.abc import Collection, Iterable, Mapping
from math import log
from typing import Final, assert_never

from clew.search.language import AllOf, AnyOf, Expression, Phrase
from clew.search.words import matches, phrases_of

COMMON: Final = 40_000
"""What stands in more blocks than this says nothing about any of them."""


class Coverage:
    """How much of a query texts have: a share of what the best block has, which may be more.

    It is empty where all words have to be there. Blocks that have nothing but common words are
    not counted.
    """

    def __init__(
        self,
        found: Mapping[Phrase, Collection[int]] | None = None,
        common: Mapping[Phrase, Collection[int]] | None = None,
    ) -> None:
        """Count words: of `found` ones all blocks are known, of `common` ones only some."""
        rare, often = found or {}, common or {}
        total = max(len(set[int]().union(*rare.values())), COMMON if often else 0)
        self._weights = {one: log(1 + total / len(ids)) for one, ids in rare.items() if ids}
        self._weights.update(dict.fromkeys(often, log(2)))
        self._blocks: dict[int, float] = {}
        for phrase, ids in (*rare.items(), *often.items()):
            weight = self._weights.get(phrase, 0.0)
            for number in ids:
                self._blocks[number] = self._blocks.get(number, 0.0) + weight
        self._best = max(self._blocks.values(), default=1.0)

    def __bool__(self) -> bool:
        """Tell whether some texts have more of the query than others."""
        return bool(self._weights)

    def of_block(self, number: int) -> float:
        """Return the share that a block has."""
        return self._blocks.get(number, 0.0) / self._best

    def of_text(self, text: str) -> float:
        """Return the share that another text has."""
        weights = self._weights.items()
        return sum(weight for phrase, weight in weights if matches(phrase, text)) / self._best

    def most_first(self, blocks: Iterable[int]) -> list[int]:
        """Sort blocks by what they have; those that have as much stay in order."""
        return sorted(blocks, key=lambda number: -self._blocks.get(number, 0.0))


def alternatives(expression: Expression | None) -> list[Phrase]:
    """Return the words and phrases of a query, each once, if a text may do without some of them."""
    if expression is None or not _has_either(expression):
        return []
    return list(dict.fromkeys(phrases_of(expression)))


def _has_either(expression: Expression) -> bool:
    match expression:
        case Phrase():
            return False
        case AnyOf():
            return True
        case AllOf(terms):
            return any(map(_has_either, terms))
        case _:
            assert_never(expression)
