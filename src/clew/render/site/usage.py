"""Usage: cost and tokens over days, models, projects, agents, tools; charts with tables behind."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from clew.analytics import (
    DayCost,
    SessionLabel,
    UsageOverview,
    UsageReport,
    UsageRow,
    display_name,
)
from clew.render.figures import dollars, scaled
from clew.render.site.places import Places
from clew.render.site.shell import Shell
from clew.render.site.templates import draw
from clew.store import ToolStats

_NANO: Final = 1_000_000_000
_MOST_ROWS: Final = 15
_MOST_MODELS: Final = 6
_OTHERS: Final = "others"
_HEIGHT: Final = 160.0
_WIDTH: Final = 960.0
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_STEPS: Final = (1, 2, 2.5, 5, 10)


class UsagePage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page counts, for a period with a name."""

    overview: UsageOverview
    tools: Sequence[ToolStats]
    labels: Mapping[str, SessionLabel]
    since: str = ""
    project: str = ""
    model: str = ""


class Number(msgspec.Struct, frozen=True):
    """A number at the top: what it is, how much, exactly, and against the period before."""

    name: str
    value: str
    exact: str
    change: str = ""
    url: str = ""


class ChartBar(msgspec.Struct, frozen=True):
    """A piece of a bar."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    label: str
    url: str


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """Bars over days, one colour for each model, with lines to read them by."""

    bars: Sequence[ChartBar]
    models: Sequence[tuple[str, int]]
    lines: Sequence[tuple[float, str]]
    days: Sequence[tuple[float, str]]
    table: Sequence[tuple[str, str, str, str]]


class Cell(msgspec.Struct, frozen=True):
    """An hour of the week."""

    x: int
    y: int
    strength: int
    label: str


class TableRow(msgspec.Struct, frozen=True):
    """A line of a table, with a bar for its share."""

    name: str
    url: str
    note: str
    cost: str
    tokens: str
    calls: int
    cached: str
    share: float


def render_usage(page: UsagePage, shell: Shell) -> str:
    """Draw the page."""
    overview, places = page.overview, shell.places
    tables = [
        ("Projects", "project", _rows(overview.by_project, places, "project")),
        ("Models", "model", _rows(overview.by_model, places, "model")),
        ("Agents", "agent", _rows(overview.by_agent, places, "agent")),
        ("Sessions", "session", _sessions(overview.by_session, page.labels, places)),
        ("5-hour blocks", "block", _blocks(overview.by_block)),
    ]
    body = draw(
        "usage.html",
        page=page,
        numbers=_numbers(page, places),
        chart=_chart(overview.days, places),
        cells=_cells(overview.hours),
        busiest=_busiest(overview.hours),
        weekdays=_DAYS,
        tables=[(title, by, rows) for title, by, rows in tables if rows],
        tools=[_tool(tool, places) for tool in page.tools],
        notes=overview.by_model.notes,
        price_table=overview.by_model.price_table,
        places=places,
        periods=(("", "all time"), ("today", "today"), ("7d", "7 days"), ("30d", "30 days")),
    )
    return shell.draw("Usage", body, "usage", ["charts.js"])


def _numbers(page: UsagePage, places: Places) -> list[Number]:
    overview = page.overview
    now = overview.by_model.totals
    chosen = {"since": page.since, "project": page.project, "model": page.model}
    before = None if overview.before is None else overview.before.totals
    return [
        Number(
            "cost (estimate)",
            _cost(now),
            "API-equivalent, from list prices",
            _change(now.cost_usd, None if before is None else before.cost_usd),
            places.chosen(**chosen, sort="cost"),
        ),
        Number(
            "tokens",
            scaled(now.total_tokens),
            f"{now.total_tokens:,} tokens",
            _change(now.total_tokens, None if before is None else before.total_tokens),
            places.chosen(**chosen, sort="tokens"),
        ),
        Number(
            "sessions",
            f"{now.sessions:,}",
            f"{now.model_calls:,} model calls",
            _change(now.sessions, None if before is None else before.sessions),
            places.chosen(**chosen, sort="started"),
        ),
        Number("cache hits", _cached(now), "share of what models read that came from the cache"),
    ]


def _change(now: float | None, before: float | None) -> str:
    """Tell how much more or less than in the period before."""
    if not now or not before:
        return ""
    share = (now - before) / before * 100
    return f"{share:+.0f} % against the period before"


def _chart(days: Sequence[DayCost], places: Places) -> Chart | None:
    if not days:
        return None
    colours = _colours(days)
    dates = _all_days(days)
    by_day: dict[str, dict[str, int]] = {}
    for one in days:
        name = one.model if one.model in colours else _OTHERS
        own = by_day.setdefault(one.day, {})
        own[name] = own.get(name, 0) + one.nano_dollars
    most = max((sum(own.values()) for own in by_day.values()), default=0) or 1
    top = _round_up(most / _NANO)
    width = _WIDTH / len(dates)
    bars: list[ChartBar] = []
    for number, day in enumerate(dates):
        y = _HEIGHT
        for name in colours:
            nano = by_day.get(day, {}).get(name, 0)
            tall = nano / _NANO / top * _HEIGHT
            if tall > 0:
                y -= tall
                label = f"{day}, {name}: {dollars(nano)}"
                url = places.chosen(since=day, until=day)
                gap = min(2.0, width * 0.2)
                bars.append(
                    ChartBar(
                        round(number * width + gap / 2, 2),
                        round(y, 2),
                        round(width - gap, 2),
                        round(tall, 2),
                        colours[name],
                        label,
                        url,
                    )
                )
    return Chart(
        bars=bars,
        models=list(colours.items()),
        lines=[(_HEIGHT * (1 - part), dollars(round(top * part * _NANO))) for part in (0.5, 1.0)],
        days=_ticks(dates, width),
        table=[(d.day, d.model, dollars(d.nano_dollars), f"{d.tokens:,}") for d in days],
    )


def _colours(days: Sequence[DayCost]) -> dict[str, int]:
    """Give the dearest models colours of their own."""
    totals: dict[str, int] = {}
    for one in days:
        totals[one.model] = totals.get(one.model, 0) + one.nano_dollars
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    names = ranked[:_MOST_MODELS] + ([_OTHERS] if len(ranked) > _MOST_MODELS else [])
    return {name: number for number, name in enumerate(names)}


def _all_days(days: Sequence[DayCost]) -> list[str]:
    """Give every day from the first to the last, whether anything happened on it or not."""
    first, last = (dt.date.fromisoformat(days[place].day) for place in (0, -1))
    return [(first + dt.timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


def _ticks(dates: Sequence[str], width: float) -> list[tuple[float, str]]:
    step = max(1, len(dates) // 8)
    return [
        (round((number + 0.5) * width, 1), f"{dt.date.fromisoformat(day):%-d %b}")
        for number, day in enumerate(dates)
        if number % step == 0
    ]


def _round_up(value: float) -> float:
    """Give the next round number."""
    scale = 10.0 ** (len(str(int(value))) - 1) if value >= 1 else 0.01
    while True:
        for step in _STEPS:
            if value <= step * scale:
                return step * scale
        scale *= 10


def _cells(hours: Sequence[Sequence[int]]) -> list[Cell]:
    most = max((count for day in hours for count in day), default=0) or 1
    return [
        Cell(
            hour,
            day,
            0 if not count else 1 + min(3, count * 4 // (most + 1)),
            f"{_DAYS[day]} {hour:02}:00, {count:,} model calls",
        )
        for day, row in enumerate(hours)
        for hour, count in enumerate(row)
    ]


def _busiest(hours: Sequence[Sequence[int]]) -> str:
    """Name the hour of the week with the most model calls."""
    counts = [(count, day, hour) for day, row in enumerate(hours) for hour, count in enumerate(row)]
    _, day, hour = max(counts, default=(0, 0, 0))
    return f"{_DAYS[day]} at {hour:02}:00"


def _rows(report: UsageReport, places: Places, by: str) -> list[TableRow]:
    most = max((row.cost_usd or 0 for row in report.rows), default=0) or 1
    found = []
    for row in report.rows[:_MOST_ROWS]:
        name = display_name(row.key) if by == "model" else row.key
        url = "" if row.key.startswith("(") else places.chosen(**{by: row.key})
        found.append(_row(row, name, url, "", most))
    return found


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


def _blocks(report: UsageReport) -> list[TableRow]:
    latest = report.rows[-_MOST_ROWS:][::-1]
    most = max((row.cost_usd or 0 for row in latest), default=0) or 1
    return [_row(row, row.key.replace("T", " "), "", "", most) for row in latest]


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


def _tool(tool: ToolStats, places: Places) -> tuple[ToolStats, str, str, str]:
    """Give a tool with its error rate, its sessions, and its calls that went wrong."""
    rate = f"{tool.errors / tool.calls * 100:.1f} %" if tool.errors else ""
    return tool, rate, places.chosen(tool=tool.tool), places.found(f"is:error tool:{tool.tool}")


def _cost(row: UsageRow) -> str:
    if row.cost_usd is None:
        return "no price"
    least = "≥ " if row.quality == "lower_bound" else ""
    more = "+" if isinstance(row.unpriced_calls, int) else ""
    return f"{least}{dollars(round(row.cost_usd * _NANO))}{more}"


def _cached(row: UsageRow) -> str:
    written = row.cache_write_5m_tokens + row.cache_write_1h_tokens
    read = row.input_tokens + row.cache_read_tokens + written
    return f"{row.cache_read_tokens / read * 100:.0f} %" if read else ""
