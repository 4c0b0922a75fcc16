"""Usage: cost and tokens over days, models, projects, agents, tools; charts with tables behind."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from clew.analytics import (
    ANY,
    BreakRow,
    CacheReport,
    FilterSet,
    SessionLabel,
    UsageOverview,
    UsageReport,
    UsageRow,
    display_name,
    find_checkout,
    given_filters,
    price_on,
)
from clew.clock import format_time, parse_time
from clew.conversation import sum_quality
from clew.render.formatting import folder_name, money_usd, plural, scaled
from clew.render.html.formatting import wall_clock
from clew.render.site.base import BasePage
from clew.render.site.charts import MakeLink, day_name, make_chart, make_week
from clew.render.site.filter_chips import PERIODS, Chip, add_choice
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.store import ToolStats

_MOST_ROWS: Final = 15
_MOST_BREAKS: Final = 100
_LONGEST_QUERY: Final = 1_000
_AT_LEAST: Final = "≥"


class UsagePage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page counts; `params` are the filters in the address.

    The form repeats `extra_params`, those it has no field for. `today` is the day of the reader,
    `zone` the name of the time zone whose days are counted. `whole_costs` are what sessions cost on
    all days and with all models, where that is not what is counted here; `unlisted` is how many of
    those counted are left out of lists.
    """

    overview: UsageOverview
    tools: Sequence[ToolStats]
    cache: CacheReport | None = None
    labels: Mapping[str, SessionLabel]
    params: Mapping[str, str] = {}
    filters: FilterSet = FilterSet()
    chips: Sequence[Chip] = ()
    extra_params: Sequence[tuple[str, str]] = ()
    today: dt.date | None = None
    zone: str = ""
    whole_costs: Mapping[str, str] = {}
    unlisted: int = 0

    @property
    def day(self) -> dt.date | None:
        """The day that is shown, if it is one alone."""
        since, until = self.params.get("since", ""), self.params.get("until", "")
        if since == "today" and until in ("", "today"):
            return self.today
        return _read_date(since) if since == until else None


class ShownDay(msgspec.Struct, frozen=True, kw_only=True):
    """One day: its name, the days beside it with their addresses, and what made up its cost."""

    name: str
    before: tuple[str, str]
    after: tuple[str, str]
    all_url: str
    most: Sequence[tuple[str, str, str, str]]
    kinds: Sequence[tuple[str, str, str]] = ()


class Metric(msgspec.Struct, frozen=True):
    """A number at the top: what it is, how much, exactly, and against the period before."""

    name: str
    value: str
    exact: str
    change: str = ""
    url: str = ""
    note: str = ""


class UsageTableRow(msgspec.Struct, frozen=True):
    """A line of a table, with a bar for its share; its name may be the moment `at`.

    `about` is the name in full, `session` the id of the session that it counts.
    """

    name: str
    url: str
    note: str
    cost: str
    tokens: str
    calls: int
    cached: str
    share: float
    at: str = ""
    about: str = ""
    session: str = ""


class CacheRow(msgspec.Struct, frozen=True):
    """Cache breaks with something in common, and where they are listed."""

    name: str
    url: str
    breaks: int
    tokens: str
    cost: str


