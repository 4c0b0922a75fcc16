"""Phrases that go over several parts of a text: found by the positions of their words."""

from collections.abc import Iterable
from typing import TypeAlias

WordPositions: TypeAlias = tuple[int, int, str, list[int]]
"""A block, the first word of one of its parts, a word, and its positions in that part."""


def blocks_with_phrase(
    words: list[str], rows: Iterable[WordPositions], *, is_prefix: bool
) -> set[int]:
    """Return the blocks in which words follow each other; the last may be the beginning of one."""
    starts: dict[int, list[set[int]]] = {}
    for block, first_word, word, positions in rows:
        found = starts.setdefault(block, [set() for _ in words])
        for number, wanted in enumerate(words):
            is_last = number == len(words) - 1
            if word == wanted or (is_prefix and is_last and word.startswith(wanted)):
                # Where the phrase begins, if this is its word of that number.
                found[number].update(first_word + at - number for at in positions)
    return {block for block, own in starts.items() if set.intersection(*own)}
