"""Sessions as rows, grouped by day or by project, with filters above them."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

import msgspec

from clew.analytics import ALL_FILTERS, display_name
from clew.clock import parse_time
from clew.render.formatting import UNTITLED, duration, folder_name, money_usd, scaled
from clew.render.site.archiving import ArchivingStatus
from clew.render.site.base import BasePage
from clew.render.site.filter_chips import Chip, add_choice
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.store import SessionOverview

_LONGEST: Final = 120
_TALLEST: Final = 14
OPTIONS: Final = tuple(each.name for each in ALL_FILTERS if each.has_values)
"""The filters whose values are chosen from a list."""
Shapes = Mapping[str, Sequence[tuple[int, int, int, int]]]


class ListPage(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of sessions shows.

    `params` are the filters in the address; the form repeats `extra_params`, those it has no field
    for. `options` are the values to choose from for each filter. `shapes` describe each session in
    small: how much was said, done and went wrong, from start to end. `live` are the ids of sessions
    that grow. `hidden` sessions have no conversation and are left out; `hidden_url` shows them.
    """

    sessions: Sequence[SessionOverview]
    total: int
    hidden: int = 0
    hidden_url: str = ""
    params: Mapping[str, str] = {}
    chips: Sequence[Chip] = ()
    extra_params: Sequence[tuple[str, str]] = ()
    more: str = ""
    by_project: bool = False
    zone: dt.tzinfo = dt.UTC
    shapes: Shapes = {}
    live: frozenset[str] = frozenset()
    options: Mapping[str, Sequence[str]] = {}
    trouble: str = ""

    @property
    def by_day(self) -> bool:
        """Whether the headings tell the days, so that rows need to tell the hours alone."""
        return not self.by_project and self.params.get("sort", "when") == "when"


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A session, ready to be drawn."""

    session: SessionOverview
    url: str
    title: str
    project: str
    project_url: str
    branch: str
    models: str
    at: str
    clock: str
    length: str
    tokens: str
    cost: str
    exact: str
    is_live: bool
    member: str
    member_url: str
    bars: list[tuple[str, str]]


def render_sessions(page: ListPage, base: BasePage) -> str:
    """Draw the page."""
    body = draw(
        "sessions.html",
        page=page,
        rows=render_rows(page, base.urls, base.archiving),
        urls=base.urls,
        sorts=_SORTS,
        periods=add_choice(_PERIODS, page.params.get("since", "")),
        costs=add_choice(_COSTS, page.params.get("min_cost", _ANY_COST)),
        options=_options(page),
        account=base.account,
    )
    return base.draw("Sessions", body, "sessions")


def _options(page: ListPage) -> dict[str, list[str]]:
    """Return what each filter may be set to, and what it is set to."""
    found = {name: list(values) for name, values in page.options.items()}
    for name in OPTIONS:
        value = page.params.get(name)
        if value and value not in found.get(name, ()):
            found.setdefault(name, []).append(value)
    return found


def render_rows(page: ListPage, urls: SiteUrls, archiving: ArchivingStatus | None = None) -> str:
    """Draw the rows alone, for a page that is there already."""
    groups = [
        (title, [_row(session, page, urls) for session in sessions])
        for title, sessions in _groups(page)
    ]
    return draw("rows.html", groups=groups, page=page, urls=urls, archiving=archiving)


def _groups(page: ListPage) -> Iterable[tuple[str, list[SessionOverview]]]:
    """Group consecutive sessions below one heading."""
    if page.by_project:
        ordered = sorted(page.sessions, key=lambda session: session.project.casefold())
        return [(name, list(own)) for name, own in groupby(ordered, lambda s: s.project)]
    if not page.by_day:
        return [("", list(page.sessions))]
    return [(day, list(own)) for day, own in groupby(page.sessions, lambda s: _day(s, page.zone))]


def _day(session: SessionOverview, zone: dt.tzinfo) -> str:
    moment = parse_time(session.ended_at or "")
    if moment is None:
        return "Without a date"
    local = moment.astimezone(zone)
    return f"{local:%A}, {local.day} {local:%B %Y}"


def _row(session: SessionOverview, page: ListPage, urls: SiteUrls) -> SessionRow:
    at = session.ended_at or ""
    moment = parse_time(at)
    project = folder_name(session.project)
    return SessionRow(
        session=session,
        url=urls.session(session.id),
        title=_short(session.title or session.first_prompt) or UNTITLED,
        project=project,
        project_url=urls.filtered_sessions(project=session.project),
        branch="" if session.git_branch in (None, "HEAD") else session.git_branch,
        models=", ".join(dict.fromkeys(map(display_name, session.models))),
        at=at,
        clock="" if moment is None else _clock(moment.astimezone(page.zone), page),
        length=duration(session.active_ms or session.duration_ms),
        tokens=scaled(session.total_tokens) if session.total_tokens else "",
        cost=_cost(session),
        exact=f"{session.total_tokens:,} tokens",
        is_live=session.id in page.live,
        member=session.member or "",
        member_url=urls.filtered_sessions(member=session.member or ""),
        bars=_bars(page.shapes.get(session.id, ())),
    )


def _clock(moment: dt.datetime, page: ListPage) -> str:
    return f"{moment:%H:%M}" if page.by_day else f"{moment.day} {moment:%b %Y}"


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


_PERIODS: Final = (
    ("", "Any time"),
    ("today", "Today"),
    ("7d", "Last 7 days"),
    ("30d", "Last 30 days"),
    ("90d", "Last 90 days"),
)
_ANY_COST: Final = "0"
_COSTS: Final = (
    (_ANY_COST, "Any"),
    ("1", "≥ $1"),
    ("5", "≥ $5"),
    ("20", "≥ $20"),
)
_SORTS: Final = (
    ("when", "Latest"),
    ("cost", "Cost"),
    ("tokens", "Tokens"),
    ("duration", "Duration"),
    ("calls", "Tool calls"),
    ("errors", "Errors"),
    ("title", "Title"),
)
