"""Usage: cost and tokens over days, models, projects, agents, tools; charts with tables behind."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from clew.analytics import (
    ANY,
    FilterSet,
    SessionLabel,
    UsageOverview,
    UsageReport,
    UsageRow,
    display_name,
    given_filters,
)
from clew.clock import format_time, parse_time
from clew.render.formatting import folder_name, money_usd, scaled
from clew.render.html.formatting import wall_clock
from clew.render.site.base import BasePage
from clew.render.site.charts import MakeLink, make_chart, make_week
from clew.render.site.filter_chips import Chip, add_choice
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.store import ToolStats

_MOST_ROWS: Final = 15
_LONGEST_QUERY: Final = 1_000
_PERIODS: Final = (
    ("", "Any time"),
    ("today", "Today"),
    ("7d", "Last 7 days"),
    ("30d", "Last 30 days"),
)


class UsagePage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page counts; `params` are the filters in the address.

    The form repeats `extra_params`, those it has no field for.
    """

    overview: UsageOverview
    tools: Sequence[ToolStats]
    labels: Mapping[str, SessionLabel]
    params: Mapping[str, str] = {}
    filters: FilterSet = FilterSet()
    chips: Sequence[Chip] = ()
    extra_params: Sequence[tuple[str, str]] = ()


class Metric(msgspec.Struct, frozen=True):
    """A number at the top: what it is, how much, exactly, and against the period before."""

    name: str
    value: str
    exact: str
    change: str = ""
    url: str = ""


class UsageTableRow(msgspec.Struct, frozen=True):
    """A line of a table, with a bar for its share; its name may be the moment `at`."""

    name: str
    url: str
    note: str
    cost: str
    tokens: str
    calls: int
    cached: str
    share: float
    at: str = ""


class ToolRow(msgspec.Struct, frozen=True):
    """A tool with its error rate, and where its numbers lead."""

    stats: ToolStats
    rate: str
    url: str
    failed: str
    denied: str


def render_usage(page: UsagePage, base: BasePage) -> str:
    """Draw the page."""
    overview, urls = page.overview, base.urls
    link: MakeLink = partial(urls.filtered_sessions, **page.params)
    tables = [
        ("Projects", "project", _rows(overview.by_project, link, "project")),
        ("Models", "model", _rows(overview.by_model, link, "model")),
        ("Agents", "agent", _rows(overview.by_agent, link, "agent")),
        ("Sessions", "session", _sessions(overview.by_session, page.labels, urls)),
        ("5-hour blocks", "block", _blocks(overview.by_block, link)),
    ]
    body = draw(
        "usage.html",
        page=page,
        numbers=_numbers(overview, link),
        chart=make_chart(overview.days, link),
        week=make_week(overview.hours, link),
        tables=[(title, by, rows) for title, by, rows in tables if rows],
        tools=[_tool(tool, page, urls, link) for tool in page.tools],
        notes=overview.by_model.notes,
        price_table=overview.by_model.price_table,
        urls=urls,
        archiving=base.archiving,
        periods=add_choice(_PERIODS, page.params.get("since", "")),
    )
    return base.draw("Usage", body, "usage", ["charts.js"])


def _numbers(overview: UsageOverview, link: MakeLink) -> list[Metric]:
    now = overview.by_model.totals
    before = None if overview.before is None else overview.before.totals
    return [
        Metric(
            "Cost (estimate)",
            money_usd(now.cost_usd, now.quality),
            "API-equivalent, from list prices",
            _change(now.cost_usd, None if before is None else before.cost_usd),
            link(ANY, sort="cost"),
        ),
        Metric(
            "Tokens",
            scaled(now.total_tokens),
            f"{now.total_tokens:,} tokens",
            _change(now.total_tokens, None if before is None else before.total_tokens),
            link(ANY, sort="tokens"),
        ),
        Metric(
            "Sessions",
            f"{now.sessions:,}",
            f"{now.model_calls:,} model calls",
            _change(now.sessions, None if before is None else before.sessions),
            link(ANY, sort="started"),
        ),
        Metric(
            "Cache hits",
            _cached(now),
            "Share of input tokens that came from the cache",
            url=link(ANY, sort="tokens"),
        ),
    ]


