"""Charts: cost over days, and the hours of the week, with the tables behind them."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from clew.analytics import WEEKDAYS, DayCost, HourCount
from clew.conversation import sum_quality
from clew.render.formatting import dollars, money, plural

MakeLink = Callable[..., str]
"""Returns the URL of the sessions in all of some groups, or nothing."""

_NANO: Final = 1_000_000_000
_MOST_MODELS: Final = 6
_OTHERS: Final = "Other models"
_HEIGHT: Final = 160.0
_WIDTH: Final = 960.0
_GAP: Final = 2.0
_GAP_SHARE: Final = 0.2
_STRONGEST: Final = 4
_STEPS: Final = (1, 2, 2.5, 5, 10)


class ChartBar(msgspec.Struct, frozen=True):
    """A piece of a column."""

    x: float
    y: float
    width: float
    height: float
    colour: int


class ChartDay(msgspec.Struct, frozen=True, kw_only=True):
    """The column of one day: what models cost, one upon the other, and where all of it leads.

    `about` says the same in lines of their own.
    """

    x: float
    width: float
    label: str
    about: str
    url: str
    bars: Sequence[ChartBar]


class ModelRow(msgspec.Struct, frozen=True):
    """What one model cost on one day."""

    model: str
    cost: str
    tokens: str


class DayRows(msgspec.Struct, frozen=True):
    """What one day cost, and each of its models."""

    day: str
    url: str
    cost: str
    tokens: str
    models: Sequence[ModelRow]


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """Columns over days, one colour for each model, with lines to read them by.

    The table begins with the last day.
    """

    columns: Sequence[ChartDay]
    models: Sequence[tuple[str, int]]
    lines: Sequence[tuple[float, str]]
    days: Sequence[tuple[float, str]]
    table: Sequence[DayRows]


class HourCell(msgspec.Struct, frozen=True):
    """An hour of the week."""

    x: int
    y: int
    strength: int
    label: str
    calls: int
    url: str


class Week(msgspec.Struct, frozen=True, kw_only=True):
    """The hours of a week, by day and, of those in which anything was done, by hour."""

    days: Sequence[str]
    cells: Sequence[HourCell]
    table: Sequence[tuple[str, Sequence[HourCell]]]
    busiest: str


def make_chart(days: Sequence[DayCost], link_day: Callable[[str], str]) -> Chart | None:
    """Stack what models cost on each day."""
    if not days:
        return None
    colours = _colours(days)
    dates = _all_days(days)
    by_day: dict[str, list[DayCost]] = {}
    for one in days:
        by_day.setdefault(one.day, []).append(one)
    most = max(sum(one.nano_dollars for one in own) for own in by_day.values()) or 1
    top = _round_up(most / _NANO)
    width = _WIDTH / len(dates)
    return Chart(
        columns=[
            _column(by_day[day], colours, (number * width, width, top), link_day)
            for number, day in enumerate(dates)
            if day in by_day
        ],
        models=list(colours.items()),
        lines=[(_HEIGHT * (1 - part), dollars(round(top * part * _NANO))) for part in (0.5, 1.0)],
        days=_ticks(dates, width),
        table=[_day_rows(own, link_day) for own in reversed(by_day.values())],
    )


def _column(
    own: Sequence[DayCost],
    colours: dict[str, int],
    place: tuple[float, float, float],
    link_day: Callable[[str], str],
) -> ChartDay:
    """Draw one day; its column is as tall as the chart, so that low bars can be hit, too."""
    x, width, top = place
    gap = min(_GAP, width * _GAP_SHARE)
    y = _HEIGHT
    bars, told = [], []
    for name, colour in colours.items():
        costs = [one for one in own if _shown_name(one, colours) == name]
        tall = sum(one.nano_dollars for one in costs) / _NANO / top * _HEIGHT
        if tall > 0:
            y -= tall
            left, wide = round(x + gap / 2, 2), round(width - gap, 2)
            bars.append(ChartBar(left, round(y, 2), wide, round(tall, 2), colour))
        if costs:
            told.append(f"{name} {_cost(costs)}")
    total = f"{day_name(own[0].day)}: {_cost(own)}"
    return ChartDay(
        x=round(x, 2),
        width=round(width, 2),
        label=f"{total} ({', '.join(told)})" if len(told) > 1 else f"{total}, {told[0]}",
        about="\n".join((total, *told)),
        url=link_day(own[0].day),
        bars=bars,
    )


def day_name(day: str) -> str:
    """Write a day for people: `12 Feb 2026`."""
    date = dt.date.fromisoformat(day)
    return f"{date.day} {date:%b %Y}"


def _shown_name(one: DayCost, colours: dict[str, int]) -> str:
    return one.model if one.model in colours else _OTHERS


def _day_rows(own: Sequence[DayCost], link_day: Callable[[str], str]) -> DayRows:
    rows = [ModelRow(one.model, _cost([one]), f"{one.tokens:,}") for one in own]
    tokens = f"{sum(one.tokens for one in own):,}"
    return DayRows(own[0].day, link_day(own[0].day), _cost(own), tokens, rows)


def _cost(costs: Sequence[DayCost]) -> str:
    # Tokens that cost nothing at all are those of a model without a price.
    priced = [one for one in costs if one.nano_dollars or not one.tokens]
    total = sum(one.nano_dollars for one in priced) if priced else None
    return money(total, sum_quality({one.quality for one in costs}))


def _colours(days: Sequence[DayCost]) -> dict[str, int]:
    """Return the dearest models colours of their own."""
    totals: dict[str, int] = {}
    for one in days:
        totals[one.model] = totals.get(one.model, 0) + one.nano_dollars
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    names = ranked[:_MOST_MODELS] + ([_OTHERS] if len(ranked) > _MOST_MODELS else [])
    return {name: number for number, name in enumerate(names)}


def _all_days(days: Sequence[DayCost]) -> list[str]:
    """Return every day from the first to the last, whether anything happened on it or not."""
    first, last = (dt.date.fromisoformat(days[place].day) for place in (0, -1))
    return [(first + dt.timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]


def _ticks(dates: Sequence[str], width: float) -> list[tuple[float, str]]:
    step = max(1, len(dates) // 8)
    days = [(number, dt.date.fromisoformat(day)) for number, day in enumerate(dates)][::step]
    named, year = [], 0
    for number, day in days:
        # The year stands where it begins, and at the first day.
        word = f"{day.day} {day:%b}" if day.year == year else f"{day.day} {day:%b %Y}"
        named.append((round((number + 0.5) * width, 1), word))
        year = day.year
    return named


def _round_up(value: float) -> float:
    """Return the next round number."""
    scale = 10.0 ** (len(str(int(value))) - 1) if value >= 1 else 0.01
    while True:
        for step in _STEPS:
            if value <= step * scale:
                return step * scale
        scale *= 10


def make_week(hours: Sequence[Sequence[HourCount]], link: MakeLink) -> Week:
    """Lay out the hours of the week."""
    most = max((hour.calls for day in hours for hour in day), default=0) or 1
    cells = [
        _cell(day, hour, count, most, link)
        for day, row in enumerate(hours)
        for hour, count in enumerate(row)
    ]
    by_hour = [[cell for cell in cells if cell.x == hour] for hour in range(24)]
    busiest = max(cells, key=lambda cell: cell.calls, default=None)
    return Week(
        days=[_day_name(day) for day in range(len(WEEKDAYS))],
        cells=cells,
        table=[
            (f"{hour:02}:00", own)
            for hour, own in enumerate(by_hour)
            if any(cell.calls for cell in own)
        ],
        busiest="" if busiest is None else f"{_day_name(busiest.y)} at {busiest.x:02}:00",
    )


def _cell(day: int, hour: int, count: HourCount, most: int, link: MakeLink) -> HourCell:
    """Draw an hour the stronger, the more was done in it."""
    strength = 1 + min(_STRONGEST - 1, count.calls * _STRONGEST // (most + 1))
    text = f"{plural(count.calls, 'model call')} in {plural(count.sessions, 'session')}"
    return HourCell(
        x=hour,
        y=day,
        strength=strength if count.calls else 0,
        label=f"{_day_name(day)} {hour:02}:00, {text if count.calls else 'no model calls'}",
        calls=count.calls,
        url=link(f"hour:{WEEKDAYS[day]}-{hour:02}") if count.calls else "",
    )


def _day_name(day: int) -> str:
    return WEEKDAYS[day].capitalize()
