"""A text → the words that FTS5 indexes of it, in order, as every index has them."""

from functools import cache
from typing import Final, cast

import apsw

_TOKENIZER: Final = ("unicode61", ["remove_diacritics", "2", "categories", "L* N* Co So"])


def tokenize(text: str) -> list[str]:
    """Split a text into words exactly as the full-text tables of SQLite do."""
    flags = apsw.FTS5_TOKENIZE_DOCUMENT
    raw = text.encode("utf-8", "replace")
    found = _tokenizer()(raw, flags, None, include_offsets=False, include_colocated=False)
    # Without offsets and words at the same place, it gives a list of words alone.
    return cast("list[str]", found)


@cache
def _tokenizer() -> apsw.FTS5Tokenizer:
    """Return the tokenizer of an empty database, which needs no archive."""
    return apsw.Connection(":memory:").fts5_tokenizer(*_TOKENIZER)
