"""Expressions as the index understands them: what may match, and what surely does.

The index knows no symbols, and not what is between words. So a text that it finds for `C#`, or for
`passkey` as `pass` and `key`, has to be read.
"""

from typing import assert_never

from clew.search.language import AllOf, AnyOf, Expression, Phrase
from clew.search.symbols import cut_at_symbols
from clew.search.words import halves
from clew.storable import storable
from clew.store import IndexAll, IndexAny, IndexPhrase, IndexQuery, to_words


def to_query(expression: Expression) -> IndexQuery:
    """Return a query that finds every text that matches, and maybe some others."""
    match expression:
        case Phrase(is_prefix=is_prefix):
            whole = _phrase(expression)
            if is_prefix:
                return whole
            split = (IndexPhrase(f"{front} {back}") for front, back in halves(expression))
            return any_of([whole, *split])
        case AnyOf(terms):
            return any_of([to_query(term) for term in terms])
        case AllOf(terms, without):
            left_out = [sure for term in without if (sure := to_sure_query(term))]
            return IndexAll(tuple(map(to_query, terms)), tuple(left_out))
        case _:
            assert_never(expression)


def to_sure_query(expression: Expression) -> IndexQuery | None:
    """Return a query that finds only texts that match; None where the index cannot tell."""
    match expression:
        case Phrase(text):
            has_symbols = cut_at_symbols(storable(text)).has_symbols
            return None if has_symbols else _phrase(expression)
        case AnyOf(terms):
            found = [sure for term in terms if (sure := to_sure_query(term))]
            return any_of(found) if found else None
        case AllOf(terms, without):
            found = [sure for term in terms if (sure := to_sure_query(term))]
            left_out = tuple(map(to_query, without))
            return IndexAll(tuple(found), left_out) if len(found) == len(terms) else None
        case _:
            assert_never(expression)


def any_of(terms: list[IndexQuery]) -> IndexQuery:
    """Return a query for at least one of some terms."""
    return terms[0] if len(terms) == 1 else IndexAny(tuple(terms))


def _phrase(phrase: Phrase) -> IndexPhrase:
    return IndexPhrase(to_words(storable(phrase.text)).replace('"', " "), phrase.is_prefix)
