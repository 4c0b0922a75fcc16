"""What a request wants to have exported as one file: sessions, or a search."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Final, TypeAlias, TypeVar

import msgspec
from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter, SkipValidation

from clew.analytics import FilterSet, given_filters
from clew.clock import LocalZone
from clew.errors import NotFoundError, UsageError
from clew.export import (
    MAX_HITS,
    MAX_SESSIONS,
    SHARE_FORMS,
    Share,
    SharedHits,
    ShareForm,
    ShareOptions,
    read_turns,
    require_shareable,
    share_hits,
)
from clew.store import SessionOverview
from clew.view import Detail, PageIndex
from clew.web.cache import ArchiveCache
from clew.web.params import read_filters, require_id
from clew.web.responses import AppRequest, query_params
from clew.web.state import cache_of

T = TypeVar("T")
HITS: Final = "hits"
SESSIONS: Final = "sessions"
_NOTHING: Final = (
    "nothing to export; open a session or a search and use Export there, "
    "or name a session as in /export?session=ID"
)
_MAX_TEXT: Final = 1_000
_FILTERS: Final = frozenset(FilterSet.__struct_fields__) - {"session"} | {"tz"}

Sessions: TypeAlias = Annotated[
    list[str] | None, QueryParameter(description="Ids of sessions. Repeatable.")
]
Query: TypeAlias = Annotated[
    str, QueryParameter(max_length=_MAX_TEXT, description="A search, instead of sessions.")
]
Contents: TypeAlias = Annotated[
    str, QueryParameter(max_length=20, description="Of a search: `sessions` or `hits`.")
]
FormName: TypeAlias = Annotated[
    str, QueryParameter(max_length=20, description="`html`, `markdown` or `json`.")
]
DetailName: TypeAlias = Annotated[
    str,
    QueryParameter(
        max_length=20, description="`outline`, `prompts`, `talk`, `tools` or `everything`."
    ),
]
Turns: TypeAlias = Annotated[
    str, QueryParameter(max_length=40, description="Turns of one session, such as `3-7`.")
]
Redact: TypeAlias = Annotated[bool, QueryParameter(description="Mask secrets; the default.")]


class ExportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to export, and how; `params` name it in an address, without the options."""

    params: tuple[tuple[str, str], ...]
    options: ShareOptions
    query: str = ""
    contents: str = SESSIONS

    def address(self, **more: str) -> list[tuple[str, str]]:
        """Return all parameters of an address."""
        options = self.options
        chosen = {
            "of": self.contents if self.query else "",
            "form": options.form,
            "detail": options.detail.label,
            "turns": options.turns.label if options.turns else "",
            "redact": "" if options.is_redacted else "false",
            **more,
        }
        return [*self.params, *((name, value) for name, value in chosen.items() if value)]


