"""Rows that every database takes: the texts in them are storable."""

from typing import Final

import msgspec

from clew.storable import ESCAPED_NUL, storable_value
from clew.store.entry_rows import Rows

_NUL: Final = ESCAPED_NUL.encode()


def clean_rows(rows: Rows) -> Rows:
    """Return rows with storable texts: nearly always the same rows."""
    return rows if _are_clean(rows) else storable_value(rows)


def _are_clean(rows: Rows) -> bool:
    """Check all texts at once: to encode them as JSON is faster than to look at each value."""
    try:
        return _NUL not in msgspec.json.encode(rows)
    except UnicodeEncodeError:
        return False
