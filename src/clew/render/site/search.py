"""Search results: snippets, grouped by session or by day."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Final

import msgspec

from clew.analytics import FILTERS, TEAM_FILTERS, find_checkout
from clew.clock import parse_time
from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.filter_chips import Chip, describe_filter
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls

Given = Sequence[tuple[str, str]]

_SHOWN: Final = 3
_WORDS: Final = tuple(each.word for each in FILTERS if each.name != "tool")
_WIDER: Final = {
    "any_word": "Search for any of these words",
    "as_text": "Search for the words with a minus instead of leaving them out",
    "everywhere": "Search tool results and injected text, too",
}
_FIELDS: Final = {
    "prompt": "Prompt",
    "answer": "Answer",
    "thinking": "Thinking",
    "input": "Tool input",
    "result": "Tool result",
    "injection": "Injected text",
    "title": "Title",
    "digest": "Digest",
    "file": "File",
}


class SnippetPiece(msgspec.Struct, frozen=True):
    """A piece of a snippet, which is marked or not."""

    text: str
    is_marked: bool


class HitPlace(msgspec.Struct, frozen=True):
    """Where a text stands once more."""

    url: str
    at: str


class HitLine(msgspec.Struct, frozen=True):
    """A hit; `others` are where its session has the same text once more."""

    url: str
    field: str
    at: str
    pieces: Sequence[SnippetPiece]
    copies: int = 0
    session: str = ""
    session_url: str = ""
    form: str = "day"
    others: Sequence[HitPlace] = ()

    @property
    def count(self) -> int:
        """How many hits the line stands for."""
        return 1 + len(self.others)


class SessionHits(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a session, or on a day, which has no address.

    `all_url` searches this session alone, and `project_url` its project. Only the first lines of a
    session are shown at once, unless it `is_open`.
    """

    title: str
    session_id: str = ""
    url: str = ""
    project: str = ""
    project_url: str = ""
    hits: Sequence[HitLine]
    member: str = ""
    all_url: str = ""
    is_open: bool = False

    @property
    def count(self) -> int:
        """How many hits there are."""
        return _count(self.hits)

    @property
    def first(self) -> Sequence[HitLine]:
        """The lines that are shown at once."""
        return self.hits[: self._shown]

    @property
    def rest(self) -> Sequence[HitLine]:
        """The other ones."""
        return self.hits[self._shown :]

    @property
    def rest_count(self) -> int:
        """How many hits the other ones stand for."""
        return _count(self.rest)

    @property
    def _shown(self) -> int:
        # A link to a single line would be as tall as the line.
        is_short = not self.session_id or len(self.hits) <= _SHOWN + 1
        return len(self.hits) if is_short else _SHOWN


class WiderLink(msgspec.Struct, frozen=True):
    """A wider query in plain words, its address, and how many hits it has."""

    label: str
    url: str
    total: int
    is_exact: bool = True


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    """A query with its hits, or with what is wrong with it.

    `given` are the filters in the address; `set_chips` are these and those that are typed, `chips`
    other ones that would narrow the search. `views` are the ways to group hits, each with its
    address, which is empty for the one that is shown. `wider` are queries that find more, and
    `words` the words and phrases that hits have.
    """

    query: str = ""
    words: Sequence[str] = ()
    given: Given = ()
    sessions: Sequence[SessionHits] = ()
    total: int = 0
    is_exact: bool = True
    notes: Sequence[str] = ()
    problem: str = ""
    more: str = ""
    chips: Sequence[tuple[str, str]] = ()
    set_chips: Sequence[Chip] = ()
    views: Sequence[tuple[str, str]] = ()
    took_ms: float | None = None
    hidden: int = 0
    wider: Sequence[WiderLink] = ()


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """A hit as a search gives it, without the search's own types."""

    session_id: str
    title: str
    project: str
    field: str
    message_id: str | None
    at: str
    tool_call_id: str | None = None
    text: str
    marks: Sequence[tuple[int, int]]
    copies: int = 0
    member: str = ""


def render_search(page: SearchPage, base: BasePage) -> str:
    """Draw the page."""
    body = draw(
        "search.html",
        page=page,
        asked=msgspec.json.encode(page.words).decode(),
        words=(*_WORDS, *(each.word for each in TEAM_FILTERS)) if base.account else _WORDS,
        urls=base.urls,
        archiving=base.archiving,
    )
    title = f"Search: {page.query}" if page.query else "Search"
    return base.draw(title, body, "search", ("suggest.js", "searches.js"))


