"""Cost and tokens, drawn."""

import datetime as dt
import re
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from clew.analytics import (
    BreakRow,
    CacheReport,
    DayCost,
    FilterSet,
    HourCount,
    UsageOverview,
    UsageRow,
)
from clew.archive import open_archive
from clew.render.site import APP, SITE, BasePage, UsagePage, render_usage
from clew.samples import samples_root
from clew.store import ToolStats

SHELL = BasePage(urls=APP, assets="/assets/x", nonce="n")


@pytest.fixture(scope="module")
def overview(tmp_path_factory: pytest.TempPathFactory) -> UsageOverview:
    with open_archive(tmp_path_factory.mktemp("archive")) as archive:
        archive.sync([samples_root()])
        return archive.usage_overview(FilterSet(), dt.UTC, FilterSet())


def drawn(overview: UsageOverview, **more: object) -> str:
    plain = UsagePage(overview=overview, tools=[], labels={})
    return render_usage(msgspec.structs.replace(plain, **more), SHELL).replace("&#x2f;", "/")


def costs(*dollars: float) -> tuple[DayCost, ...]:
    return tuple(
        DayCost("2026-11-01", f"model-{number}", round(cost * 10**9), 5)
        for number, cost in enumerate(dollars)
    )


def test_days_without_anything_have_their_place(overview: UsageOverview) -> None:
    days = (DayCost("2026-11-01", "m", 10**9, 1), DayCost("2026-11-11", "m", 10**9, 1))
    found = drawn(msgspec.structs.replace(overview, days=days))
    urls = [float(x) for x in re.findall(r'<rect class="k0" x="([\d.]+)"', found)]

    assert urls[1] - urls[0] == pytest.approx(960 * 10 / 11, abs=0.1)


def test_a_model_without_a_price_is_not_called_free(overview: UsageOverview) -> None:
    days = (DayCost("2026-11-01", "m", 10**9, 1), DayCost("2026-11-01", "unknown", 0, 65_222))
    found = drawn(msgspec.structs.replace(overview, days=days))

    assert re.search(r"unpriced</td>\s*<td[^>]*>65,222<", found)
    assert "$0.00<" not in found


def test_cache_breaks_are_listed_by_each_week_and_say_what_is_left_out(
    overview: UsageOverview,
) -> None:
    weeks = [BreakRow(key=f"2026-{month:02}-02", breaks=1) for month in range(1, 13)]
    totals = BreakRow(key="total", breaks=12, sessions=9)
    sessions = [BreakRow(key=f"s{number}", breaks=1) for number in range(4)]
    report = CacheReport(
        totals=totals, by_cause=[], by_project=[], by_week=weeks, by_session=sessions
    )

    found = drawn(overview, cache=report)

    assert all(f"since={week.key}" in found for week in weeks)
    assert "<summary>By session, the 4 most expensive of 9</summary>" in found
    assert "<summary>By week</summary>" in found


def test_models_beyond_the_first_six_are_one(overview: UsageOverview) -> None:
    found = drawn(msgspec.structs.replace(overview, days=costs(9, 8, 7, 6, 5, 4, 3, 2)))

    assert "<bdi>Other models</bdi>" in found
    assert "model-7: " not in found


@pytest.mark.parametrize(("cost", "top"), [(0.003, "$0.01"), (0.7, "$1.00"), (26, "$50.00")])
def test_the_scale_ends_at_a_round_number(overview: UsageOverview, cost: float, top: str) -> None:
    assert f">{top}</text>" in drawn(msgspec.structs.replace(overview, days=costs(cost)))


def test_a_day_leads_to_its_own_usage_with_all_models(overview: UsageOverview) -> None:
    found = drawn(
        msgspec.structs.replace(overview, days=costs(9, 0.5)),
        params={"since": "2026-10-01", "project": "tessera", "tz": "UTC"},
    )

    url = "/usage?since=2026-11-01&amp;project=tessera&amp;tz=UTC&amp;until=2026-11-01"
    label = "1 Nov 2026: $9.50 (model-0 $9.00, model-1 $0.50)"
    assert f'<a href="{url}" aria-label="{label}">' in found
    assert "<title>1 Nov 2026: $9.50\nmodel-0 $9.00\nmodel-1 $0.50</title>" in found
    assert found.count(f'href="{url}"') == 2


