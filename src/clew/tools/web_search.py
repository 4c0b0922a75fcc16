"""WebSearch: links, and what a model says of them."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Link, Links, Part
from clew.tools.pieces import facts, options, prose
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


def parts(_search: object, result: WebSearchResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the query, the pages found, and what was said of them."""
    yield from options(call)
    for found in () if result is None else result.results:
        if isinstance(found, str):
            yield from prose(found)
        elif found.content:
            yield Links(tuple(Link(link.url, link.title) for link in found.content))
    if result is not None:
        yield from facts(("searches", result.search_count))


WEB_SEARCH: Final = Tool(
    names=("WebSearch",),
    input=WebSearchInput,
    result=WebSearchResult,
    label=lambda search, _: search.query,
    parts=parts,
    read_text=read_text,
)