class ExportContents(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions that a request names, and the hits if those are wanted."""

    sessions: tuple[SessionOverview, ...]
    hits: SharedHits | None = None
    note: str = ""

    @property
    def size_bytes(self) -> int:
        """How large their transcripts are."""
        return sum(session.size_bytes for session in self.sessions)


def read_export(
    request: AppRequest,
    *,
    session: Sessions = None,
    q: Query = "",
    of: Contents = SESSIONS,
    form: FormName = "html",
    detail: DetailName = Detail.EVERYTHING.label,
    turns: Turns = "",
    redact: Redact = True,
) -> ExportRequest:
    """Read what to export.

    Raises:
        UsageError: A value is invalid, or nothing is chosen.
    """
    chosen = [("session", name) for name in dict.fromkeys(session or ())]
    filters = [pair for pair in query_params(request) if pair[0] in _FILTERS]
    params = chosen or ([("q", q)] if q.strip() else [])
    if not params and not filters:
        raise UsageError(_NOTHING)
    if of not in (SESSIONS, HITS):
        raise UsageError(f"invalid value {of!r} for of; use {SESSIONS} or {HITS}")
    return ExportRequest(
        params=tuple(chosen or [*params, *filters]),
        options=ShareOptions(
            form=_form(form), detail=_detail(detail), is_redacted=redact, turns=read_turns(turns)
        ),
        query="" if chosen else q.strip(),
        contents=of,
    )


ExportParam: TypeAlias = NamedDependency[SkipValidation[ExportRequest]]
PROVIDED_EXPORT: Final = {"wanted": Provide(read_export, sync_to_thread=False)}
"""What the routes of an export have in common."""


def find_contents(cache: ArchiveCache, wanted: ExportRequest) -> ExportContents:
    """Find the sessions that a request names.

    Raises:
        NotFoundError: There are none.
        UsageError: They are too many, or too large.
    """
    names = [value for name, value in wanted.params if name == "session"]
    if names:
        _require_few(len(names))
        ids = dict.fromkeys(cache.full_id(require_id(name)) for name in names)
        found = ExportContents(sessions=tuple(map(cache.overview, ids)))
    elif wanted.query:
        found = _search(cache, wanted)
    else:
        found = _filtered(cache, _filters(wanted))
    if not found.sessions:
        raise NotFoundError("no sessions match; nothing to export")
    require_shareable(found.sessions, wanted.options)
    return found


def make_share(
    cache: ArchiveCache,
    wanted: ExportRequest,
    contents: ExportContents,
    *,
    is_reporting: bool = False,
) -> Share:
    """Make the file of a request, as whoever makes it may read it."""

    def load(session_id: str, make: Callable[[PageIndex], T]) -> T:
        version = cache.session_version(session_id)
        return cache.with_session(session_id, version, lambda session: make(session.index))

    return Share(
        contents.sessions, wanted.options, load, hits=contents.hits, is_reporting=is_reporting
    )


def run_through(share: Share) -> Iterator[tuple[int, int]]:
    """Write a file to nowhere; yield how far that is, at each step."""
    before = -1
    for _ in share.write():
        if share.done != before:
            before = share.done
            yield share.done, share.total


def contents_of(request: AppRequest, wanted: ExportRequest) -> tuple[ArchiveCache, ExportContents]:
    """Return the viewer's cache, and what they want to export."""
    cache = cache_of(request)
    contents = find_contents(cache, wanted)
    cache.note_titles(session.id for session in contents.sessions)
    return cache, contents


def _form(name: str) -> ShareForm:
    found = next((form for form in SHARE_FORMS if form == name), None)
    if found is None:
        raise UsageError(f"invalid value {name!r} for form; use one of {', '.join(SHARE_FORMS)}")
    return found


def _detail(name: str) -> Detail:
    found = next((detail for detail in Detail if detail.label == name), None)
    if found is None:
        names = ", ".join(detail.label for detail in Detail)
        raise UsageError(f"invalid value {name!r} for detail; use one of {names}")
    return found


def _filters(wanted: ExportRequest) -> FilterSet:
    values: dict[str, str | None] = {name: value for name, value in wanted.params if name != "q"}
    return read_filters(**values)


def _require_few(count: int) -> None:
    if count > MAX_SESSIONS:
        raise UsageError(
            f"{count:,} sessions are too many for one file, which has {MAX_SESSIONS} at most; "
            "choose fewer, or use `clew export`"
        )


def _search(cache: ArchiveCache, wanted: ExportRequest) -> ExportContents:
    now = dt.datetime.now(LocalZone())
    found = cache.archive.search(wanted.query, now=now, limit=MAX_HITS, filters=_filters(wanted))
    ids = list(dict.fromkeys(hit.session_id for hit in found.hits))
    _require_few(len(ids))
    more = "" if found.next_offset is None else f"Only the first {MAX_HITS} hits are exported."
    hits = share_hits(wanted.query, found.hits, found.total, is_exact=found.is_exact)
    return ExportContents(
        sessions=tuple(map(cache.overview, ids)),
        hits=hits if wanted.contents == HITS else None,
        note=more,
    )


def _filtered(cache: ArchiveCache, filters: FilterSet) -> ExportContents:
    if not given_filters(filters):
        raise UsageError(_NOTHING)
    ids = cache.archive.matching_sessions(filters)
    listed: Sequence[SessionOverview] = cache.catalogue().sessions
    found = tuple(session for session in listed if session.id in ids and session.is_talk)
    _require_few(len(found))
    return ExportContents(sessions=found)
