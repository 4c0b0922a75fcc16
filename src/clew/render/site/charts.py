"""Charts: cost over days, and the hours of the week, with the tables behind them."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from clew.analytics import WEEKDAYS, DayCost, HourCount
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
    """A piece of a bar."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    label: str
    url: str


class DayRow(msgspec.Struct, frozen=True):
    """What one model cost on one day."""

    day: str
    model: str
    cost: str
    tokens: str
    url: str


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """Bars over days, one colour for each model, with lines to read them by."""

    bars: Sequence[ChartBar]
    models: Sequence[tuple[str, int]]
    lines: Sequence[tuple[float, str]]
    days: Sequence[tuple[float, str]]
    table: Sequence[DayRow]


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


def make_chart(days: Sequence[DayCost], link: MakeLink) -> Chart | None:
    """Stack what models cost on each day."""
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
    return Chart(
        bars=[
            bar
            for number, day in enumerate(dates)
            for bar in _stack(day, by_day.get(day, {}), colours, (number * width, width, top), link)
        ],
        models=list(colours.items()),
        lines=[(_HEIGHT * (1 - part), dollars(round(top * part * _NANO))) for part in (0.5, 1.0)],
        days=_ticks(dates, width),
        table=[_day_row(one, link) for one in days],
    )


def _stack(
    day: str,
    costs: dict[str, int],
    colours: dict[str, int],
    place: tuple[float, float, float],
    link: MakeLink,
) -> list[ChartBar]:
    """Draw the bars of one day, one upon the other."""
    x, width, top = place
    gap = min(_GAP, width * _GAP_SHARE)
    y = _HEIGHT
    found = []
    for name, colour in colours.items():
        tall = costs.get(name, 0) / _NANO / top * _HEIGHT
        if tall > 0:
            y -= tall
            found.append(
                ChartBar(
                    round(x + gap / 2, 2),
                    round(y, 2),
                    round(width - gap, 2),
                    round(tall, 2),
                    colour,
                    f"{day}, {name}: {dollars(costs[name])}",
                    _day_link(day, name, link),
                )
            )
    return found


def _day_link(day: str, model: str, link: MakeLink) -> str:
    return link(f"day:{day}") if model == _OTHERS else link(f"day:{day}", f"model:{model}")


def _day_row(one: DayCost, link: MakeLink) -> DayRow:
    # Tokens that cost nothing at all are those of a model without a price.
    is_priced = one.nano_dollars or not one.tokens
    cost, tokens = money(one.nano_dollars if is_priced else None, one.quality), f"{one.tokens:,}"
    return DayRow(one.day, one.model, cost, tokens, _day_link(one.day, one.model, link))


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
    return [(round((number + 0.5) * width, 1), f"{day.day} {day:%b}") for number, day in days]


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
