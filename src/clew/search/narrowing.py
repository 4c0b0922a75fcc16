"""Regular expressions → words of the index, one of which stands in whatever they match.

The index cannot look inside of words, but it has each word only once: all that hold some letters
are found by a look at its vocabulary. Letters in small ASCII are never cut apart in the index, so
that nothing is missed; for others, or where any case will do, nothing can be told.
"""

import re
from collections.abc import Iterable
from typing import Final

import apsw

from clew.search.language import Regex
from clew.search.regex_shape import read_shape
from clew.store.queries import statement

_RUN: Final = re.compile("[a-z]{3,}")
_MOST_WORDS: Final = 400


def narrow(connection: apsw.Connection, table: str, regexes: Iterable[Regex]) -> list[str] | None:
    """Give what to look for in a full-text table, all of it; None when nothing can match there."""
    terms: list[str] = []
    for runs in map(letters_of, regexes):
        if not runs:
            continue
        words = _words_with(connection, table, runs)
        if not words:
            return None
        if len(words) <= _MOST_WORDS:
            terms.append("(" + " OR ".join(f'"{word}"' for word in words) + ")")
    return terms


def letters_of(regex: Regex) -> tuple[str, ...]:
    """Give runs of letters, one of which stands in every match; none when that is not known."""
    shape = read_shape(regex.source) if regex.is_wanted and not regex.ignores_case else None
    needles = shape.needles if shape else ()
    runs = tuple(max(_RUN.findall(needle), key=len, default="") for needle in needles)
    return runs if all(runs) else ()


def _words_with(connection: apsw.Connection, table: str, runs: Iterable[str]) -> list[str]:
    words: set[str] = set()
    for run in runs:
        found = connection.execute(statement(f"search_{table}_words"), {"letters": run})
        words.update(word for (word,) in found)
    return sorted(words)