def _change(now: float | None, before: float | None) -> str:
    """Return the change against the previous period."""
    if not now or not before:
        return ""
    share = (now - before) / before * 100
    return f"{share:+.0f} % vs. previous period"


def _rows(report: UsageReport, link: MakeLink, by: str) -> list[UsageTableRow]:
    most = max((row.cost_usd or 0 for row in report.rows), default=0) or 1
    return [
        _row(
            row,
            display_name(row.key) if by == "model" else row.key,
            link(f"{by}:{row.key}"),
            "",
            most,
        )
        for row in report.rows[:_MOST_ROWS]
    ]


def _sessions(
    report: UsageReport, labels: Mapping[str, SessionLabel], urls: SiteUrls
) -> list[UsageTableRow]:
    most = max((row.cost_usd or 0 for row in report.rows), default=0) or 1
    found = []
    for row in report.rows[:_MOST_ROWS]:
        label = labels.get(row.key, SessionLabel("", ""))
        note = folder_name(label.project)
        found.append(_row(row, label.title or row.key[:8], urls.session(row.key), note, most))
    return found


def _blocks(report: UsageReport, link: MakeLink) -> list[UsageTableRow]:
    latest = report.rows[-_MOST_ROWS:][::-1]
    most = max((row.cost_usd or 0 for row in latest), default=0) or 1
    return [_block(row, link, most) for row in latest]


def _block(row: UsageRow, link: MakeLink, most: float) -> UsageTableRow:
    moment = parse_time(row.key)
    if moment is None:
        return _row(row, row.key, "", "", most)
    drawn = _row(row, wall_clock(row.key), link(f"block:{row.key}"), "", most)
    return msgspec.structs.replace(drawn, at=format_time(moment))


def _row(row: UsageRow, name: str, url: str, note: str, most: float) -> UsageTableRow:
    return UsageTableRow(
        name=name,
        url=url,
        note=note,
        cost=money_usd(row.cost_usd, row.quality),
        tokens=scaled(row.total_tokens),
        calls=row.model_calls,
        cached=_cached(row),
        share=round((row.cost_usd or 0) / most * 100, 1),
    )


def _tool(tool: ToolStats, page: UsagePage, urls: SiteUrls, link: MakeLink) -> ToolRow:
    return ToolRow(
        stats=tool,
        rate=f"{tool.errors / tool.calls * 100:.1f} %" if tool.errors else "",
        url=link(f"tool:{tool.tool}"),
        failed=_failures(tool.tool, page, urls) or link(f"failed:{tool.tool}"),
        denied=link(f"denied:{tool.tool}"),
    )


def _failures(tool: str, page: UsagePage, urls: SiteUrls) -> str:
    """Return the URL of the calls that went wrong, as far as a query can ask for them."""
    given = {each.word: value for each, value in given_filters(page.filters)}
    if typed := page.params.get("since"):
        given["since"] = typed
    params = {**given, "tool": tool}
    words = [f"{name}:{_quoted(value)}" for name, value in params.items()]
    query = " ".join(("is:error", *words))
    can_quote = not any('"' in value for value in params.values())
    is_short = len(query) <= _LONGEST_QUERY
    return urls.search_results(query) if can_quote and is_short else ""


def _quoted(value: str) -> str:
    return f'"{value}"' if any(sign.isspace() or sign in "()" for sign in value) else value


def _cached(row: UsageRow) -> str:
    written = row.cache_write_5m_tokens + row.cache_write_1h_tokens
    read = row.input_tokens + row.cache_read_tokens + written
    return f"{row.cache_read_tokens / read * 100:.0f} %" if read else ""
