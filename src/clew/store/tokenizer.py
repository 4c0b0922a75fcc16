"""A text → the words that FTS5 indexes of it, in order, as every index has them."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final, cast

import apsw

_TOKENIZER: Final = ("unicode61", ["remove_diacritics", "2", "categories", "L* N* Co So"])
# Three lower-case letters in a row, or letters of another script.
_LETTERS: Final = re.compile(r"[a-z]{3}|[^\x00-\x7f].|.[^\x00-\x7f]")


def tokenize(text: str) -> list[str]:
    """Split a text into words exactly as the full-text tables of SQLite do."""
    flags = apsw.FTS5_TOKENIZE_DOCUMENT
    raw = text.encode("utf-8", "replace")
    found = _tokenizer()(raw, flags, None, include_offsets=False, include_colocated=False)
    # Without offsets and words at the same place, it gives a list of words alone.
    return cast("list[str]", found)


def searched_within(words: Iterable[str]) -> list[str]:
    """Return those of some words that a search may look for parts of."""
    return [word for word in words if _LETTERS.search(word)]


@cache
def _tokenizer() -> apsw.FTS5Tokenizer:
    """Return the tokenizer of an empty database, which needs no archive."""
    return apsw.Connection(":memory:").fts5_tokenizer(*_TOKENIZER)
