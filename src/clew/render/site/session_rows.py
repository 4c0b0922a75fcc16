"""Rows of sessions: two lines each, all of the same height, with a link for every number."""

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import quote

import msgspec

from clew.analytics import display_name, find_checkout
from clew.clock import parse_time
from clew.render.digest_words import TONES
from clew.render.formatting import UNTITLED, duration, money_usd, scaled
from clew.render.site.urls import SiteUrls
from clew.store import SessionOverview

_LONGEST: Final = 120
_TALLEST: Final = 14
# Most sessions are; a word that nearly all have tells nothing.
_UNCLEAR: Final = "unclear"
_ERRORS: Final = "is:error in:all"
Shapes = Mapping[str, Sequence[tuple[int, int, int, int]]]


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session, ready to be drawn; the addresses are empty where there is no such page."""

    session: SessionOverview
    url: str
    title: str
    project: str
    project_url: str
    worktree: str
    worktree_url: str
    branch: str
    branch_url: str
    models: Sequence[tuple[str, str]]
    at: str
    clock: str
    length: str
    tokens: str
    cost: str
    exact: str
    is_live: bool
    is_waiting: bool
    member: str
    member_url: str
    outcome: str
    tone: str
    bars: list[tuple[str, str]]
    errors_url: str
    calls_url: str
    length_url: str
    tokens_url: str
    cost_url: str


class RowOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What rows need to know of their list.

    `shapes` describe each session in small: how much was said, done and went wrong, from start to
    end. `live` are the ids of sessions that grow, `waiting` of those that wait for a person. Below
    the heading of a day, rows tell the hour. `names` are those of repositories, by their paths.
    """

    urls: SiteUrls
    zone: dt.tzinfo
    by_day: bool
    shapes: Shapes
    live: frozenset[str]
    waiting: frozenset[str] = frozenset()
    names: Mapping[str, str] = {}


def make_row(session: SessionOverview, options: RowOptions) -> SessionRow:
    """Prepare a session for a list."""
    urls = options.urls
    at = session.ended_at or ""
    moment = parse_time(at)
    checkout = find_checkout(session.project)
    branch = "" if session.git_branch in (None, "HEAD") else session.git_branch or ""
    member = session.member or ""
    own = urls.session(session.id)
    is_waiting = session.id in options.waiting
    # Pages below a session's, and of what others count of it, which only the app has.
    below, of_it = (own, quote(session.id, safe="")) if urls.is_dynamic else ("", "")
    return SessionRow(
        session=session,
        url=own,
        title=_short(session.title or session.first_prompt) or UNTITLED,
        project=options.names.get(checkout.repository, checkout.name),
        project_url=_list_url(urls, "repository", checkout.repository),
        worktree=checkout.worktree,
        worktree_url=_list_url(urls, "project", session.project) if checkout.worktree else "",
        branch=branch,
        branch_url=_list_url(urls, "branch", branch),
        models=_models(session.models, urls),
        at=at,
        clock="" if moment is None else _clock(moment.astimezone(options.zone), options),
        length=duration(session.active_ms or session.duration_ms),
        tokens=scaled(session.total_tokens) if session.total_tokens else "",
        cost=_cost(session),
        exact=f"{session.total_tokens:,} tokens",
        is_live=session.id in options.live,
        is_waiting=is_waiting,
        member=member,
        member_url=_list_url(urls, "member", member),
        outcome="" if is_waiting or session.outcome == _UNCLEAR else session.outcome,
        tone=TONES.get(session.outcome, ""),
        bars=_bars(options.shapes.get(session.id, ())),
        errors_url=of_it and f"{_errors_url(urls)}&session={of_it}",
        calls_url=below and f"{below}?detail=tools",
        length_url=below and f"{below}/timeline",
        tokens_url=below and f"{below}/context",
        cost_url=of_it and f"{urls.usage}?session={of_it}",
    )


# A list has few projects, branches and models, and many rows.
@lru_cache(maxsize=4096)
def _list_url(urls: SiteUrls, name: str, value: str) -> str:
    return urls.filtered_sessions(**{name: value})


@lru_cache(maxsize=8)
def _errors_url(urls: SiteUrls) -> str:
    return urls.search_results(_ERRORS)


@lru_cache(maxsize=1024)
def _models(models: tuple[str, ...], urls: SiteUrls) -> list[tuple[str, str]]:
    names = dict.fromkeys(map(display_name, models))
    return [(name, urls.filtered_sessions(model=name)) for name in names]


def _clock(moment: dt.datetime, options: RowOptions) -> str:
    return f"{moment:%H:%M}" if options.by_day else f"{moment.day} {moment:%b %Y}"


def _short(title: str) -> str:
    line = " ".join(title[: 2 * _LONGEST].split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _cost(session: SessionOverview) -> str:
    quality = session.usage.quality
    if session.cost_usd == 0 and quality == "exact":
        return ""
    return money_usd(session.cost_usd, quality)


def _bars(shape: Sequence[tuple[int, int, int, int]]) -> list[tuple[str, str]]:
    """Draw a session small: how much was said, done and went wrong, from left to right.

    There is one path for each of the three, since a list has many sessions.
    """
    most = max((talk + tools for _, talk, tools, _ in shape), default=0) or 1
    paths: dict[str, str] = {"talk": "", "tools": "", "bad": ""}
    for place, talk, tools, errors in shape:
        tall = (talk + tools) / most * _TALLEST
        said = talk / most * _TALLEST
        if talk:
            paths["talk"] += _bar(place, _TALLEST - said, said)
        if tools:
            paths["tools"] += _bar(place, _TALLEST - tall, tall - said)
        if errors:
            paths["bad"] += _bar(place, _TALLEST - 3, 3)
    return [(kind, path) for kind, path in paths.items() if path]


def _bar(place: int, y: float, height: float) -> str:
    return f"M{place * 4} {y:.3g}h3v{height:.3g}h-3z"
