"""The filters in a query as they were typed, each with its place, to show and to remove them."""

from typing import Final

import msgspec

from clew.search.errors import QueryError
from clew.search.tokens import FilterToken, Sign, split

_QUOTE: Final = '"'


class FilterTerm(msgspec.Struct, frozen=True):
    """A filter in a query; `start` and `end` are where it is, with its minus."""

    name: str
    value: str
    is_wanted: bool
    start: int
    end: int


def filter_terms(query: str) -> list[FilterTerm]:
    """Return the filters of a query in their order; none if it cannot be read."""
    try:
        tokens = split(query)
    except QueryError:
        return []
    found = []
    for number, token in enumerate(tokens):
        if isinstance(token, FilterToken):
            before = tokens[number - 1] if number else None
            is_wanted = not (isinstance(before, Sign) and before.sign == "-")
            start = token.position - (not is_wanted)
            end = _end_of_value(query, token)
            found.append(FilterTerm(token.name, token.value, is_wanted, start, end))
    return found


def without_term(query: str, term: FilterTerm) -> str:
    """Return a query without one of its filters."""
    return " ".join((query[: term.start] + " " + query[term.end :]).split())


def quote_value(value: str) -> str | None:
    """Return a filter's value as a query has it; None if no query can have it."""
    if _QUOTE in value or not value.strip():
        return None
    is_plain = not value.startswith((":", "//")) and not any(
        sign.isspace() or sign in "()" for sign in value
    )
    return value if is_plain else f"{_QUOTE}{value}{_QUOTE}"


def _end_of_value(query: str, token: FilterToken) -> int:
    if query.startswith(_QUOTE, token.value_at):
        return query.index(_QUOTE, token.value_at + 1) + 1
    return token.value_at + len(token.value)
