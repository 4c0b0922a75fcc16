"""WebSearch: links, and what a model says of them."""

import re
from typing import Final

import msgspec

from clew.tools.tool import Number, Tool

_HEADING: Final = re.compile(r'Web search results for query: "([^\n]*)"(?:\n|$)')
_REMINDER: Final = "\n\n\nREMINDER: "
_LINKS: Final = "Links: ["


class WebSearchInput(msgspec.Struct, frozen=True):
    """What to search, and where to look or not to look."""

    query: str
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()


class WebLink(msgspec.Struct, frozen=True):
    """One page found."""

    url: str
    title: str = ""


class WebSearchHits(msgspec.Struct, frozen=True):
    """The pages that one search found."""

    content: tuple[WebLink, ...]
    tool_use_id: str = ""


class WebSearchResult(msgspec.Struct, frozen=True, rename="camel"):
    """Hits and commentary, in order."""

    query: str
    results: tuple[WebSearchHits | str, ...]
    duration_seconds: Number | None = None
    search_count: Number | None = None


def read_text(_arguments: object, text: str) -> WebSearchResult | None:
    """Read the paragraphs below the heading: lists of links, and commentary between them."""
    heading = _HEADING.match(text)
    if heading is None:
        return None
    body, _, _ = text[heading.end() :].partition(_REMINDER)
    results: list[WebSearchHits | str] = []
    commentary: list[str] = []
    for line in body.strip("\n").split("\n"):
        hits = _hits(line)
        if hits is None:
            commentary.append(line)
        else:
            results += [*_prose(commentary), hits]
            commentary = []
    return WebSearchResult(heading[1], (*results, *_prose(commentary)))


def _hits(line: str) -> WebSearchHits | None:
    if not line.startswith(_LINKS):
        return None
    try:
        links = msgspec.json.decode(line.removeprefix("Links: "), type=tuple[WebLink, ...])
    except (ValueError, RecursionError):
        return None
    return WebSearchHits(links)


def _prose(lines: list[str]) -> list[str]:
    prose = "\n".join(lines).strip("\n")
    return [prose] if prose else []


WEB_SEARCH: Final = Tool(
    names=("WebSearch",), input=WebSearchInput, result=WebSearchResult, read_text=read_text
)
