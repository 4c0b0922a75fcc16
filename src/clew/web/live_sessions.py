"""Sessions that grew lately, each with what it does: for the strip on pages, and for the API."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

import msgspec

from clew.analytics import FilterSet, find_checkout
from clew.clock import format_time
from clew.errors import SessionNotFoundError
from clew.insight.live import (
    LIVE_WINDOW,
    QUESTION_WINDOW,
    Activity,
    read_activity,
    state_at,
    state_by_time,
)
from clew.store import SessionOverview
from clew.tools import ASKING_TOOLS
from clew.web.cache import ArchiveCache

_MOST: Final = 40
_ORDER: Final = ("waiting", "working", "finished")


class LiveSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that grew lately.

    `state` is `working`, `waiting` (for a person) or `finished`; `reason` says why, and
    `is_inferred` that the transcript alone does not prove it. `last_action` is the last call,
    answer or prompt in one line, in the message `message_id`. `context_fill` is the share of the
    context window that the last request used; the window is assumed unless the client states it.
    `updated_at` is the time of the last line.
    """

    session_id: str
    title: str
    project: str
    project_name: str
    state: str
    reason: str
    is_inferred: bool
    last_action: str
    message_id: str
    call_id: str
    context_fill: float | None
    context_tokens: int | None
    context_window: int | None
    is_window_known: bool
    cost_usd: float | None
    cost_quality: str
    updated_at: str
    member: str | msgspec.UnsetType = msgspec.UNSET


class LiveList(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions that grew in the last two hours, or have a question that was not answered since.

    Those that wait come first, then those that work.
    """

    schema: str = "clew.live/1"
    sessions: tuple[LiveSession, ...]
    waiting: int
    working: int


def find_live(cache: ArchiveCache, now: dt.datetime) -> LiveList:
    """Return the sessions that grew lately; those of others are noted as listed."""
    found = _find_recent(cache, now)
    cache.note_listed(each.session_id for each in found)
    found.sort(key=lambda each: each.updated_at, reverse=True)
    found.sort(key=lambda each: _ORDER.index(each.state))
    counts = [each.state for each in found]
    return LiveList(
        sessions=tuple(found), waiting=counts.count("waiting"), working=counts.count("working")
    )


def find_waiting(cache: ArchiveCache, now: dt.datetime) -> frozenset[str]:
    """Return the ids of the sessions that wait for a person."""
    return frozenset(s.session_id for s in _find_recent(cache, now) if s.state == "waiting")


def find_one_live(cache: ArchiveCache, session_id: str, now: dt.datetime) -> LiveSession | None:
    """Return what one session does, or None if it has not grown lately."""
    session = cache.catalogue().by_id.get(session_id)
    found = [] if session is None else _live_among(cache, [session], now)
    return next(iter(found), None)


def _find_recent(cache: ArchiveCache, now: dt.datetime) -> list[LiveSession]:
    return _live_among(cache, [s for s in cache.catalogue().sessions if s.is_listed], now)


def _live_among(
    cache: ArchiveCache, sessions: Sequence[SessionOverview], now: dt.datetime
) -> list[LiveSession]:
    """Return what sessions do that grew lately, and which older ones wait for an answer."""
    since, earliest = format_time(now - LIVE_WINDOW), format_time(now - QUESTION_WINDOW)
    is_needed = any(earliest <= (session.ended_at or "") < since for session in sessions)
    asking = _open_questions(cache, now) if is_needed else frozenset()
    recent = [s for s in sessions if (s.ended_at or "") >= since or s.id in asking]
    recent.sort(key=lambda session: session.ended_at or "", reverse=True)
    found = (_live(cache, session, now) for session in recent[:_MOST])
    return [one for one in found if one and (one.updated_at >= since or one.state == "waiting")]


def _open_questions(cache: ArchiveCache, now: dt.datetime) -> frozenset[str]:
    """Return the ids of sessions in which a question or a plan has no answer."""

    def find() -> frozenset[str]:
        since = format_time(now - QUESTION_WINDOW)
        filters = [FilterSet(since=since, tool=name) for name in ASKING_TOOLS]
        calls = (call for each in filters for call in cache.archive.tool_calls(each))
        return frozenset(call.session_id for call in calls if call.status == "pending")

    version = f"{cache.catalogue().version}-{now:%Y%m%d%H}"
    return cache.get_or_make("open questions", version, find)


def _live(cache: ArchiveCache, session: SessionOverview, now: dt.datetime) -> LiveSession | None:
    """Return what a session does, unless it was deleted meanwhile."""
    try:
        activity = _activity(cache, session.id)
    except SessionNotFoundError:
        return None
    at = session.ended_at or "" if activity is None else activity.at
    state = state_by_time(at, now) if activity is None else state_at(activity, now)
    context = None if activity is None else activity.context
    return LiveSession(
        session_id=session.id,
        title=session.title or session.first_prompt,
        project=session.project,
        project_name=find_checkout(session.project).label,
        state=state.state,
        reason=state.reason,
        is_inferred=state.is_inferred,
        last_action="" if activity is None else activity.action,
        message_id="" if activity is None else activity.message_id,
        call_id="" if activity is None else activity.call_id,
        context_fill=None if context is None else round(context.share, 4),
        context_tokens=None if context is None else context.tokens,
        context_window=None if context is None else context.window,
        is_window_known=context is not None and context.is_window_known,
        cost_usd=session.cost_usd,
        cost_quality=session.usage.quality,
        updated_at=at,
        member=session.member,
    )


def _activity(cache: ArchiveCache, session_id: str) -> Activity | None:
    """Return what a session does by its rows; None if it is too long to be built each second."""
    if cache.is_long(session_id):
        return None
    version = cache.archive.session_version(session_id)
    return cache.get_or_make(
        ("activity", session_id),
        version,
        lambda: cache.with_session(
            session_id, version, lambda session: read_activity(session.index.conversation)
        ),
    )