def test_each_day_has_one_row_with_its_sum_and_the_last_comes_first(
    overview: UsageOverview,
) -> None:
    bound = DayCost("2026-11-02", "m", 10**9, 2, "lower_bound")
    found = drawn(msgspec.structs.replace(overview, days=(*costs(9, 0.5), bound)))
    table = found.partition("by-day")[2].partition("</table>")[0]
    rows = [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in table.split("<tr")[1:]]

    assert [row.partition("> ")[2] for row in rows[1:]] == [
        "2026-11-02 m ≥ $1.00 2",
        "2026-11-01 All models $9.50 10",
        "model-0 $9.00 5",
        "model-1 $0.50 5",
    ]
    assert 'title="At least: ' in table


def test_the_axis_tells_the_year_where_it_begins(overview: UsageOverview) -> None:
    days = (DayCost("2025-12-01", "m", 10**9, 1), DayCost("2026-01-31", "m", 10**9, 1))
    found = drawn(msgspec.structs.replace(overview, days=days))

    ticks = re.findall(r'class="tick"[^>]+>([^<]+)<', found)
    assert [tick for tick in ticks if tick[-4:-2] == "20"] == ["1 Dec 2025", "5 Jan 2026"]


def test_worktrees_are_counted_with_their_repository(overview: UsageOverview) -> None:
    rows = [
        UsageRow(key="/home/dev/tide/.worktrees/one", cost_usd=2.0, sessions=1, model_calls=3),
        UsageRow(key="/home/dev/tide", cost_usd=1.0, sessions=2, model_calls=4),
        UsageRow(key="/srv/tide", cost_usd=0.5, quality="lower_bound"),
    ]
    by_project = msgspec.structs.replace(overview.by_project, rows=rows)
    found = drawn(msgspec.structs.replace(overview, by_project=by_project))
    table = found.partition('id="by-project"')[2].partition("</table>")[0]

    assert "/sessions?repository=%2Fhome%2Fdev%2Ftide&amp;counted=any" in table
    assert "/sessions?counted=project%3A%2Fsrv%2Ftide" in table
    assert "dev, with 1 worktree" in table
    assert re.search(r'figure">\$3.00</td>.*figure">7</td>', table)
    assert 'title="/home/dev/tide"' in table


@pytest.mark.parametrize(
    ("params", "chosen", "dates"),
    [
        ({}, "Any time", ["", ""]),
        ({"since": "90d"}, "Last 90 days", ["", ""]),
        ({"since": "2026-01-01"}, "This year", ["2026-01-01", ""]),
        ({"since": "2026-02-12", "until": "2026-03-01"}, "Dates", ["2026-02-12", "2026-03-01"]),
        ({"until": "2026-03-01"}, "Any time", ["", "2026-03-01"]),
        ({"since": "12h"}, "12h", ["", ""]),
    ],
)
def test_a_period_or_dates_are_chosen(
    overview: UsageOverview, params: dict[str, str], chosen: str, dates: list[str]
) -> None:
    found = drawn(overview, params=params, today=dt.date(2026, 11, 18))

    assert re.findall(r"<option [^>]*selected>([^<]+)<", found) == [chosen]
    assert re.findall(r'type="date"[^>]* value="([^"]*)"', found) == dates


def test_a_day_alone_says_what_made_up_its_cost(overview: UsageOverview) -> None:
    params = {"since": "2026-11-14", "until": "2026-11-14"}
    [first, *_] = overview.by_session.rows
    found = drawn(
        overview,
        params=params,
        today=dt.date(2026, 11, 14),
        zone="CET",
        whole_costs={first.key: "$7"},
    )

    assert "<h2>Saturday, 14 November 2026</h2>" in found
    assert 'href="/usage?since=2026-11-13&amp;until=2026-11-13" rel="prev"' in found
    assert 'rel="next"' not in found
    assert f'Most expensive session: <a href="/sessions/{first.key}">' in found
    assert "from midnight to midnight, CET" in found
    assert found.index('id="by-session"') < found.index('id="by-project"')
    assert "$7 in all" in found
    kinds = re.findall(r"(input|output|cache write|cache read) ≈ \$([\d.,]+)", found)
    assert [name for name, _ in kinds] == ["input", "output", "cache write", "cache read"]
    priced = sum(row.cost_usd or 0 for row in overview.by_model.rows)
    assert sum(float(cost.replace(",", "")) for _, cost in kinds) == pytest.approx(priced, abs=0.03)
    assert 'id="by-day"' not in found


