"""Cost and tokens, drawn."""

import datetime as dt
import re

import msgspec
import pytest

from clew.analytics import DayCost, Filters, UsageOverview
from clew.archive import open_archive
from clew.render.site import APP, Shell, UsagePage, render_usage
from clew.samples import samples_root
from clew.store import ToolStats

SHELL = Shell(places=APP, assets="/assets/x", nonce="n")


@pytest.fixture(scope="module")
def overview(tmp_path_factory: pytest.TempPathFactory) -> UsageOverview:
    with open_archive(tmp_path_factory.mktemp("archive")) as archive:
        archive.sync([samples_root()])
        return archive.usage_overview(Filters(), dt.UTC, Filters())


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
    places = [float(x) for x in re.findall(r'<rect class="k0" x="([\d.]+)"', found)]

    assert places[1] - places[0] == pytest.approx(960 * 10 / 11, abs=0.1)


def test_models_beyond_the_first_six_are_one(overview: UsageOverview) -> None:
    found = drawn(msgspec.structs.replace(overview, days=costs(9, 8, 7, 6, 5, 4, 3, 2)))

    assert "<bdi>others</bdi>" in found
    assert "model-7: " not in found


@pytest.mark.parametrize(("cost", "top"), [(0.003, "$0.01"), (0.7, "$1.00"), (26, "$50.00")])
def test_the_scale_ends_at_a_round_number(overview: UsageOverview, cost: float, top: str) -> None:
    assert f">{top}</text>" in drawn(msgspec.structs.replace(overview, days=costs(cost)))


def test_numbers_lead_to_what_they_count(overview: UsageOverview) -> None:
    found = drawn(overview, since="7d")

    assert 'href="/?since=7d&amp;sort=cost"' in found
    assert "+0 % against the period before" in found


def test_a_tool_leads_to_its_sessions_and_its_failures(overview: UsageOverview) -> None:
    found = drawn(overview, tools=[ToolStats("Bash", 4, 1, 0, 100, 50, 2)])

    assert "25.0 %" in found
    assert 'href="/?tool=Bash"' in found
    assert 'href="/search?q=is%3Aerror+tool%3ABash"' in found


def test_without_model_calls_there_is_no_chart(overview: UsageOverview) -> None:
    assert "No model was called" in drawn(msgspec.structs.replace(overview, days=()))