class CacheCard(msgspec.Struct, frozen=True):
    """What cache breaks cost, in a sentence and by several groups; each says if it is not all."""

    said: str
    tables: Sequence[tuple[str, Sequence[CacheRow], str]]


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
    sessions = ("Sessions", "session", _sessions(overview.by_session, page, urls))
    others = [
        ("Projects", "project", _projects(overview.by_project, link)),
        ("Models", "model", _rows(overview.by_model, link, "model")),
        ("Agents", "agent", _rows(overview.by_agent, link, "agent")),
    ]
    blocks = ("5-hour blocks", "block", _blocks(overview.by_block, link))
    day = page.day
    # Of one day people want to know why it cost that: what was done comes first.
    tables = [sessions, *others, blocks] if day else [*others, sessions, blocks]
    notes = overview.by_model.notes
    body = draw(
        "usage.html",
        page=page,
        numbers=_numbers(page, link),
        day=None if day is None else _shown_day(day, page, urls),
        chart=make_chart(overview.days, partial(_link_day, page, urls)),
        week=make_week(overview.hours, link),
        tables=[(title, by, rows) for title, by, rows in tables if rows],
        all_sessions=link(ANY, sort="cost") if len(overview.by_session.rows) > _MOST_ROWS else "",
        session_count=overview.by_model.totals.sessions,
        cache=None if page.cache is None else _cache_card(page.cache, page.labels, urls, link),
        tools=[_tool(tool, page, urls, link) for tool in page.tools],
        bounds=[note for note in notes if _AT_LEAST in note],
        notes=[note for note in notes if _AT_LEAST not in note],
        any_time=_any_time(page, urls) if page.filters.since or page.filters.until else "",
        price_table=overview.by_model.price_table,
        urls=urls,
        archiving=base.archiving,
        periods=_periods(page),
        since=_date_field(page.params.get("since", ""), page.today),
        until=_date_field(page.params.get("until", ""), page.today),
    )
    return base.draw("Usage", body, "usage", ["charts.js"])


def _periods(page: UsagePage) -> list[tuple[str, str]]:
    """Return the periods to choose from; dates of one's own are called that."""
    since, is_open = page.params.get("since", ""), not page.params.get("until")
    # With an end of its own, it is not the year any more.
    has_year = page.today is not None and is_open
    known = [*PERIODS, *([(f"{page.today:%Y}-01-01", "This year")] if has_year else [])]
    if _read_date(since) and since not in dict(known):
        return [*known, (since, "Dates")]
    return add_choice(known, since)


def _date_field(text: str, today: dt.date | None) -> str:
    """Return what a field for a date holds."""
    date = today if text == "today" else _read_date(text)
    return "" if date is None else date.isoformat()


def _read_date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if len(text) == len("2026-11-14") else None
    except ValueError:
        return None


def _link_day(page: UsagePage, urls: SiteUrls, day: str) -> str:
    """Return the address of the usage of one day, with all other filters as they are."""
    return urls.filtered_usage(**{**page.params, "since": day, "until": day})


def _any_time(page: UsagePage, urls: SiteUrls) -> str:
    """Return the address of the usage of all days, with all other filters as they are."""
    others = {name: value for name, value in page.params.items() if name not in ("since", "until")}
    return urls.filtered_usage(**others) or urls.usage


def _shown_day(day: dt.date, page: UsagePage, urls: SiteUrls) -> ShownDay:
    def beside(days: int) -> tuple[str, str]:
        try:
            other = (day + dt.timedelta(days=days)).isoformat()
        except OverflowError:
            return "", ""
        return _link_day(page, urls, other), day_name(other)

    is_last = page.today is not None and day >= page.today
    return ShownDay(
        name=f"{day:%A}, {day.day} {day:%B %Y}",
        before=beside(-1),
        after=("", "") if is_last else beside(1),
        all_url=_any_time(page, urls),
        most=_most_expensive(page, urls),
        kinds=_costs_by_kind(page.overview.by_model.rows, day),
    )


def _costs_by_kind(rows: Iterable[UsageRow], day: dt.date) -> list[tuple[str, str, str]]:
    """Split the cost of a day by kinds of tokens: each with its cost and share.

    What models cost is parted by the base prices of their tokens: prices of long requests are not
    known of a sum.
    """
    costs: dict[str, float] = {}
    for row in rows:
        price = price_on(row.key, day)
        if price is None or not row.cost_usd:
            continue
        rates = price.rates
        own = {
            "input": row.input_tokens * rates.input,
            "output": row.output_tokens * rates.output,
            "cache write": row.cache_write_5m_tokens * rates.cache_write_5m
            + row.cache_write_1h_tokens * rates.cache_write_1h,
            "cache read": row.cache_read_tokens * rates.cache_read,
        }
        whole = sum(own.values())
        for name, weight in own.items() if whole else ():
            costs[name] = costs.get(name, 0.0) + row.cost_usd * weight / whole
    total = sum(costs.values())
    return [
        (name, f"${cost:,.2f}", f"{cost / total * 100:.0f} %")
        for name, cost in costs.items()
        if total
    ]


