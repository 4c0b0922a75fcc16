"""Hits of a search as a document of their own, which links nowhere."""

from collections.abc import Sequence
from itertools import groupby

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.templates import draw


class ListedHit(msgspec.Struct, frozen=True, kw_only=True):
    """A hit: its session, where in it, and the words around it; `marks` are what was found."""

    session_id: str
    title: str
    project: str
    field: str
    at: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    message_id: str | None = None


def render_hit_list(title: str, query: str, hits: Sequence[ListedHit], base: BasePage) -> str:
    """Draw the document."""
    groups = [
        _session(list(own)) for _, own in groupby(hits, key=lambda hit: (hit.session_id, hit.title))
    ]
    body = draw("hit_list.html", title=title, query=query, sessions=groups)
    return base.draw(f"Search: {query}", body)


def _session(hits: list[ListedHit]) -> dict[str, object]:
    return {
        "id": hits[0].session_id,
        "title": hits[0].title or UNTITLED,
        "project": find_checkout(hits[0].project).label,
        "hits": [{"field": hit.field, "at": hit.at, "pieces": _pieces(hit)} for hit in hits],
    }


def _pieces(hit: ListedHit) -> list[tuple[str, bool]]:
    """Split a snippet where it was found."""
    pieces, done = [], 0
    for start, end in hit.marks:
        pieces += [(hit.text[done:start], False), (hit.text[start:end], True)]
        done = end
    return [piece for piece in (*pieces, (hit.text[done:], False)) if piece[0]]
