"""Sessions below headings, with totals."""

import datetime as dt

import msgspec
import pytest

from clew.archive import open_archive
from clew.render.site.session_groups import group_page, sort_by_repository, sum_sessions
from clew.samples import samples_root
from clew.store import SessionOverview

DAYS = ("2026-11-03", "2026-11-03", "2026-11-02", "2026-11-02", "2026-11-02", "2026-11-01")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> SessionOverview:
    with open_archive(tmp_path_factory.mktemp("archive")) as archive:
        archive.sync([samples_root()])
        found = next(iter(archive.sessions()))
    return msgspec.structs.replace(found, active_ms=60_000, cost_usd=0.5)


@pytest.fixture
def sessions(one: SessionOverview) -> list[SessionOverview]:
    return [
        msgspec.structs.replace(one, id=str(number), ended_at=f"{day}T12:00:00.000Z")
        for number, day in enumerate(DAYS)
    ]


@pytest.mark.parametrize(("start", "end"), [(0, 6), (1, 3), (2, 4), (3, 4), (4, 6), (5, 6)])
def test_totals_count_what_other_pages_show(
    sessions: list[SessionOverview], start: int, end: int
) -> None:
    groups = group_page(sessions, start, end, "day", dt.UTC)

    assert [s.id for group in groups for s in group.sessions] == [str(n) for n in range(start, end)]
    for group in groups:
        assert group.totals.sessions == DAYS.count(group.key)
        assert group.totals.active_ms == 60_000 * DAYS.count(group.key)


def test_a_heading_tells_the_day(sessions: list[SessionOverview]) -> None:
    first, *_ = group_page(sessions, 0, 6, "day", dt.timezone(dt.timedelta(hours=13)))

    assert (first.key, first.title) == ("2026-11-04", "Wednesday, 4 November 2026")


def test_worktrees_stand_below_their_repository(sessions: list[SessionOverview]) -> None:
    paths = ("/b/cli", "/a/Zoo", "/b/cli/.worktrees/1", "/a/cli", "/b/cli", "/a/Zoo")
    found = [
        msgspec.structs.replace(session, project=path)
        for session, path in zip(sessions, paths, strict=True)
    ]
    sort_by_repository(found)

    groups = group_page(found, 0, 6, "project", dt.UTC)

    shown = [(g.key, g.title, [s.id for s in g.sessions]) for g in groups]
    assert shown == [
        ("/a/cli", "cli", ["3"]),
        ("/b/cli", "cli", ["0", "2", "4"]),
        ("/a/Zoo", "Zoo", ["1", "5"]),
    ]


def test_no_grouping_has_no_heading(sessions: list[SessionOverview]) -> None:
    [group] = group_page(sessions, 0, 6, "", dt.UTC)

    assert (group.title, len(group.sessions)) == ("", 6)
    assert group_page([], 0, 0, "", dt.UTC) == []


def test_a_sum_says_what_it_leaves_out(one: SessionOverview) -> None:
    unpriced = msgspec.structs.replace(one, cost_usd=None, total_tokens=10)
    free = msgspec.structs.replace(one, cost_usd=0.0, total_tokens=0, active_ms=0, duration_ms=0)

    assert (sum_sessions([one, one]).cost, sum_sessions([one, one]).active) == (
        "$1.00",
        "2 min active",
    )
    assert sum_sessions([one, unpriced]).cost == "≥ $0.50"
    assert (sum_sessions([free]).cost, sum_sessions([free]).active) == ("", "")