def _most_expensive(page: UsagePage, urls: SiteUrls) -> list[tuple[str, str, str, str]]:
    """Return what cost most: a session and a model, each with its name, address and share."""
    overview = page.overview
    total = overview.by_model.totals.cost_usd
    if not total:
        return []
    sessions = [
        ("session", row, _session_name(row.key, page.labels), urls.session(row.key))
        for row in overview.by_session.rows[:1]
    ]
    models = [("model", row, display_name(row.key), "") for row in overview.by_model.rows[:1]]
    return [
        (what, name, url, f"{(row.cost_usd or 0) / total * 100:.0f} %")
        for what, row, name, url in (*sessions, *models)
    ]


def _numbers(page: UsagePage, link: MakeLink) -> list[Metric]:
    overview = page.overview
    change = partial(_change, than="the day before" if page.day else "previous period")
    now = overview.by_model.totals
    before = None if overview.before is None else overview.before.totals
    return [
        Metric(
            "Cost (estimate)",
            money_usd(now.cost_usd, now.quality),
            "API-equivalent, from list prices",
            change(now.cost_usd, None if before is None else before.cost_usd),
            link(ANY, sort="cost"),
        ),
        Metric(
            "Tokens",
            scaled(now.total_tokens),
            f"{now.total_tokens:,} tokens",
            change(now.total_tokens, None if before is None else before.total_tokens),
            link(ANY, sort="tokens"),
        ),
        Metric(
            "Sessions",
            f"{now.sessions:,}",
            f"{now.model_calls:,} model calls",
            change(now.sessions, None if before is None else before.sessions),
            link(ANY, sort="started"),
            _unlisted(page.unlisted),
        ),
        Metric(
            "Cache hits",
            _cached(now),
            "Share of input tokens that came from the cache",
            url=link(ANY, sort="tokens"),
        ),
    ]


def _unlisted(count: int) -> str:
    if not count:
        return ""
    return f"{count:,} of them not in lists: without a conversation, or hidden"


def _change(now: float | None, before: float | None, than: str) -> str:
    """Return the change against the previous period."""
    if not now or not before:
        return ""
    share = (now - before) / before * 100
    return f"{share:+.0f} % vs. {than}"


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


def _projects(report: UsageReport, link: MakeLink) -> list[UsageTableRow]:
    """Gather worktrees under their repository; those of one name tell their folder, too."""
    gathered: dict[str, list[UsageRow]] = {}
    for row in report.rows:
        gathered.setdefault(find_checkout(row.key).repository, []).append(row)
    sums = {path: _add_up(path, rows) for path, rows in gathered.items()}
    shown = sorted(sums, key=lambda path: -(sums[path].cost_usd or 0))[:_MOST_ROWS]
    most = max((sums[path].cost_usd or 0 for path in shown), default=0) or 1
    counts = Counter(find_checkout(path).name for path in shown)
    found = []
    for path in shown:
        own = gathered[path]
        name = find_checkout(path).name or path
        is_alone = len(own) == 1 and own[0].key == path
        url = link(f"project:{path}") if is_alone else link(ANY, repository=path)
        worktrees = sum(1 for row in own if row.key != path)
        notes = [_folder(path) if counts[name] > 1 else ""]
        notes.append(f"with {plural(worktrees, 'worktree')}" if worktrees else "")
        drawn = _row(sums[path], name, url, ", ".join(filter(None, notes)), most)
        found.append(msgspec.structs.replace(drawn, about=path))
    return found


