"""query, rows → hits with snippets.

`parse_query` reads what was typed, `search` finds it in an archive's database.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.search.errors import QueryError
    from clew.search.filter_terms import FilterTerm, filter_terms, quote_value, without_term
    from clew.search.find import Hit, Results, search
    from clew.search.language import (
        FIELD_NAMES,
        AllOf,
        AnyOf,
        Expression,
        Field,
        Names,
        Phrase,
        Query,
        QueryFilters,
    )
    from clew.search.query import narrow_query, parse_query
    from clew.search.snippets import Snippet
    from clew.search.texts import ReadText
    from clew.search.tokens import describe_unknown_filters
    from clew.search.wider import NEARLY_NOTHING, WiderSearch, query_of_options, wider_queries
    from clew.search.words import Span, phrases_of

__all__ = [
    "FIELD_NAMES",
    "NEARLY_NOTHING",
    "AllOf",
    "AnyOf",
    "Expression",
    "Field",
    "FilterTerm",
    "Hit",
    "Names",
    "Phrase",
    "Query",
    "QueryError",
    "QueryFilters",
    "ReadText",
    "Results",
    "Snippet",
    "Span",
    "WiderSearch",
    "describe_unknown_filters",
    "filter_terms",
    "narrow_query",
    "parse_query",
    "phrases_of",
    "query_of_options",
    "quote_value",
    "search",
    "wider_queries",
    "without_term",
]

import_lazily(__name__)
