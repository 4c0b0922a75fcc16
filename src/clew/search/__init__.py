"""query, rows → hits with snippets.

`parse_query` reads what was typed, `search` finds it in an archive's database.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.search.errors import QueryError
    from clew.search.find import Hit, Results, search
    from clew.search.language import Field, Query
    from clew.search.query import narrow_query, parse_query
    from clew.search.snippets import Snippet
    from clew.search.texts import ReadText
    from clew.search.words import Span

__all__ = [
    "Field",
    "Hit",
    "Query",
    "QueryError",
    "ReadText",
    "Results",
    "Snippet",
    "Span",
    "narrow_query",
    "parse_query",
    "search",
]

import_lazily(__name__)
