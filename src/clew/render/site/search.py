"""Search results: snippets, grouped by session."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

import msgspec

from clew.analytics import FILTERS, TEAM_FILTERS
from clew.render.formatting import UNTITLED, folder_name
from clew.render.site.base import BasePage
from clew.render.site.filter_chips import make_chips
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls

Given = Sequence[tuple[str, str]]

_WORDS: Final = tuple(each.word for each in FILTERS if each.name != "tool")
_FIELDS: Final = {
    "prompt": "Prompt",
    "answer": "Answer",
    "thinking": "Thinking",
    "input": "Tool input",
    "result": "Tool result",
    "injection": "Injected text",
    "title": "Title",
    "file": "File",
}


class SnippetPiece(msgspec.Struct, frozen=True):
    """A piece of a snippet, which is marked or not."""

    text: str
    is_marked: bool


class HitLine(msgspec.Struct, frozen=True):
    """A hit."""

    url: str
    field: str
    at: str
    pieces: Sequence[SnippetPiece]
    copies: int = 0


class SessionHits(msgspec.Struct, frozen=True):
    """A session with what was found in it."""

    title: str
    url: str
    project: str
    hits: Sequence[HitLine]
    member: str = ""


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    """A query with its hits, or with what is wrong with it.

    `given` are the filters in the address, `chips` other ones that would narrow the search.
    """

    query: str = ""
    given: Given = ()
    sessions: Sequence[SessionHits] = ()
    total: int = 0
    is_exact: bool = True
    notes: Sequence[str] = ()
    problem: str = ""
    more: str = ""
    chips: Sequence[tuple[str, str]] = ()
    took_ms: float | None = None
    hidden: int = 0


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """A hit as a search gives it, without the search's own types."""

    session_id: str
    title: str
    project: str
    field: str
    message_id: str | None
    at: str
    text: str
    marks: Sequence[tuple[int, int]]
    copies: int = 0
    member: str = ""


def render_search(page: SearchPage, base: BasePage) -> str:
    """Draw the page."""
    params = [("q", page.query), *page.given]
    chips = make_chips(base.urls.search, params, ("q", "tz"))
    body = draw(
        "search.html",
        page=page,
        set_filters=chips,
        words=(*_WORDS, *(each.word for each in TEAM_FILTERS)) if base.account else _WORDS,
        urls=base.urls,
        archiving=base.archiving,
    )
    title = f"Search: {page.query}" if page.query else "Search"
    return base.draw(title, body, "search")


def render_site_search(texts: str, base: BasePage) -> str:
    """Draw the search page of a static site, which contains the compressed texts."""
    body = draw("site_search.html", texts=texts, urls=base.urls)
    return base.draw("Search", body, "search", ["site_search.js"])


def group_hits(hits: Sequence[SearchHit], urls: SiteUrls) -> list[SessionHits]:
    """Put hits that follow one another in one session below its title."""
    return [
        _session(session_id, list(own), urls)
        for (session_id, _), own in groupby(hits, lambda hit: (hit.session_id, hit.member))
    ]


def narrowing_filters(
    query: str, filters: Mapping[str, str], urls: SiteUrls, given: Given = ()
) -> list[tuple[str, str]]:
    """Return chips that narrow a query, each with its address."""
    return [
        (f"{name}:{value}", urls.search_results(f"{query} {name}:{value}", given))
        for name, value in filters.items()
        if f"{name}:{value}" not in query
    ]


def _session(session_id: str, hits: list[SearchHit], urls: SiteUrls) -> SessionHits:
    first = hits[0]
    return SessionHits(
        title=first.title or UNTITLED,
        url=urls.session(session_id),
        project=folder_name(first.project),
        member=first.member,
        hits=[_line(hit, urls) for hit in hits],
    )


def _line(hit: SearchHit, urls: SiteUrls) -> HitLine:
    return HitLine(
        url=urls.session(hit.session_id, hit.message_id),
        field=_FIELDS.get(hit.field, hit.field),
        at=hit.at,
        pieces=_pieces(hit.text, hit.marks),
        copies=hit.copies,
    )


def _pieces(text: str, marks: Sequence[tuple[int, int]]) -> list[SnippetPiece]:
    pieces: list[SnippetPiece] = []
    position = 0
    for start, end in marks:
        pieces += [
            SnippetPiece(text[position:start], is_marked=False),
            SnippetPiece(text[start:end], is_marked=True),
        ]
        position = end
    pieces.append(SnippetPiece(text[position:], is_marked=False))
    return [piece for piece in pieces if piece.text]
