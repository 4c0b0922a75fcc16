"""Timeline: swim lanes as SVG; idle time is drawn narrow, and every bar leads to its message."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

import msgspec

from clew.render.formatting import duration
from clew.render.html.escaping import anchor
from clew.render.site.base import BasePage
from clew.render.site.templates import draw
from clew.view import MAIN_LANE, Interval, Lane, Timeline

_NAMES: Final = 220.0
_LANE: Final = 26.0
_TOP: Final = 28.0
_IDLE_WIDTH: Final = 28.0
_WIDTHS: Final = {1: 960.0, 2: 1_920.0, 4: 3_840.0, 8: 7_680.0, 16: 15_360.0}
_LEAST: Final = 1.5
_TICKS: Final = 8
_TICK_WIDTH: Final = 56.0
_LONGEST_NAME: Final = 28
_MOST_LANES: Final = 200
_MOST_BARS: Final = 20_000
_STEPS: Final = tuple(
    1000 * seconds for seconds in (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 86_400)
)


class TimelinePage(msgspec.Struct, frozen=True, kw_only=True):
    """A session's timeline, drawn so many times as wide as the page."""

    session_id: str
    title: str
    timeline: Timeline
    zoom: int = 1
    address: str = ""


class _Box(msgspec.Struct, frozen=True):
    x: float
    y: float
    width: float
    height: float
    classes: str
    label: str
    url: str


class _TimelineLine(msgspec.Struct, frozen=True):
    x: float
    y: float
    end: float
    classes: str
    label: str
    url: str


class _Name(msgspec.Struct, frozen=True):
    x: float
    y: float
    text: str
    whole: str
    url: str


class _Tick(msgspec.Struct, frozen=True):
    x: float
    at: str
    text: str


class _Scale:
    """The position of a time: idle time is compressed."""

    def __init__(self, intervals: Sequence[Interval], width: float) -> None:
        self.intervals = intervals
        busy = sum(s.end_ms - s.start_ms for s in intervals if not s.is_idle)
        room = max(width - _IDLE_WIDTH * sum(s.is_idle for s in intervals), width / 4)
        self.per_ms = room / max(busy, 1)
        self.starts: list[float] = []
        x = 0.0
        for stretch in intervals:
            self.starts.append(x)
            span = stretch.end_ms - stretch.start_ms
            x += _IDLE_WIDTH if stretch.is_idle else span * self.per_ms
        self.width = x

    def place(self, at_ms: int) -> float:
        """Return the x position of a time."""
        for start, stretch in zip(reversed(self.starts), reversed(self.intervals), strict=True):
            if at_ms >= stretch.start_ms:
                span = max(stretch.end_ms - stretch.start_ms, 1)
                part = min(at_ms - stretch.start_ms, span)
                return start + (
                    part / span * _IDLE_WIDTH if stretch.is_idle else part * self.per_ms
                )
        return 0.0


def render_timeline(page: TimelinePage, base: BasePage) -> str:
    """Draw the page."""
    timeline = page.timeline
    scale = _Scale(timeline.intervals, _WIDTHS.get(page.zoom, _WIDTHS[1]))
    lanes = timeline.lanes[:_MOST_LANES]
    height = _TOP + _LANE * len(lanes) + 8
    own = base.urls.session(page.session_id)
    body = draw(
        "timeline.html",
        page=page,
        own=own,
        width=round(_NAMES + scale.width + 40),
        height=height,
        names=[_name(lane, n, page, base) for n, lane in enumerate(lanes)],
        boxes=_boxes(lanes, scale, own),
        lines=_lines(timeline, lanes, scale, own, height),
        idle=[
            (round(_NAMES + scale.place(s.start_ms), 1), duration(s.end_ms - s.start_ms))
            for s in timeline.intervals
            if s.is_idle
        ],
        idle_width=_IDLE_WIDTH,
        ticks=_ticks(timeline, scale),
        zooms=list(_WIDTHS),
        span=duration(timeline.end_ms - timeline.start_ms),
        left_out=len(timeline.lanes) - len(lanes),
        names_width=_NAMES,
        top=_TOP,
    )
    return base.draw(f"Timeline of {page.title}", body, scripts=["charts.js"])


def _name(lane: Lane, number: int, page: TimelinePage, base: BasePage) -> _Name:
    urls, is_main = base.urls, lane.id == MAIN_LANE
    url = urls.session(page.session_id) if is_main else urls.run(page.session_id, lane.id)
    short = lane.title if len(lane.title) <= _LONGEST_NAME else f"{lane.title[:_LONGEST_NAME]}…"
    return _Name(8 + 10 * min(lane.depth, 6), _TOP + _LANE * number + 17, short, lane.title, url)


def _boxes(lanes: Sequence[Lane], scale: _Scale, own: str) -> list[_Box]:
    boxes: list[_Box] = []
    for number, lane in enumerate(lanes):
        top = _TOP + _LANE * number
        for bar in lane.bars[: _MOST_BARS - len(boxes)]:
            start = scale.place(bar.start_ms)
            kind = "m" if bar.kind == "model" else "c"
            tall = _LANE - 8 if bar.kind == "model" else _LANE - 14
            boxes.append(
                _Box(
                    round(_NAMES + start, 1),
                    top + (_LANE - tall) / 2,
                    round(max(scale.place(bar.end_ms) - start, _LEAST), 1),
                    tall,
                    f"{bar.kind} {bar.tone}".strip(),
                    f"{bar.label}, {duration(bar.end_ms - bar.start_ms)}",
                    f"{own}#{anchor(kind, bar.id)}",
                )
            )
    return boxes


def _lines(
    timeline: Timeline, lanes: Sequence[Lane], scale: _Scale, own: str, height: float
) -> list[_TimelineLine]:
    lines = [
        _TimelineLine(
            round(_NAMES + scale.place(cut.at_ms), 1), _TOP, height - 4, cut.kind, cut.label, ""
        )
        for cut in timeline.cuts
    ]
    for number, lane in enumerate(lanes):
        top = _TOP + _LANE * number
        for tick in lane.ticks:
            kind = "c" if tick.kind == "error" and tick.id.startswith("toolu") else "m"
            lines.append(
                _TimelineLine(
                    round(_NAMES + scale.place(tick.at_ms), 1),
                    top + 2,
                    top + _LANE - 2,
                    tick.kind,
                    f"{tick.kind}: {tick.label}",
                    f"{own}#{anchor(kind, tick.id)}",
                )
            )
    return lines


def _ticks(timeline: Timeline, scale: _Scale) -> list[_Tick]:
    """Return round times along the top; scripts convert them to the reader's zone."""
    busy = scale.width / scale.per_ms
    wanted = busy / (_TICKS * max(1.0, scale.width / _WIDTHS[1]))
    step = next((one for one in _STEPS if one >= wanted), _STEPS[-1])
    found: list[_Tick] = []
    last = -100.0
    # Behind this, a time would run over the edge.
    rightmost = _NAMES + scale.width - _TICK_WIDTH
    for stretch in timeline.intervals:
        if stretch.is_idle:
            continue
        at = stretch.start_ms
        while at <= stretch.end_ms:
            x = _NAMES + scale.place(at)
            if last + _TICK_WIDTH <= x <= rightmost:
                found.append(_Tick(round(x, 1), _iso(at), _clock(at)))
                last = x
            at = (at // step + 1) * step
    return found


def _iso(at_ms: int) -> str:
    return dt.datetime.fromtimestamp(at_ms / 1000, dt.UTC).isoformat(timespec="milliseconds")


def _clock(at_ms: int) -> str:
    return _iso(at_ms)[11:19]
