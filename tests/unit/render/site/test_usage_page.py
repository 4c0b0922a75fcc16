"""Cost and tokens, drawn."""

import datetime as dt
import re
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from clew.analytics import DayCost, FilterSet, HourCount, UsageOverview
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


def test_models_beyond_the_first_six_are_one(overview: UsageOverview) -> None:
    found = drawn(msgspec.structs.replace(overview, days=costs(9, 8, 7, 6, 5, 4, 3, 2)))

    assert "<bdi>Other models</bdi>" in found
    assert "model-7: " not in found


@pytest.mark.parametrize(("cost", "top"), [(0.003, "$0.01"), (0.7, "$1.00"), (26, "$50.00")])
def test_the_scale_ends_at_a_round_number(overview: UsageOverview, cost: float, top: str) -> None:
    assert f">{top}</text>" in drawn(msgspec.structs.replace(overview, days=costs(cost)))


def test_numbers_lead_to_what_they_count(overview: UsageOverview) -> None:
    found = drawn(overview, params={"since": "7d"})

    assert 'href="/?since=7d&amp;sort=cost&amp;counted=any"' in found
    assert "+0 % vs. previous period" in found


def test_a_tool_leads_to_its_sessions_and_its_failures(overview: UsageOverview) -> None:
    found = drawn(overview, tools=[ToolStats("Bash", 4, 1, 1, 100, 50, 2)])

    assert "25.0 %" in found
    assert 'href="/?counted=tool%3ABash"' in found
    assert 'href="/search?q=is%3Aerror+tool%3ABash"' in found
    assert 'href="/?counted=denied%3ABash"' in found


@pytest.mark.parametrize("tool", ['say "hi"', "x" * 1000])
def test_failures_that_no_query_can_name_lead_to_their_sessions(
    overview: UsageOverview, tool: str
) -> None:
    found = drawn(overview, tools=[ToolStats(tool, 4, 1, 0, 100, 50, 2)])

    assert "/search?q=is" not in found
    assert 'href="/?counted=failed%3A' in found


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

    assert found.count('href="/?counted=hour%3Asun-23"') == 2
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
