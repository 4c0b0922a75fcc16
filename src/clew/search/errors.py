"""QueryError: what is wrong with a query, where, and what to do."""

import unicodedata
from typing import Final

from clew.errors import UsageError

_BEFORE: Final = 60
_AFTER: Final = 30


class QueryError(UsageError):
    """A query cannot be understood; `position` is the character at which it goes wrong."""

    def __init__(self, problem: str, query: str, position: int) -> None:
        super().__init__(f"{problem}\n{point_at(query, position)}")
        self.problem = problem
        self.query = query
        self.position = position


def point_at(query: str, position: int) -> str:
    """Print a query on one line, with a caret below the character at `position`."""
    start = max(0, position - _BEFORE)
    before = _on_one_line(query[start:position])
    after = _on_one_line(query[position : position + _AFTER])
    opening = "…" if start else ""
    closing = "…" if position + _AFTER < len(query) else ""
    padding = " " * (len(opening) + sum(map(_width, before)))
    return f"  {opening}{before}{after}{closing}\n  {padding}^"


def _on_one_line(text: str) -> str:
    """Whatever would move the cursor, or cannot be printed, becomes a space."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _width(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
