"""Swim lanes, drawn."""

import re

from clew.render.site import APP, BasePage, TimelinePage, render_timeline
from clew.view import MAIN_LANE, Bar, Interval, Lane, Tick, Timeline

SHELL = BasePage(urls=APP, assets="/assets/x", nonce="n")
HOUR = 3_600_000


def drawn(timeline: Timeline, zoom: int = 1) -> str:
    page = TimelinePage(session_id="s", title="A title", timeline=timeline, zoom=zoom)
    return render_timeline(page, SHELL).replace("&#x2f;", "/")


def widths(page: str) -> list[float]:
    return [float(width) for width in re.findall(r'class="model" [^>]*? width="([\d.]+)"', page)]


def two_bars() -> Timeline:
    bars = (Bar("a", "model", "one", 0, 60_000), Bar("b", "model", "two", HOUR, HOUR + 30_000))
    lane = Lane(id="", title="main thread", start_ms=0, end_ms=HOUR + 30_000, bars=bars)
    return Timeline(
        start_ms=0,
        end_ms=HOUR + 30_000,
        lanes=(lane,),
        intervals=(
            Interval(0, 60_000),
            Interval(60_000, HOUR, is_idle=True),
            Interval(HOUR, HOUR + 30_000),
        ),
    )


def test_a_bar_is_as_wide_as_it_is_long() -> None:
    first, second = widths(drawn(two_bars()))

    assert abs(first - 2 * second) < 1


def test_idle_time_takes_little_room() -> None:
    assert "Idle for 59 min" in drawn(two_bars())
    assert sum(widths(drawn(two_bars()))) > 900


def test_zoom_makes_it_wider() -> None:
    assert widths(drawn(two_bars(), 4))[0] > 3 * widths(drawn(two_bars()))[0]


def test_bars_and_ticks_lead_to_the_session() -> None:
    ticks = (Tick("p", "prompt", "go", 5), Tick("toolu_1", "error", "exit 1", 9))
    bars = (Bar("toolu_1", "tool", "Bash", 5, 9, "bad"),)
    lane = Lane(id="", title="x" * 60, start_ms=0, end_ms=10, ticks=ticks, bars=bars)
    cuts = (Tick("c", "compaction", "compacted", 7),)
    found = drawn(Timeline(end_ms=10, lanes=(lane,), cuts=cuts, intervals=(Interval(0, 10),)))

    assert 'href="/sessions/s#m-p"' in found
    assert found.count('href="/sessions/s#c-toolu_1"') == 2
    assert "x" * 28 + "…" in found
    assert "compacted" in found


def test_a_session_without_times_says_so() -> None:
    assert "Nothing in this session has a timestamp." in drawn(Timeline())


def test_very_many_lanes_are_cut() -> None:
    lanes = tuple(Lane(id=str(n), title=f"run {n}", start_ms=0, end_ms=9) for n in range(250))
    bar = Lane(id="", title="main", start_ms=0, end_ms=9, bars=(Bar("a", "model", "x", 0, 9),))
    found = drawn(Timeline(end_ms=9, lanes=(bar, *lanes), intervals=(Interval(0, 9),)))

    assert "51 more lanes" in found


def test_the_name_of_a_lane_leads_to_its_run() -> None:
    bar = Bar("m", "model", "one", 0, 1)
    lanes = (
        Lane(id=MAIN_LANE, title="main thread", start_ms=0, end_ms=1, bars=(bar,)),
        Lane(id="a1", title="Explore", start_ms=0, end_ms=1),
    )
    page = drawn(Timeline(start_ms=0, end_ms=1, lanes=lanes, intervals=(Interval(0, 1),)))

    links = re.findall(
        r'<a href="([^"]+)" aria-label="[^"]+"><text', page.partition("data-names")[2]
    )
    assert links == ["/sessions/s", "/sessions/s/runs/a1"]
