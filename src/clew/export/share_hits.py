"""Hits of a search → one document, with secrets masked."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.export.share_options import ShareForm
from clew.figures import plural
from clew.redact import Redactor
from clew.render.formatting import UNTITLED
from clew.render.markdown.inline import inline
from clew.render.site import BasePage, ListedHit, SiteUrls, render_hit_list
from clew.search import Hit

_CUT: Final = "…"
_EDGES: Final = re.compile(rf"\s?\S*\s?{_CUT}\s?\S*\s?")
# A snippet may begin and end inside a private key, of which no line is a secret by itself.
_LONG_RUN: Final = re.compile(
    r"(?=[A-Za-z+/=]*[0-9])(?=[a-z0-9+/=]*[A-Z])(?=[A-Z0-9+/=]*[a-z])[A-Za-z0-9+/=]{40,}"
)
_BASE: Final = BasePage(
    urls=SiteUrls(sessions="#content", search="", usage="", session_prefix=""), has_tabs=False
)


class SharedHits(msgspec.Struct, frozen=True, kw_only=True):
    """The hits of a query; there may be more than these."""

    schema: str = "clew.hits/1"
    query: str
    total: int
    is_exact: bool = True
    hits: tuple[ListedHit, ...] = ()


def share_hits(query: str, hits: Sequence[Hit], total: int, *, is_exact: bool) -> SharedHits:
    """Return the hits of a search, those of a session together, in the order of the best."""
    order = list(dict.fromkeys(hit.session_id for hit in hits))
    ranked = sorted(hits, key=lambda hit: order.index(hit.session_id))
    return SharedHits(
        query=query, total=total, is_exact=is_exact, hits=tuple(map(_shared_hit, ranked))
    )


def _shared_hit(hit: Hit) -> ListedHit:
    return ListedHit(
        session_id=hit.session_id,
        title=hit.title,
        project=hit.project,
        field=str(hit.field),
        at=hit.at,
        text=hit.snippet.text,
        marks=tuple((mark.start, mark.end) for mark in hit.snippet.marks),
        message_id=hit.message_id,
    )


def mask_hits(found: SharedHits, redactor: Redactor) -> SharedHits:
    """Mask the secrets in the hits, and in the query itself."""
    hits = tuple(_mask_hit(hit, redactor) for hit in found.hits)
    return msgspec.structs.replace(found, query=redactor.redact(found.query), hits=hits)


def _mask_hit(hit: ListedHit, redactor: Redactor) -> ListedHit:
    text = mask_snippet(hit.text, redactor)
    return msgspec.structs.replace(
        hit,
        title=redactor.redact(hit.title),
        project=redactor.redact(hit.project),
        text=text,
        marks=hit.marks if text == hit.text else (),
    )


def mask_snippet(text: str, redactor: Redactor) -> str:
    """Mask a snippet; where a text was cut, the words beside the cut go, too.

    Half of a token, or a password without the word before it, cannot be recognised.
    """
    whole = _EDGES.sub(f" {_CUT} ", text).strip() if _CUT in text else text
    return _LONG_RUN.sub(_CUT, redactor.redact(whole))


def write_hits(found: SharedHits, form: ShareForm) -> Iterator[str]:
    """Write the hits as a page, as Markdown or as JSON."""
    match form:
        case "json":
            yield msgspec.json.encode(found).decode()
        case "markdown":
            yield from _write_markdown(found)
        case _:
            yield render_hit_list(_title(found), found.query, found.hits, _BASE)


def _title(found: SharedHits) -> str:
    least = "" if found.is_exact else "At least "
    shown = len(found.hits)
    some = f", the first {shown:,}" if shown < found.total else ""
    return f"{least}{plural(found.total, 'hit')}{some}"


def _write_markdown(found: SharedHits) -> Iterator[str]:
    yield f"# {inline(found.query)}\n\n{_title(found)}\n"
    for _, own in groupby(found.hits, key=lambda hit: hit.session_id):
        hits = list(own)
        project = inline(find_checkout(hits[0].project).label)
        title = inline(hits[0].title) or UNTITLED
        yield f"\n## {title}\n\n{project} · {inline(hits[0].session_id)}\n\n"
        for hit in hits:
            yield f"- {inline(hit.field)}, {inline(hit.at[:16])}: {inline(hit.text)}\n"
