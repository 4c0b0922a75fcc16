"""What the command palette finds: sessions and files by their names, projects, words in texts."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.search import Hit, QueryError, Results
from clew.store import SessionOverview
from clew.web.cache import ArchiveCache, Catalogue
from clew.web.session_times import live_since

_LONGEST: Final = 120
# Words that are typed halfway: letters to the end, and nothing that means something in a query.
_HALF_TYPED: Final = re.compile(r'[^"/():*]*\w{2,}')
_SHORTEST_ID: Final = 4
_NO_MATCH: Final = 9
_SHORTEST_PATH: Final = 2
_MOST_FILES: Final = 5000
_BACK: Final = "\\"
_OF_EACH: Final = 2
# So many more hits are looked at, since most may be of one session.
_AHEAD: Final = 4


class PaletteSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session by its name; `project` is the name of its folder."""

    session_id: str
    title: str
    project: str
    url: str
    at: str
    is_live: bool = False
    member: str = ""


class PaletteProject(msgspec.Struct, frozen=True, kw_only=True):
    """A project, and the list of its sessions."""

    name: str
    path: str
    sessions: int
    url: str


class PaletteFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that sessions touched: its name, its folder in its project, and its history's page.

    `edited_at` is empty if it was only read. Without a known project, `folder` is the whole path.
    """

    path: str
    name: str
    folder: str
    project: str
    sessions: int
    url: str
    edited_at: str = ""


class PaletteHit(msgspec.Struct, frozen=True, kw_only=True):
    """A message with the words; `marks` are where they start and end in the text."""

    session_id: str
    title: str
    url: str
    text: str
    marks: tuple[tuple[int, int], ...]
    at: str


class Palette(msgspec.Struct, frozen=True, kw_only=True):
    """Everything found for what was typed; without words, the latest sessions.

    `total_hits` counts all hits, at least if it is not exact; `problem` says why a query cannot be
    searched for.
    """

    schema: str = "clew.palette/1"
    query: str
    sessions: tuple[PaletteSession, ...] = ()
    projects: tuple[PaletteProject, ...] = ()
    files: tuple[PaletteFile, ...] = ()
    hits: tuple[PaletteHit, ...] = ()
    total_hits: int = 0
    is_exact: bool = True
    problem: str = ""


class PaletteQuery(msgspec.Struct, frozen=True):
    """What was typed, how much of each kind to find, and whether to look for files and texts."""

    text: str
    limit: int
    with_texts: bool = True


class NamedSession(msgspec.Struct, frozen=True, gc=False):
    """A session with its names in lower case: titles count more than the rest."""

    session: SessionOverview
    title: str
    project: str
    rest: str


def find_in_palette(
    cache: ArchiveCache, catalogue: Catalogue, wanted: PaletteQuery, now: dt.datetime
) -> Palette:
    """Find what was typed."""
    query, limit = wanted.text, wanted.limit
    names: list[NamedSession] = cache.get_or_make(
        "palette names", catalogue.version, lambda: list(_names(catalogue.sessions))
    )
    words = query.casefold().split()
    has_search = bool(words) and wanted.with_texts
    found, problem = _search(cache, query, limit, now) if has_search else (None, "")
    sessions = _sessions(names, words, limit)
    cache.note_titles(session.id for session in sessions)
    return Palette(
        query=query,
        sessions=tuple(_session(one, cache, live_since(now)) for one in sessions),
        projects=tuple(_projects(names, words, limit, cache)) if words else (),
        files=tuple(_files(names, words, limit, cache)) if has_search else (),
        hits=()
        if found is None
        else tuple(_hit(hit, cache) for hit in _few_of_each(found.hits, limit)),
        total_hits=0 if found is None else found.total,
        is_exact=found is None or found.is_exact,
        problem=problem,
    )


def _names(sessions: Sequence[SessionOverview]) -> Iterator[NamedSession]:
    for session in sessions:
        if session.is_listed:
            title = (session.title or session.first_prompt).casefold()
            project = find_checkout(session.project).label.casefold()
            rest = f"{session.git_branch or ''}\n{session.project}\n{session.first_prompt}"
            yield NamedSession(session, title, project, rest.casefold())


def _sessions(
    names: Sequence[NamedSession], words: Sequence[str], limit: int
) -> list[SessionOverview]:
    """Return the sessions whose names have all words, those with the best names first."""
    if not words:
        return [one.session for one in names[:limit]]
    ranked = [(_rank(one, words), one.session) for one in names]
    matching = [pair for pair in ranked if pair[0] < _NO_MATCH]
    # The sort keeps the order of time within a rank.
    matching.sort(key=lambda pair: pair[0])
    return [session for _, session in matching[:limit]]


def _rank(one: NamedSession, words: Sequence[str]) -> int:
    """Rank a match: the words are the title, begin it, are in it, or in the other names."""
    if len(words) == 1 and len(words[0]) >= _SHORTEST_ID and one.session.id.startswith(words[0]):
        return 0
    if all(word in one.title for word in words):
        return 1 if one.title.startswith(words[0]) else 2
    names = f"{one.title}\n{one.project}"
    if all(word in names for word in words):
        return 3
    return 4 if all(word in one.rest or word in names for word in words) else _NO_MATCH


def _projects(
    names: Sequence[NamedSession], words: Sequence[str], limit: int, cache: ArchiveCache
) -> Iterator[PaletteProject]:
    counts = Counter(
        one.session.project for one in names if all(word in one.project for word in words)
    )
    for path, sessions in counts.most_common(limit):
        yield PaletteProject(
            name=find_checkout(path).label or path,
            path=path,
            sessions=sessions,
            url=cache.urls.filtered_sessions(project=path),
        )


def _files(
    names: Sequence[NamedSession], words: Sequence[str], limit: int, cache: ArchiveCache
) -> Iterator[PaletteFile]:
    """Return files, those with the best names first, and of these the last edited."""
    if max(map(len, words)) < _SHORTEST_PATH:
        return
    found = cache.archive.find_files(words, _MOST_FILES)
    found.sort(key=lambda file: _rank_path(file.path, words))
    projects = {one.session.project for one in names} - {""}
    for file in found[:limit]:
        path = file.path.replace(_BACK, "/")
        folder, _, name = path.rpartition("/")
        around = [one for one in projects if path.startswith(f"{one.replace(_BACK, '/')}/")]
        project = max(around, key=len, default="")
        yield PaletteFile(
            path=file.path,
            name=name,
            folder=folder[len(project) :].lstrip("/") if project else folder,
            project=find_checkout(project).label if project else "",
            sessions=file.sessions,
            url=cache.urls.file(file.path),
            edited_at=file.edited_at or "",
        )


def _rank_path(path: str, words: Sequence[str]) -> int:
    """Rank a match: the words are a file's name, begin it, are in it, or in its path."""
    name = path.replace(_BACK, "/").rpartition("/")[2].casefold()
    if not all(word in name for word in words):
        return 3
    return 0 if name == words[0] else 1 if name.startswith(words[0]) else 2


