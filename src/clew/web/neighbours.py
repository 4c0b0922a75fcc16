"""The sessions around one: those of the same repository, in the order of the list."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.store import SessionOverview
from clew.web.cache import ArchiveCache
from clew.web.session_times import live_since

# So many newer and so many older ones.
_EACH_WAY: Final = 40
_LONGEST: Final = 120


class Neighbour(msgspec.Struct, frozen=True, kw_only=True):
    """A session of the same repository or one of its worktrees."""

    session_id: str
    title: str
    url: str
    at: str
    is_live: bool = False
    is_this: bool = False
    member: str = ""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions around one, the latest first, with the one before it and the one after it.

    `project` is the name of their repository, whose worktrees count as one with it; `total` counts
    all its sessions, and `url` lists them.
    """

    schema: str = "clew.around/1"
    session_id: str
    project: str
    url: str
    total: int
    sessions: tuple[Neighbour, ...]
    previous: Neighbour | None = None
    next: Neighbour | None = None


def find_around(cache: ArchiveCache, session_id: str, now: dt.datetime) -> Around:
    """Return the sessions around one.

    Raises:
        NotArchivedYetError: It is only on disk so far.
        SessionNotFoundError: There is no session with this id.
    """
    own = cache.overview(session_id)
    repository = find_checkout(own.project)
    found = list_related(cache, own)
    place = next(number for number, one in enumerate(found) if one.id == own.id)
    first = max(0, place - _EACH_WAY)
    since = live_since(now)
    listed = found[first : place + _EACH_WAY + 1]
    cache.note_titles(one.id for one in listed)
    shown = [_neighbour(one, own, cache, since) for one in listed]
    return Around(
        session_id=own.id,
        project=repository.name or own.project,
        url=cache.urls.filtered_sessions(repository=repository.repository),
        total=len(found),
        sessions=tuple(shown),
        previous=_at(shown, place - first + 1),
        next=_at(shown, place - first - 1),
    )


def list_related(cache: ArchiveCache, own: SessionOverview) -> list[SessionOverview]:
    """Return all sessions of a session's repository and its worktrees, the latest first."""
    repository = find_checkout(own.project).repository
    found = [
        one
        for one in cache.catalogue().sessions
        if find_checkout(one.project).repository == repository
        and (one.is_listed or one.id == own.id)
    ]
    if all(one.id != own.id for one in found):
        # The catalogue may be some commits behind.
        found.append(own)
    found.sort(key=lambda one: one.ended_at or "", reverse=True)
    return found


def _at(shown: Sequence[Neighbour], place: int) -> Neighbour | None:
    return shown[place] if 0 <= place < len(shown) else None


def _neighbour(
    one: SessionOverview, own: SessionOverview, cache: ArchiveCache, since: str
) -> Neighbour:
    title = one.title or one.first_prompt
    return Neighbour(
        session_id=one.id,
        title=" ".join(title[: 2 * _LONGEST].split())[:_LONGEST] or UNTITLED,
        url=cache.urls.session(one.id),
        at=one.ended_at or "",
        is_live=(one.ended_at or "") >= since,
        is_this=one.id == own.id,
        member=one.member or "",
    )
