"""What is typed above the list of sessions: words and filters, as the query language has them.

Words are looked for in what a row shows, anywhere in a word. Filters are those of search.
"""

import datetime as dt
from collections.abc import Callable
from typing import Final, assert_never

import msgspec

from clew.search import (
    AllOf,
    AnyOf,
    Expression,
    Phrase,
    QueryError,
    QueryFilters,
    filter_terms,
    parse_query,
    without_term,
)

_STATES: Final = ("running", "waiting")
_NO_REGEX: Final = "a regular expression searches transcripts; use the search page for it"


class TextQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A text as it was read; `problem` says why all of it is taken as words."""

    expression: Expression | None = None
    filters: QueryFilters = QueryFilters()
    is_running: bool | None = None
    is_waiting: bool | None = None
    problem: str = ""


def read_text_query(text: str, now: dt.datetime) -> TextQuery:
    """Read what was typed; what is no query is looked for word by word."""
    rest, states = _take_states(text)
    read = TextQuery(is_running=states.get("running"), is_waiting=states.get("waiting"))
    if not rest.strip():
        return read
    try:
        query = parse_query(rest, now=now)
    except QueryError as error:
        return TextQuery(expression=_words(text), problem=str(error))
    if query.regexes:
        return TextQuery(expression=_words(text), problem=_NO_REGEX)
    return msgspec.structs.replace(read, expression=query.expression, filters=query.filters)


def make_matcher(expression: Expression) -> Callable[[str], bool]:
    """Return a test of whether a text, in lower case, has what an expression asks for."""
    match expression:
        case Phrase():
            word = expression.text.casefold()
            return lambda text: word in text
        case AllOf():
            wanted = [make_matcher(term) for term in expression.terms]
            unwanted = [make_matcher(term) for term in expression.without]
            return lambda text: (
                all(has(text) for has in wanted) and not any(has(text) for has in unwanted)
            )
        case AnyOf():
            either = [make_matcher(term) for term in expression.terms]
            return lambda text: any(has(text) for has in either)
        case _:
            assert_never(expression)


def select_ids(
    filters: QueryFilters, find: Callable[[str, str], frozenset[str]]
) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Return the ids that sessions must be among, if any, and those that they must not be among.

    `find` returns the ids of the sessions that match one value of one filter.
    """
    wanted: frozenset[str] | None = None
    unwanted: frozenset[str] = frozenset()
    for name, values in (("file", filters.file), *((c.name, c.values) for c in filters.conditions)):
        if values.wanted:
            ids = frozenset[str]().union(*(find(name, value) for value in values.wanted))
            wanted = ids if wanted is None else wanted & ids
        unwanted = unwanted.union(*(find(name, value) for value in values.unwanted))
    return wanted, unwanted


def _words(text: str) -> Expression | None:
    words = tuple(Phrase(word) for word in text.split())
    return AllOf(words) if words else None


def _take_states(text: str) -> tuple[str, dict[str, bool]]:
    """Take `is:running` and `is:waiting` out of a text: only the list of sessions knows them."""
    states: dict[str, bool] = {}
    for term in reversed(filter_terms(text)):
        if term.name == "is" and term.value in _STATES:
            states[term.value] = term.is_wanted
            text = without_term(text, term)
    return text, states
