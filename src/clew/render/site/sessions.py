"""Sessions as rows, grouped by day or by project, with filters above them."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

import msgspec

from clew.render.site.archiving import ArchivingStatus
from clew.render.site.base import BasePage
from clew.render.site.filter_chips import PERIODS, Chip, Params, add_choice
from clew.render.site.filter_line import FilterField, QuickChip
from clew.render.site.session_groups import By, ListTotals, SessionGroup, group_page, sum_sessions
from clew.render.site.session_rows import RowOptions, Shapes, make_row
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.store import SessionOverview

_SCRIPTS: Final = ("suggest.js", "list.js", "selection.js")


class SelectionActions(msgspec.Struct, frozen=True):
    """What can be done with several sessions: the addresses, empty where it cannot be done."""

    compare: str = ""
    export: str = ""
    notes: str = ""


class ListPage(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of sessions shows.

    `sessions` are all that match, of which `start` to `end` are on this page. `query` is that of
    the address; the form repeats `extra_params`, those it has no field for. `shapes` and `live` are
    those of rows. `hidden` sessions have no conversation and are left out; `hidden_url`
    shows them. With `is_partial`, filters select a part of sessions, whose usage is at `usage_url`.
    `search_url` looks for the same text in what was said, and `problem` says why the text is not
    read as a query. `as_text` is the text with the words in it that are left out, as words.
    """

    sessions: Sequence[SessionOverview] = ()
    start: int = 0
    end: int | None = None
    hidden: int = 0
    hidden_url: str = ""
    query: Params = ()
    chips: Sequence[Chip] = ()
    quick_chips: Sequence[QuickChip] = ()
    fields: Sequence[FilterField] = ()
    extra_params: Sequence[tuple[str, str]] = ()
    more: str = ""
    by_project: bool = False
    zone: dt.tzinfo = dt.UTC
    shapes: Shapes = {}
    live: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    trouble: str = ""
    problem: str = ""
    search_url: str = ""
    as_text: str = ""
    as_text_url: str = ""
    is_partial: bool = False
    usage_url: str = ""
    actions: SelectionActions = SelectionActions()
    names: Mapping[str, str] = {}

    @property
    def params(self) -> Mapping[str, str]:
        """The parameters in the address by their names."""
        return dict(self.query)

    @property
    def total(self) -> int:
        """How many sessions match."""
        return len(self.sessions)

    @property
    def by_day(self) -> bool:
        """Whether the headings tell the days, so that rows need to tell the hours alone."""
        return not self.by_project and self.params.get("sort", "when") == "when"

    @property
    def by(self) -> By:
        """What the headings tell."""
        return "project" if self.by_project else "day" if self.by_day else ""


class TotalLinks(msgspec.Struct, frozen=True):
    """Totals, and the sessions that they count: in their usual order, and those with most first."""

    totals: ListTotals
    url: str = ""
    active_url: str = ""
    cost_url: str = ""


def render_sessions(page: ListPage, base: BasePage) -> str:
    """Draw the page."""
    body = draw(
        "sessions.html",
        page=page,
        rows=render_rows(page, base.urls, base.archiving),
        urls=base.urls,
        sorts=add_choice(_SORTS, page.params.get("sort", "when")),
        periods=add_choice(PERIODS, page.params.get("since", "")),
        costs=add_choice(_COSTS, page.params.get("min_cost", _ANY_COST)),
        account=base.account,
    )
    return base.draw("Sessions", body, "sessions", _SCRIPTS if base.urls.is_dynamic else ())


def render_rows(page: ListPage, urls: SiteUrls, archiving: ArchivingStatus | None = None) -> str:
    """Draw the rows alone, for a page that is there already."""
    options = RowOptions(
        urls=urls,
        zone=page.zone,
        by_day=page.by_day,
        shapes=page.shapes,
        live=page.live,
        waiting=page.waiting,
        names=page.names,
    )
    end = len(page.sessions) if page.end is None else page.end
    groups = [
        (
            group,
            _link_group(group, page, urls),
            [make_row(each, options) for each in group.sessions],
        )
        for group in group_page(page.sessions, page.start, end, page.by, page.zone, page.names)
    ]
    return draw(
        "rows.html",
        groups=groups,
        page=page,
        urls=urls,
        archiving=archiving,
        totals=_link_all(page, urls),
    )


def _link_group(group: SessionGroup, page: ListPage, urls: SiteUrls) -> TotalLinks:
    """Link to the sessions of a group: the list as it is, and narrowed."""
    name = "repository" if page.by_project else "day"
    others = [pair for pair in page.query if pair[0] not in (*_NOT_FILTERS, name, "group")]
    return _link(group.totals, [*others, (name, group.key)] if group.key else [], urls)


def _link_all(page: ListPage, urls: SiteUrls) -> TotalLinks:
    params = [pair for pair in page.query if pair[0] not in _NOT_FILTERS]
    return _link(sum_sessions(page.sessions), params, urls, is_all=True)


def _link(
    totals: ListTotals, params: Sequence[tuple[str, str]], urls: SiteUrls, *, is_all: bool = False
) -> TotalLinks:
    if not urls.is_dynamic or not (params or is_all):
        return TotalLinks(totals)

    def sorted_by(*sort: tuple[str, str]) -> str:
        return f"{urls.sessions}?{urlencode([*params, *sort])}"

    own = sorted_by() if params else urls.sessions
    return TotalLinks(totals, own, sorted_by(("sort", "active")), sorted_by(("sort", "cost")))


_NOT_FILTERS: Final = ("cursor", "limit", "sort", "is_reversed")
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
    ("active", "Active time"),
    ("calls", "Tool calls"),
    ("errors", "Errors"),
    ("title", "Title"),
)
