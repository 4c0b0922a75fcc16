"""Swim lanes, drawn."""

import re

from clew.render.site import APP, BasePage, TimelinePage, render_timeline
from clew.view import HIDDEN_LANE, MAIN_LANE, Bar, Interval, Lane, Tick, Timeline

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
    assert 'href="/sessions/s#m-c"' in found
    assert f'title="{"x" * 60}"' in found


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

    names = page.partition('class="lane-names"')[2].partition("</ol>")[0]
    links = re.findall(r'<a href="([^"]+)"', names)
    assert links == ["/sessions/s", "/sessions/s/runs/a1"]


def test_waiting_does_not_look_like_work() -> None:
    bar = Bar("c", "tool", "Edit a.py", 0, 42_000, "", 40_000, 40_000, "measured")
    lane = Lane(id=MAIN_LANE, title="main", start_ms=0, end_ms=42_000, bars=(bar,))
    page = drawn(Timeline(end_ms=42_000, lanes=(lane,), intervals=(Interval(0, 42_000),)))

    times = dict(re.findall(r'data-t="([^"]+)".*?<rect class="(\w+)', page))
    assert times == {"0 40000": "wait", "40000 42000": "tool"}
    assert "Edit a.py, waited 40.0 s for a person" in page


def test_what_the_client_started_itself_has_one_lane_that_leads_to_the_runs() -> None:
    bars = (Bar("s1", "run", "Suggestion", 0, 2_000),)
    lane = Lane(id=HIDDEN_LANE, title="1 suggestion", start_ms=0, end_ms=2_000, bars=bars)
    page = drawn(Timeline(end_ms=2_000, lanes=(lane,), intervals=(Interval(0, 2_000),)))

    assert 'href="/sessions/s/agents#hidden-runs" title="1 suggestion"' in page
    assert 'href="/sessions/s/runs/s1"' in page
