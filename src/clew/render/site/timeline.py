"""Timeline: swim lanes as SVG; idle time is drawn narrow, and every bar leads to its message.

Scripts move what is drawn here: each bar and tick says its times, in milliseconds since the start.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from clew.render.formatting import duration, waiting_time
from clew.render.html.escaping import anchor
from clew.render.site.base import BasePage
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.view import HIDDEN_LANE, MAIN_LANE, Bar, Interval, Lane, Tick, Timeline

LANE_HEIGHT: Final = 30
AXIS_HEIGHT: Final = 42
IDLE_WIDTH: Final = 38.0
_WIDTHS: Final = {1: 960.0, 2: 1_920.0, 4: 3_840.0, 8: 7_680.0, 16: 15_360.0}
_HEIGHTS: Final = {"model": 18, "run": 18, "wait": 16}
_TOOL_HEIGHT: Final = 12
_LEAST: Final = 1.5
_SHORTEST_WORK: Final = 100
_TICKS: Final = 8
_TICK_WIDTH: Final = 56.0
_MOST_LANES: Final = 200
_MOST_BARS: Final = 20_000
_DEEPEST: Final = 6
_HOUR: Final = 3_600_000
_STEPS: Final = tuple(
    1000 * seconds for seconds in (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 86_400)
)


class TimelinePage(msgspec.Struct, frozen=True, kw_only=True):
    """A session's timeline, drawn so many times as wide as the page.

    `duration_ms` is that of the session on all pages: it may begin before the first bar.
    """

    session_id: str
    title: str
    timeline: Timeline
    duration_ms: int = 0
    zoom: int = 1
    address: str = ""


class _Box(msgspec.Struct, frozen=True):
    x: float
    y: float
    width: float
    height: float
    times: str
    lane: int
    classes: str
    label: str
    url: str


class _TimelineLine(msgspec.Struct, frozen=True):
    x: float
    y: float
    end: float
    time: int
    lane: int
    classes: str
    label: str
    url: str


class _LaneName(msgspec.Struct, frozen=True):
    text: str
    url: str
    depth: int
    is_main: bool


class _AxisTick(msgspec.Struct, frozen=True):
    x: float
    text: str


class _Idle(msgspec.Struct, frozen=True):
    x: float
    short: str
    shortest: str
    whole: str


class _Scale:
    """The position of a time: idle time is compressed."""

    def __init__(self, intervals: Sequence[Interval], width: float) -> None:
        self.intervals = intervals
        busy = sum(s.end_ms - s.start_ms for s in intervals if not s.is_idle)
        room = max(width - IDLE_WIDTH * sum(s.is_idle for s in intervals), width / 4)
        self.per_ms = room / max(busy, 1)
        self.starts: list[float] = []
        x = 0.0
        for stretch in intervals:
            self.starts.append(x)
            span = stretch.end_ms - stretch.start_ms
            x += IDLE_WIDTH if stretch.is_idle else span * self.per_ms
        self.width = x

    def place(self, at_ms: int) -> float:
        """Return the x position of a time."""
        for start, stretch in zip(reversed(self.starts), reversed(self.intervals), strict=True):
            if at_ms >= stretch.start_ms:
                span = max(stretch.end_ms - stretch.start_ms, 1)
                part = min(at_ms - stretch.start_ms, span)
                return start + (part / span * IDLE_WIDTH if stretch.is_idle else part * self.per_ms)
        return 0.0


def render_timeline(page: TimelinePage, base: BasePage) -> str:
    """Draw the page."""
    timeline = page.timeline
    scale = _Scale(timeline.intervals, _WIDTHS.get(page.zoom, _WIDTHS[1]))
    lanes = timeline.lanes[:_MOST_LANES]
    drawn = _Drawing(page, base.urls, scale)
    body = draw(
        "timeline.html",
        page=page,
        own=drawn.own,
        agents=base.urls.agents(page.session_id),
        width=round(scale.width),
        height=LANE_HEIGHT * len(lanes),
        axis_height=AXIS_HEIGHT,
        lane_height=LANE_HEIGHT,
        idle_width=IDLE_WIDTH,
        names=[drawn.name(lane) for lane in lanes],
        boxes=drawn.boxes(lanes),
        lines=drawn.lines(timeline.cuts, lanes),
        idle=[_idle(s, scale) for s in timeline.intervals if s.is_idle],
        intervals=_intervals(timeline),
        ticks=_ticks(timeline, scale),
        zooms=list(_WIDTHS),
        span=duration(page.duration_ms or timeline.end_ms - timeline.start_ms),
        left_out=len(timeline.lanes) - len(lanes),
    )
    return base.draw(f"Timeline of {page.title}", body, scripts=["timeline.js"])


class _Drawing:
    def __init__(self, page: TimelinePage, urls: SiteUrls, scale: _Scale) -> None:
        self.page, self.urls, self.scale = page, urls, scale
        self.own = urls.session(page.session_id)
        self.start = page.timeline.start_ms

    def name(self, lane: Lane) -> _LaneName:
        session = self.page.session_id
        if lane.id == MAIN_LANE:
            url = self.own
        elif lane.id == HIDDEN_LANE:
            url = f"{self.urls.agents(session)}#hidden-runs"
        else:
            url = self.urls.run(session, lane.id)
        return _LaneName(lane.title, url, min(lane.depth, _DEEPEST), lane.id == MAIN_LANE)

    def boxes(self, lanes: Sequence[Lane]) -> list[_Box]:
        boxes: list[_Box] = []
        for number, lane in enumerate(lanes):
            for bar in lane.bars[: _MOST_BARS - len(boxes)]:
                boxes.extend(self._bar(bar, number))
        return boxes

    def _bar(self, bar: Bar, lane: int) -> Iterator[_Box]:
        """Draw a bar; the time in which it waited for a person is hatched."""
        url = self._url(bar)
        worked_from = bar.start_ms
        if bar.waited_until_ms is not None:
            worked_from = bar.waited_until_ms
            waited = waiting_time(bar.waiting_ms, bar.waiting_quality)
            words = f"{bar.label}, {waited} for a person"
            yield self._box((bar.start_ms, worked_from), lane, "wait", (words, url))
            if bar.end_ms - worked_from < _SHORTEST_WORK:
                return
        words = f"{bar.label}, {duration(bar.end_ms - worked_from)}"
        classes = f"{bar.kind} {bar.tone}".strip()
        yield self._box((worked_from, bar.end_ms), lane, classes, (words, url))

    def _url(self, bar: Bar) -> str:
        if bar.kind == "run":
            return self.urls.run(self.page.session_id, bar.id)
        return f"{self.own}#{anchor('m' if bar.kind == 'model' else 'c', bar.id)}"

    def _box(self, span: tuple[int, int], lane: int, classes: str, said: tuple[str, str]) -> _Box:
        start, end = self.scale.place(span[0]), self.scale.place(span[1])
        tall = _HEIGHTS.get(classes.partition(" ")[0], _TOOL_HEIGHT)
        return _Box(
            round(start, 1),
            LANE_HEIGHT * lane + (LANE_HEIGHT - tall) / 2,
            round(max(end - start, _LEAST), 1),
            tall,
            f"{span[0] - self.start} {span[1] - self.start}",
            lane,
            classes,
            *said,
        )

    def lines(self, cuts: Sequence[Tick], lanes: Sequence[Lane]) -> list[_TimelineLine]:
        """Draw moments: compactions through all lanes, the others in their own."""
        found = [self._line(cut, 0, (0, LANE_HEIGHT * len(lanes))) for cut in cuts]
        for number, lane in enumerate(lanes):
            top = LANE_HEIGHT * number
            found += [self._line(tick, number, (top + 2, top + 28)) for tick in lane.ticks]
        return found

    def _line(self, tick: Tick, lane: int, span: tuple[float, float]) -> _TimelineLine:
        kind = "c" if tick.kind == "error" and tick.id.startswith("toolu") else "m"
        return _TimelineLine(
            round(self.scale.place(tick.at_ms), 1),
            *span,
            tick.at_ms - self.start,
            lane,
            tick.kind,
            f"{tick.kind}: {tick.label}",
            f"{self.own}#{anchor(kind, tick.id)}",
        )


def _idle(stretch: Interval, scale: _Scale) -> _Idle:
    """Say how long nothing happened, as short as the narrow strip needs it."""
    span = stretch.end_ms - stretch.start_ms
    short = f"{round(span / 60_000)} min"
    if span >= 48 * _HOUR:
        short = f"{round(span / 24 / _HOUR)} d"
    elif span >= _HOUR:
        short = f"{round(span / _HOUR)} h"
    shortest = short.replace(" min", "m").replace(" ", "")
    return _Idle(round(scale.place(stretch.start_ms), 1), short, shortest, duration(span))


def _intervals(timeline: Timeline) -> str:
    """Write the stretches of time for scripts: start, end, whether it is idle."""
    rows = [
        (s.start_ms - timeline.start_ms, s.end_ms - timeline.start_ms, int(s.is_idle))
        for s in timeline.intervals
    ]
    return msgspec.json.encode(rows).decode()


def _ticks(timeline: Timeline, scale: _Scale) -> list[_AxisTick]:
    """Return round times along the top, in UTC; scripts draw others in the reader's zone."""
    busy = scale.width / scale.per_ms
    wanted = busy / (_TICKS * max(1.0, scale.width / _WIDTHS[1]))
    step = next((one for one in _STEPS if one >= wanted), _STEPS[-1])
    found: list[_AxisTick] = []
    last = -100.0
    # Behind this, a time would run over the edge.
    rightmost = scale.width - _TICK_WIDTH
    for stretch in timeline.intervals:
        if stretch.is_idle:
            continue
        at = stretch.start_ms
        while at <= stretch.end_ms:
            x = scale.place(at)
            if last + _TICK_WIDTH <= x <= rightmost:
                found.append(_AxisTick(round(x, 1), _clock(at)))
                last = x
            at = (at // step + 1) * step
    return found


def _clock(at_ms: int) -> str:
    return dt.datetime.fromtimestamp(at_ms / 1000, dt.UTC).strftime("%H:%M:%S")