def test_what_at_least_means_is_said_beside_the_cost(overview: UsageOverview) -> None:
    reason = "5 of 9 answers were recorded before their end: lower bounds (≥)."
    notes = ["An estimate.", reason]
    by_model = msgspec.structs.replace(overview.by_model, notes=notes)
    found = drawn(msgspec.structs.replace(overview, by_model=by_model))

    assert found.index(f"≥ means at least: <bdi>{reason}") < found.index('id="by-day"')
    assert found.count(reason) == 1
    assert "≥ means" not in drawn(
        msgspec.structs.replace(
            overview, by_model=msgspec.structs.replace(overview.by_model, notes=["An estimate."])
        )
    )


def test_numbers_lead_to_what_they_count(overview: UsageOverview) -> None:
    found = drawn(overview, params={"since": "7d"})

    assert 'href="/sessions?since=7d&amp;sort=cost&amp;counted=any"' in found
    assert "+0 % vs. previous period" in found


def test_a_tool_leads_to_its_sessions_and_its_failures(overview: UsageOverview) -> None:
    found = drawn(overview, tools=[ToolStats("Bash", 4, 1, 1, 100, 50, 2)])

    assert "25.0 %" in found
    assert 'href="/sessions?counted=tool%3ABash"' in found
    assert 'href="/search?q=is%3Aerror+tool%3ABash"' in found
    assert 'href="/sessions?counted=denied%3ABash"' in found


@pytest.mark.parametrize("tool", ['say "hi"', "x" * 1000])
def test_failures_that_no_query_can_name_lead_to_their_sessions(
    overview: UsageOverview, tool: str
) -> None:
    found = drawn(overview, tools=[ToolStats(tool, 4, 1, 0, 100, 50, 2)])

    assert "/search?q=is" not in found
    assert 'href="/sessions?counted=failed%3A' in found


def test_failures_are_asked_for_in_the_same_time_and_place(overview: UsageOverview) -> None:
    tools = [ToolStats("Bash", 4, 1, 0, 100, 50, 2)]
    filters = FilterSet(project="/home/dev/my code", until="2026-11-02T00:00:00.000Z")
    found = drawn(overview, tools=tools, params={"since": "7d"}, filters=filters)

    [query] = re.findall(r'href="(/search\?q=is[^"]+)"', found)
    params = parse_qs(urlsplit(query).query)["q"][0]
    expected = (
        'is:error project:"/home/dev/my code" until:2026-11-02T00:00:00.000Z since:7d tool:Bash'
    )
    assert params == expected


def test_an_hour_of_the_week_leads_to_its_sessions(overview: UsageOverview) -> None:
    hours = tuple(tuple(HourCount() for _ in range(24)) for _ in range(7))
    busy = (*hours[:6], (*hours[6][:23], HourCount(3, 1)))
    found = drawn(msgspec.structs.replace(overview, hours=busy))

    assert found.count('href="/sessions?counted=hour%3Asun-23"') == 2
    assert found.count('aria-label="Sun 23:00, 3 model calls in 1 session"') == 2
    assert "hour%3Amon" not in found


def test_in_a_site_of_files_nothing_leads_to_a_list(overview: UsageOverview) -> None:
    page = UsagePage(overview=overview, tools=[ToolStats("Bash", 4, 1, 1, 9, 9, 2)], labels={})
    found = render_usage(page, BasePage(urls=SITE)).replace("&#x2f;", "/")

    links = re.findall(r'<a [^>]*href="([^"]+)"', found.partition("<main")[2])
    assert links
    assert all(link.startswith(("sessions/", "#")) for link in links)


def test_without_model_calls_there_is_no_chart(overview: UsageOverview) -> None:
    assert "No model calls in this period" in drawn(msgspec.structs.replace(overview, days=()))


def test_blocks_begin_at_times_that_people_can_read(overview: UsageOverview) -> None:
    key = overview.by_block.rows[-1].key
    page = drawn(overview)

    assert key.endswith("+00:00")
    assert f'datetime="{key[:16]}:00.000Z" data-form="day">' in page
    assert key.replace("T", " ") not in page