def _few_of_each(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Return the best messages, few of each session, so that other sessions are seen too."""
    seen: Counter[tuple[str, object]] = Counter()
    found = []
    for hit in hits:
        key = (hit.session_id, hit.member)
        seen[key] += hit.message_id is not None
        if hit.message_id is not None and seen[key] <= _OF_EACH:
            found.append(hit)
    return found[:limit]


def _search(
    cache: ArchiveCache, query: str, limit: int, now: dt.datetime
) -> tuple[Results | None, str]:
    """Search all texts; a word that may be typed halfway finds what begins with it."""
    text = query.strip()
    text = f"{text}*" if _HALF_TYPED.fullmatch(text) else text
    try:
        return cache.archive.search(text, now=now, limit=limit * _AHEAD), ""
    except QueryError as error:
        return None, str(error).partition("\n")[0]


def _session(session: SessionOverview, cache: ArchiveCache, since: str) -> PaletteSession:
    return PaletteSession(
        session_id=session.id,
        title=_line(session.title or session.first_prompt),
        project=find_checkout(session.project).label,
        url=cache.urls.session(session.id),
        at=session.ended_at or "",
        is_live=(session.ended_at or "") >= since,
        member=session.member or "",
    )


def _hit(hit: Hit, cache: ArchiveCache) -> PaletteHit:
    return PaletteHit(
        session_id=hit.session_id,
        title=_line(hit.title),
        url=cache.urls.hit(hit.session_id, hit.message_id, hit.tool_call_id),
        text=hit.snippet.text,
        marks=tuple((mark.start, mark.end) for mark in hit.snippet.marks),
        at=hit.at,
    )


def _line(title: str) -> str:
    return " ".join(title[: 2 * _LONGEST].split())[:_LONGEST] or UNTITLED
