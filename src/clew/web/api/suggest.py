"""Suggestions for a query that is being typed."""

from itertools import islice
from typing import Annotated, Literal

import msgspec
from litestar import Response
from litestar.params import QueryParameter

from clew.analytics import ALL_FILTERS
from clew.errors import UsageError
from clew.web.api.routes import json_route
from clew.web.responses import AppRequest, respond_json
from clew.web.state import account_of, cache_of
from clew.web.suggestions import Suggestion, suggest_terms, suggest_values

_NAMES = frozenset(each.name for each in ALL_FILTERS)
_MOST_VALUES = 500

Typed = Annotated[
    str,
    QueryParameter(
        max_length=400,
        description="What is typed: suggestions are for its last word, `pro` or `project:clew`.",
    ),
]
Name = Annotated[
    str | None,
    QueryParameter(max_length=40, description="A filter: `text` is then a part of its value."),
]
Count = Annotated[int, QueryParameter(ge=1, le=100, description="Maximum number of results.")]
QueryKind = Annotated[
    Literal["sessions", "search"], QueryParameter(description="What the query is for.")
]


class SuggestionList(msgspec.Struct, frozen=True, kw_only=True):
    """Suggestions, the best first."""

    schema: str = "clew.suggestions/1"
    suggestions: list[Suggestion]


@json_route("/api/suggest", "suggest", "search", SuggestionList, "Suggestions")
def suggest(
    request: AppRequest,
    text: Typed = "",
    name: Name = None,
    kind: QueryKind = "sessions",
    limit: Count = 8,
) -> Response[bytes]:
    """Suggest filters and their values for a query, from the sessions that you may read."""
    cache = cache_of(request)
    version = cache.catalogue_version()

    def values(of: str) -> list[str]:
        if of not in _NAMES:
            return []
        return cache.get_or_make(
            ("values", of), version, lambda: cache.archive.filter_values(of)[:_MOST_VALUES]
        )

    def make() -> SuggestionList:
        if name is None:
            is_team = account_of(request) is not None
            found = suggest_terms(text, values, page=kind, is_team=is_team)
        elif name in _NAMES:
            found = suggest_values(name.replace("_", "-"), text, values, page=kind)
        else:
            raise UsageError(f"unknown filter {name!r}; use one of {', '.join(sorted(_NAMES))}")
        return SuggestionList(suggestions=list(islice(found, limit)))

    return respond_json(request, cache, version, make)