def render_site_search(texts: str, base: BasePage) -> str:
    """Draw the search page of a static site, which contains the compressed texts."""
    body = draw("site_search.html", texts=texts, urls=base.urls)
    return base.draw("Search", body, "search", ["site_search.js"])


def group_hits(
    hits: Sequence[SearchHit],
    urls: SiteUrls,
    query: str = "",
    given: Given = (),
    opened: Collection[str] = (),
) -> list[SessionHits]:
    """Put all hits of a session below its title, the session with the best hit first.

    Of sessions in `opened`, all hits are shown.
    """
    sessions: dict[tuple[str, str], list[SearchHit]] = {}
    for hit in hits:
        sessions.setdefault((hit.session_id, hit.member), []).append(hit)
    groups = (_session(own, urls, query, given) for own in sessions.values())
    return [msgspec.structs.replace(one, is_open=one.session_id in opened) for one in groups]


def group_by_time(hits: Sequence[SearchHit], urls: SiteUrls, zone: dt.tzinfo) -> list[SessionHits]:
    """Put hits below their days, the latest first."""
    ordered = sorted(hits, key=lambda hit: hit.at, reverse=True)
    return [
        SessionHits(title=day, hits=_folded([(hit, _timed_line(hit, urls)) for hit in own]))
        for day, own in groupby(ordered, lambda hit: _day(hit.at, zone))
    ]


def narrowing_filters(
    query: str, filters: Mapping[str, str], urls: SiteUrls, given: Given = ()
) -> list[tuple[str, str]]:
    """Return chips that change what a query searches, each in plain words with its address."""
    return [
        (describe_filter(name, value), urls.search_results(f"{query} {name}:{value}", given))
        for name, value in filters.items()
        if f"{name}:{value}" not in query
    ]


def wider_link(
    kind: str, found: tuple[str, int, bool], urls: SiteUrls, given: Given = ()
) -> WiderLink:
    """Return a link to a wider query: its text, its hits, and whether these are all."""
    query, total, is_exact = found
    return WiderLink(_WIDER[kind], urls.search_results(query, given), total, is_exact)


def _session(hits: list[SearchHit], urls: SiteUrls, query: str, given: Given) -> SessionHits:
    first = hits[0]
    checkout = find_checkout(first.project)
    others = [pair for pair in given if pair[0] != "session"]
    return SessionHits(
        title=first.title or UNTITLED,
        session_id=first.session_id,
        url=urls.session(first.session_id),
        project=checkout.label,
        project_url=urls.filtered_sessions(repository=checkout.repository),
        member=first.member,
        hits=_folded([(hit, _line(hit, urls)) for hit in hits]),
        all_url=urls.search_results(query, [*others, ("session", first.session_id)]),
    )


def _folded(pairs: Sequence[tuple[SearchHit, HitLine]]) -> list[HitLine]:
    """Make one line of hits with the same text in the same kind of place of one session."""
    lines: dict[tuple[str, str, str, str], list[HitLine]] = {}
    for hit, line in pairs:
        key = (hit.session_id, hit.member, hit.field, " ".join(hit.text.split()))
        lines.setdefault(key, []).append(line)
    return [
        msgspec.structs.replace(
            first,
            others=[HitPlace(one.url, one.at) for one in others],
            copies=max(first.copies, *(one.copies for one in others), 0),
        )
        for first, *others in lines.values()
    ]


def _count(lines: Sequence[HitLine]) -> int:
    return sum(line.count for line in lines)


def _day(at: str, zone: dt.tzinfo) -> str:
    moment = parse_time(at)
    if moment is None:
        return "Without a date"
    local = moment.astimezone(zone)
    return f"{local:%A}, {local.day} {local:%B %Y}"


def _timed_line(hit: SearchHit, urls: SiteUrls) -> HitLine:
    return msgspec.structs.replace(
        _line(hit, urls),
        session=hit.title or UNTITLED,
        session_url=urls.session(hit.session_id),
        form="clock",
    )


def _line(hit: SearchHit, urls: SiteUrls) -> HitLine:
    return HitLine(
        url=urls.hit(hit.session_id, hit.message_id, hit.tool_call_id),
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