def _folder(path: str) -> str:
    return folder_name(path.replace("\\", "/").rstrip("/").rpartition("/")[0])


def _add_up(key: str, rows: Sequence[UsageRow]) -> UsageRow:
    """Add up projects; no session is in two of them."""
    if len(rows) == 1:
        return rows[0]
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    counts = {
        name: sum(getattr(row, name) for row in rows)
        for name in (
            *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_5m_tokens"),
            *("cache_write_1h_tokens", "total_tokens", "sessions", "model_calls"),
        )
    }
    quality = sum_quality({row.quality for row in rows})
    return UsageRow(key=key, cost_usd=sum(costs) if costs else None, quality=quality, **counts)


def _sessions(report: UsageReport, page: UsagePage, urls: SiteUrls) -> list[UsageTableRow]:
    """List the dearest; what else each cost outside of what is counted is told with it."""
    most = max((row.cost_usd or 0 for row in report.rows), default=0) or 1
    found = []
    for row in report.rows[:_MOST_ROWS]:
        label = page.labels.get(row.key, SessionLabel("", ""))
        whole = page.whole_costs.get(row.key, "")
        notes = (find_checkout(label.project).label, f"{whole} in all" if whole else "")
        note = " · ".join(filter(None, notes))
        drawn = _row(row, _session_name(row.key, page.labels), urls.session(row.key), note, most)
        found.append(msgspec.structs.replace(drawn, session=row.key))
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


def _cache_card(
    report: CacheReport, labels: Mapping[str, SessionLabel], urls: SiteUrls, link: MakeLink
) -> CacheCard | None:
    """Say what cache breaks cost; a session leads to where its breaks are listed."""
    totals = report.totals
    if not totals.breaks:
        return None
    share = f" ({totals.cost_usd / report.cost_usd:.0%})" if report.cost_usd else ""
    return CacheCard(
        said=f"{plural(totals.breaks, 'request')} paid again for "
        f"{scaled(totals.tokens)} cached tokens: {_break_cost(totals)}{share}.",
        tables=[
            (
                "Cause",
                [_break_row(row, row.label, "#cache-session") for row in report.by_cause],
                "",
            ),
            (
                "Project",
                [
                    _break_row(row, row.label, link(f"project:{row.key}"))
                    for row in report.by_project[:_MOST_BREAKS]
                ],
                _if_not_all(_MOST_BREAKS, len(report.by_project)),
            ),
            (
                "Week",
                [_break_row(row, row.label, _week(row.key, link)) for row in report.by_week],
                "",
            ),
            (
                "Session",
                [
                    _break_row(row, _session_name(row.key, labels), urls.context(row.key))
                    for row in report.by_session
                ],
                _if_not_all(len(report.by_session), totals.sessions),
            ),
        ],
    )


def _if_not_all(shown: int, count: int) -> str:
    return f"the {shown} most expensive of {count:,}" if count > shown else ""


def _week(monday: str, link: MakeLink) -> str:
    """Return the address of the sessions of a week, which is called by its first day."""
    start = parse_time(monday)
    if start is None:
        return ""
    return link(ANY, since=monday, until=f"{start + dt.timedelta(days=6):%Y-%m-%d}")


def _session_name(session_id: str, labels: Mapping[str, SessionLabel]) -> str:
    return labels.get(session_id, SessionLabel("", "")).title or session_id[:8]


def _break_row(row: BreakRow, name: str, url: str) -> CacheRow:
    return CacheRow(name, url, row.breaks, scaled(row.tokens), _break_cost(row))


def _break_cost(row: BreakRow) -> str:
    if row.unpriced == row.breaks:
        return "unpriced"
    return money_usd(row.cost_usd, "lower_bound" if row.unpriced else "exact")


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
