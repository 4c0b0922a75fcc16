"""Hits: the words around what was found, below the session they stand in."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

import msgspec

from clew.render.site.places import Places
from clew.render.site.shell import Shell
from clew.render.site.templates import draw

_FIELDS: Final = {
    "prompt": "prompt",
    "answer": "answer",
    "thinking": "thinking",
    "input": "tool input",
    "result": "tool result",
    "injection": "injected text",
    "title": "title",
    "file": "file",
}


class Piece(msgspec.Struct, frozen=True):
    """A piece of a snippet, which is marked or not."""

    text: str
    is_marked: bool


class FoundLine(msgspec.Struct, frozen=True):
    """A hit."""

    url: str
    field: str
    at: str
    pieces: Sequence[Piece]
    copies: int = 0


class FoundSession(msgspec.Struct, frozen=True):
    """A session with what was found in it."""

    title: str
    url: str
    project: str
    hits: Sequence[FoundLine]


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    """A query with its hits, or with what is wrong with it."""

    query: str = ""
    sessions: Sequence[FoundSession] = ()
    total: int = 0
    is_exact: bool = True
    notes: Sequence[str] = ()
    problem: str = ""
    more: str = ""
    chips: Sequence[tuple[str, str]] = ()
    took_ms: float | None = None
    hidden: int = 0


class RawHit(msgspec.Struct, frozen=True, kw_only=True):
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


def render_search(page: SearchPage, shell: Shell) -> str:
    """Draw the page."""
    body = draw("search.html", page=page, places=shell.places)
    title = f"{page.query}, search" if page.query else "Search"
    return shell.draw(title, body, "search")


def render_site_search(texts: str, shell: Shell) -> str:
    """Draw the search of a site, which holds all words it looks through, packed."""
    body = draw("site_search.html", texts=texts, places=shell.places)
    return shell.draw("Search", body, "search", ["look.js"])


def group_hits(hits: Sequence[RawHit], places: Places) -> list[FoundSession]:
    """Put hits that follow one another in one session below its title."""
    return [
        _session(session_id, list(own), places)
        for session_id, own in groupby(hits, lambda hit: hit.session_id)
    ]


def more_url(places: Places, query: str, cursor: str | None) -> str:
    """Give the address of the next hits."""
    return f"{places.search}?{urlencode({'q': query, 'cursor': cursor})}" if cursor else ""


def narrowed(query: str, filters: Mapping[str, str], places: Places) -> list[tuple[str, str]]:
    """Give chips that narrow a query, each with its address."""
    return [
        (f"{name}:{value}", places.found(f"{query} {name}:{value}"))
        for name, value in filters.items()
        if f"{name}:{value}" not in query
    ]


def _session(session_id: str, hits: list[RawHit], places: Places) -> FoundSession:
    first = hits[0]
    return FoundSession(
        title=first.title or "A session without a title",
        url=places.session(session_id),
        project=first.project.replace("\\", "/").rstrip("/").rpartition("/")[2],
        hits=[_line(hit, places) for hit in hits],
    )


def _line(hit: RawHit, places: Places) -> FoundLine:
    return FoundLine(
        url=places.session(hit.session_id, hit.message_id),
        field=_FIELDS.get(hit.field, hit.field),
        at=hit.at,
        pieces=_pieces(hit.text, hit.marks),
        copies=hit.copies,
    )


def _pieces(text: str, marks: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces: list[Piece] = []
    position = 0
    for start, end in marks:
        pieces += [
            Piece(text[position:start], is_marked=False),
            Piece(text[start:end], is_marked=True),
        ]
        position = end
    pieces.append(Piece(text[position:], is_marked=False))
    return [piece for piece in pieces if piece.text]
