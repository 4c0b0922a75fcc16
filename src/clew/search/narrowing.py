"""Regular expressions → words of the index, one of which stands in whatever they match.

The index cannot look inside of words, but it has each word only once: all that hold some letters
are found by a look at its vocabulary. Letters in small ASCII are never cut apart in the index, so
that nothing is missed; for others, or where any case will do, nothing can be told.
"""

from collections.abc import Sequence
from typing import Final

import apsw
import msgspec

from clew.search.language import Regex
from clew.search.regex_shape import shape_of
from clew.store.vocabulary import LETTERS, words_with

_MOST_WORDS: Final = 400


class Narrowed(msgspec.Struct, frozen=True):
    """What to look for in a full-text table: all of the `terms`, if `is_possible`.

    For blocks behind the `bound`, if there is one, nothing is told.
    """

    terms: tuple[str, ...] = ()
    bound: int | None = None
    is_possible: bool = True


def narrow(connection: apsw.Connection, table: str, regexes: Sequence[Regex]) -> Narrowed:
    """Tell what must stand in a full-text table for all of the expressions to match."""
    terms: list[str] = []
    bound: int | None = None
    for runs in map(letters_of, regexes):
        words: set[str] = set()
        for run in runs:
            found, bound = words_with(connection, table, run)
            words.update(found)
        if runs and not words:
            return Narrowed((), bound, is_possible=False)
        if 0 < len(words) <= _MOST_WORDS:
            terms.append("(" + " OR ".join(f'"{word}"' for word in sorted(words)) + ")")
    return Narrowed(tuple(terms), bound if terms else None)


def letters_of(regex: Regex) -> tuple[str, ...]:
    """Give runs of letters, one of which stands in every match; none when that is not known."""
    shape = shape_of(regex) if regex.is_wanted and not regex.ignores_case else None
    needles = shape.needles if shape else ()
    runs = tuple(max(LETTERS.findall(needle), key=len, default="") for needle in needles)
    return runs if all(runs) else ()
