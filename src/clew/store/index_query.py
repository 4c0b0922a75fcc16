"""What a full-text index is asked for: phrases, joined by AND, OR and NOT.

Each index writes it in its own query language.
"""

from typing import Final, Literal, TypeAlias

import msgspec

TextGroup: TypeAlias = Literal["prose", "result"]
"""Tool results and injected texts are indexed apart from all others."""
_RESULTS: Final = ("result", "injection")


def group_of(field: str) -> TextGroup:
    """Return the group that texts of a field are indexed in; results are searched on request."""
    return "result" if field in _RESULTS else "prose"


class IndexPhrase(msgspec.Struct, frozen=True):
    """Words side by side, separated by spaces; the last one may be the beginning of a word."""

    words: str
    is_prefix: bool = False


class IndexAny(msgspec.Struct, frozen=True):
    """At least one of several."""

    terms: tuple["IndexQuery", ...]


class IndexAll(msgspec.Struct, frozen=True):
    """All of `terms` (there is at least one), and none of `without`."""

    terms: tuple["IndexQuery", ...]
    without: tuple["IndexQuery", ...] = ()


IndexQuery: TypeAlias = IndexPhrase | IndexAny | IndexAll
