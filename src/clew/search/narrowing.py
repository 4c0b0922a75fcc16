"""Regular expressions → words of the index, which are in every text that they match.

The index cannot look inside of words, but it has each word only once: all that contain some letters
are found by a look at its vocabulary. It cuts a word only before a capital of ASCII, so that other
letters side by side are in one word; and it has each CJK sign as a word of its own.
"""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from clew.search.index_query import any_of
from clew.search.language import Regex
from clew.search.regex_shape import shape_of
from clew.search.words import stands_alone
from clew.storable import storable
from clew.store import IndexPhrase, IndexQuery, SearchIndex, TextGroup, to_words

_MOST_WORDS: Final = 400
# Each takes another look at the vocabulary.
_MOST_OTHERS: Final = 1
_CAPITALS: Final = re.compile("[A-Z]")
_SMALL_LETTERS: Final = re.compile("[a-z]{3}")
_OTHER_LETTERS: Final = 2


class Narrowed(msgspec.Struct, frozen=True):
    """What to look for in the index: all of the `terms`, if `is_possible`.

    For blocks behind the `bound`, if there is one, nothing is told.
    """

    terms: tuple[IndexQuery, ...] = ()
    bound: int | None = None
    is_possible: bool = True


class Clue(msgspec.Struct, frozen=True):
    """What is in every text with a needle: words side by side, or a part of one word."""

    words: tuple[str, ...] = ()
    part: str = ""


def narrow(index: SearchIndex, group: TextGroup, regexes: Sequence[Regex]) -> Narrowed:
    """Tell what must be in the texts of a group for all of the expressions to match."""
    terms: list[IndexQuery] = []
    bound: int | None = None
    for regex in regexes:
        for clues in find_clues(index, regex):
            ways: set[str] = set()
            for clue in clues:
                if clue.words:
                    ways.add(" ".join(clue.words))
                else:
                    found, bound = index.words_with(group, clue.part)
                    ways.update(found)
            if not ways:
                return Narrowed((), bound, is_possible=False)
            if len(ways) <= _MOST_WORDS:
                terms.append(any_of([IndexPhrase(way) for way in sorted(ways)]))
    return Narrowed(tuple(terms), bound if terms else None)


def find_clues(index: SearchIndex, regex: Regex) -> list[list[Clue]]:
    """Return lists of clues, one of each of which is in every text that matches."""
    shape = shape_of(regex) if regex.is_wanted else None
    if shape is None:
        return []
    found = (
        [_find_clue(index, needle, regex) for needle in needles]
        for needles in (shape.needles, *shape.others[:_MOST_OTHERS])
    )
    return [[clue for clue in clues if clue] for clues in found if clues and all(clues)]


def _find_clue(index: SearchIndex, needle: str, regex: Regex) -> Clue | None:
    pieces = [index.split(to_words(piece)) for piece in _certain(needle, regex)]
    alone = max((run for words in pieces for run in _runs_of_signs(words)), key=len, default=())
    parts = (word for words in pieces for word in words if not stands_alone(word))
    part = max(parts, key=len, default="")
    if len(alone) > 1 or (alone and not _is_telling(part)):
        return Clue(words=alone)
    return Clue(part=part) if _is_telling(part) else None


def _certain(needle: str, regex: Regex) -> list[str]:
    """Cut out the letters before which the index may cut a word, or that may be others."""
    text = storable(needle)
    if regex.ignores_case:
        # Now there are no capitals but those that stand for any letter with case.
        text = "".join("A" if sign.lower() != sign.upper() else sign for sign in text)
    return _CAPITALS.split(text)


def _runs_of_signs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the words that are one sign each, as long as they follow one another."""
    runs: list[list[str]] = [[]]
    for word in words:
        if stands_alone(word):
            runs[-1].append(word)
        else:
            runs.append([])
    return [tuple(run) for run in runs if run]


def _is_telling(part: str) -> bool:
    if part.isascii():
        return _SMALL_LETTERS.search(part) is not None
    return len(part) >= _OTHER_LETTERS
