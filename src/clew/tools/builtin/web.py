"""WebFetch and WebSearch: pages on the web."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Link, Links, Part
from clew.tools.display import fields, input_fields, prose, words
from clew.tools.tool import CallState, Number, Tool

_FIRST_ERROR: Final = 400
_HEADING: Final = re.compile(r'Web search results for query: "([^\n]*)"(?:\n|$)')
_REMINDER: Final = "\n\n\nREMINDER: "
_LINKS: Final = "Links: ["


class WebFetchInput(msgspec.Struct, frozen=True):
    """Which page, and what to look for on it."""

    url: str
    prompt: str = ""
    offset: Number | None = None


class WebFetchResult(msgspec.Struct, frozen=True, rename="camel"):
    """The answer, and how the page came; `code` is the HTTP status."""

    result: str
    url: str = ""
    code: int | None = None
    code_text: str = ""
    size_bytes: Number | None = msgspec.field(default=None, name="bytes")
    duration_ms: Number | None = None
    artifact_read: Any = None


def _read_fetch(arguments: WebFetchInput, text: str) -> WebFetchResult:
    """Take the text as the answer."""
    return WebFetchResult(text, arguments.url)


def _fetch_parts(
    fetch: WebFetchInput, result: WebFetchResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the address, the question to the page, and the answer."""
    yield Links((Link(fetch.url),))
    yield from words(fetch.prompt)
    yield from input_fields(call, "url", "prompt")
    if result is None:
        return
    yield from fields(
        ("Status", " ".join(filter(None, (str(result.code or ""), result.code_text)))),
        ("Bytes", result.size_bytes),
        ("Final URL", result.url if result.url != fetch.url else ""),
    )
    yield from prose(result.result)


def _fetch_state(result: WebFetchResult) -> CallState:
    is_bad = result.code is not None and result.code >= _FIRST_ERROR
    return (str(result.code), "bad") if is_bad else ("", "")


WEB_FETCH: Final = Tool(
    names=("WebFetch",),
    input=WebFetchInput,
    result=WebFetchResult,
    label=lambda fetch, _: fetch.url,
    parts=_fetch_parts,
    state=_fetch_state,
    read_text=_read_fetch,
)


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


def _read_search(_arguments: object, text: str) -> WebSearchResult | None:
    """Read the paragraphs below the heading: lists of links, and commentary between them."""
    heading = _HEADING.match(text)
    if heading is None:
        return None
    body, _, _ = text[heading.end() :].partition(_REMINDER)
    results: list[WebSearchHits | str] = []
    commentary: list[str] = []
    for line in body.strip("\n").split("\n"):
        hits = _read_hits(line)
        if hits is None:
            commentary.append(line)
        else:
            results += [*_commentary(commentary), hits]
            commentary = []
    return WebSearchResult(heading[1], (*results, *_commentary(commentary)))


def _read_hits(line: str) -> WebSearchHits | None:
    if not line.startswith(_LINKS):
        return None
    try:
        links = msgspec.json.decode(line.removeprefix("Links: "), type=tuple[WebLink, ...])
    except (ValueError, RecursionError):
        return None
    return WebSearchHits(links)


def _commentary(lines: list[str]) -> list[str]:
    prose = "\n".join(lines).strip("\n")
    return [prose] if prose else []


def _search_parts(
    _search: object, result: WebSearchResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the query, the pages found, and what was said of them."""
    yield from input_fields(call)
    for found in () if result is None else result.results:
        if isinstance(found, str):
            yield from prose(found)
        elif found.content:
            yield Links(tuple(Link(link.url, link.title) for link in found.content))
    if result is not None:
        yield from fields(("Searches", result.search_count))


WEB_SEARCH: Final = Tool(
    names=("WebSearch",),
    input=WebSearchInput,
    result=WebSearchResult,
    label=lambda search, _: search.query,
    parts=_search_parts,
    read_text=_read_search,
)
