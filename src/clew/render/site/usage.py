"""Usage: cost and tokens over days, models, projects, agents, tools; charts with tables behind."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from clew.analytics import (
    ANY,
    Filters,
    SessionLabel,
    UsageOverview,
    UsageReport,
    UsageRow,
    display_name,
)
from clew.clock import format_time, parse_time
from clew.render.figures import money, scaled
from clew.render.html.figures import wall_clock
from clew.render.site.charts import Lead, make_chart, make_week
from clew.render.site.chips import Chip, add_choice
from clew.render.site.places import Places
from clew.render.site.shell import Shell
from clew.render.site.templates import draw
from clew.store import ToolStats

_NANO: Final = 1_000_000_000
_MOST_ROWS: Final = 15
_LONGEST_QUERY: Final = 1_000
_PERIODS: Final = (("", "all time"), ("today", "today"), ("7d", "7 days"), ("30d", "30 days"))


class UsagePage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page counts; `asked` are the filters as they stand in the address.

    `kept` are those of them that the form has no field for.
    """

    overview: UsageOverview
    tools: Sequence[ToolStats]
    labels: Mapping[str, SessionLabel]
    asked: Mapping[str, str] = {}
    filters: Filters = Filters()
    chips: Sequence[Chip] = ()
    kept: Sequence[tuple[str, str]] = ()


class Number(msgspec.Struct, frozen=True):
    """A number at the top: what it is, how much, exactly, and against the period before."""

    name: str
    value: str
    exact: str
    change: str = ""
    url: str = ""


class TableRow(msgspec.Struct, frozen=True):
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


def render_usage(page: UsagePage, shell: Shell) -> str:
    """Draw the page."""
    overview, places = page.overview, shell.places
    lead: Lead = partial(places.chosen, **page.asked)
    tables = [
        ("Projects", "project", _rows(overview.by_project, lead, "project")),
        ("Models", "model", _rows(overview.by_model, lead, "model")),
        ("Agents", "agent", _rows(overview.by_agent, lead, "agent")),
        ("Sessions", "session", _sessions(overview.by_session, page.labels, places)),
        ("5-hour blocks", "block", _blocks(overview.by_block, lead)),
    ]
    body = draw(
        "usage.html",
        page=page,
        numbers=_numbers(overview, lead),
        chart=make_chart(overview.days, lead),
        week=make_week(overview.hours, lead),
        tables=[(title, by, rows) for title, by, rows in tables if rows],
        tools=[_tool(tool, page, places, lead) for tool in page.tools],
        notes=overview.by_model.notes,
        price_table=overview.by_model.price_table,
        places=places,
        periods=add_choice(_PERIODS, page.asked.get("since", "")),
    )
    return shell.draw("Usage", body, "usage", ["charts.js"])


def _numbers(overview: UsageOverview, lead: Lead) -> list[Number]:
    now = overview.by_model.totals
    before = None if overview.before is None else overview.before.totals
    return [
        Number(
            "cost (estimate)",
            _cost(now),
            "API-equivalent, from list prices",
            _change(now.cost_usd, None if before is None else before.cost_usd),
            lead(ANY, sort="cost"),
        ),
        Number(
            "tokens",
            scaled(now.total_tokens),
            f"{now.total_tokens:,} tokens",
            _change(now.total_tokens, None if before is None else before.total_tokens),
            lead(ANY, sort="tokens"),
        ),
        Number(
            "sessions",
            f"{now.sessions:,}",
            f"{now.model_calls:,} model calls",
            _change(now.sessions, None if before is None else before.sessions),
            lead(ANY, sort="started"),
        ),
        Number(
            "cache hits",
            _cached(now),
            "share of what models read that came from the cache",
            url=lead(ANY, sort="tokens"),
        ),
    ]


def _change(now: float | None, before: float | None) -> str:
    """Tell how much more or less than in the period before."""
    if not now or not before:
        return ""
    share = (now - before) / before * 100
    return f"{share:+.0f} % against the period before"


def _rows(report: UsageReport, lead: Lead, by: str) -> list[TableRow]:
    most = max((row.cost_usd or 0 for row in report.rows), default=0) or 1
    return [
        _row(
            row,
            display_name(row.key) if by == "model" else row.key,
            lead(f"{by}:{row.key}"),
            "",
            most,
        )
        for row in report.rows[:_MOST_ROWS]
    ]


def _sessions(
    report: UsageReport, labels: Mapping[str, SessionLabel], places: Places
) -> list[TableRow]:
    most = max((row.cost_usd or 0 for row in report.rows), default=0) or 1
    found = []
    for row in report.rows[:_MOST_ROWS]:
        label = labels.get(row.key, SessionLabel("", ""))
        note = label.project.replace("\\", "/").rstrip("/").rpartition("/")[2]
        found.append(_row(row, label.title or row.key[:8], places.session(row.key), note, most))
    return found


def _blocks(report: UsageReport, lead: Lead) -> list[TableRow]:
    latest = report.rows[-_MOST_ROWS:][::-1]
    most = max((row.cost_usd or 0 for row in latest), default=0) or 1
    return [_block(row, lead, most) for row in latest]


def _block(row: UsageRow, lead: Lead, most: float) -> TableRow:
    moment = parse_time(row.key)
    if moment is None:
        return _row(row, row.key, "", "", most)
    drawn = _row(row, wall_clock(row.key), lead(f"block:{row.key}"), "", most)
    return msgspec.structs.replace(drawn, at=format_time(moment))


def _row(row: UsageRow, name: str, url: str, note: str, most: float) -> TableRow:
    return TableRow(
        name=name,
        url=url,
        note=note,
        cost=_cost(row),
        tokens=scaled(row.total_tokens),
        calls=row.model_calls,
        cached=_cached(row),
        share=round((row.cost_usd or 0) / most * 100, 1),
    )


def _tool(tool: ToolStats, page: UsagePage, places: Places, lead: Lead) -> ToolRow:
    return ToolRow(
        stats=tool,
        rate=f"{tool.errors / tool.calls * 100:.1f} %" if tool.errors else "",
        url=lead(f"tool:{tool.tool}"),
        failed=_failures(tool.tool, page, places) or lead(f"failed:{tool.tool}"),
        denied=lead(f"denied:{tool.tool}"),
    )


def _failures(tool: str, page: UsagePage, places: Places) -> str:
    """Give the address of the calls that went wrong, as far as a query can ask for them."""
    filters = page.filters
    asked = {
        "tool": tool,
        "project": filters.project,
        "branch": filters.branch,
        "model": filters.model,
        "agent": filters.agent,
        "after": page.asked.get("since"),
        "before": filters.until,
    }
    words = [f"{name}:{_quoted(value)}" for name, value in asked.items() if value]
    query = " ".join(("is:error", *words))
    can_ask = not any('"' in value for value in asked.values() if value)
    is_short = len(query) <= _LONGEST_QUERY
    return places.found(query) if can_ask and is_short and not filters.session else ""


def _quoted(value: str) -> str:
    return f'"{value}"' if any(sign.isspace() or sign in "()" for sign in value) else value


def _cost(row: UsageRow) -> str:
    return money(None if row.cost_usd is None else round(row.cost_usd * _NANO), row.quality)


def _cached(row: UsageRow) -> str:
    written = row.cache_write_5m_tokens + row.cache_write_1h_tokens
    read = row.input_tokens + row.cache_read_tokens + written
    return f"{row.cache_read_tokens / read * 100:.0f} %" if read else ""
