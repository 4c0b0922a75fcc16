"""Choosing among all sessions."""

import datetime as dt

import msgspec
import pytest

from clew.archive import open_archive
from clew.clock import format_time
from clew.errors import UsageError
from clew.samples import samples_root
from clew.store import SessionOverview
from clew.web.params import Counting
from clew.web.session_query import SORTS, SessionQuery, filter_sessions


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[SessionOverview]:
    with open_archive(tmp_path_factory.mktemp("archive")) as archive:
        archive.sync([samples_root()])
        return list(archive.sessions())


def select(sessions: list[SessionOverview], query: SessionQuery) -> list[SessionOverview]:
    return filter_sessions(sessions, query, query.read_text())


@pytest.mark.parametrize("sort", SORTS)
def test_every_order_can_be_turned_around(sessions: list[SessionOverview], sort: str) -> None:
    found = select(sessions, SessionQuery(sort=sort))
    turned = select(sessions, SessionQuery(sort=sort, is_reversed=True))

    assert {s.id for s in found} == {s.id for s in turned}
    assert found[0].id != turned[0].id


def test_an_order_that_is_none_is_refused(sessions: list[SessionOverview]) -> None:
    with pytest.raises(UsageError, match="invalid sort"):
        select(sessions, SessionQuery(sort="colour"))


@pytest.mark.parametrize(
    "query",
    [
        SessionQuery(text="tessera"),
        SessionQuery(min_cost=1),
        SessionQuery(has_errors=True),
    ],
)
def test_a_filter_leaves_some_out(sessions: list[SessionOverview], query: SessionQuery) -> None:
    found = select(sessions, query)

    assert 0 < len(found) < len(sessions)


def test_all_words_must_be_there(sessions: list[SessionOverview]) -> None:
    assert select(sessions, SessionQuery(text="tessera nothinglikethis")) == []


def test_errors_can_be_wanted_or_not(sessions: list[SessionOverview]) -> None:
    failed = select(sessions, SessionQuery(text="is:error"))
    others = select(sessions, SessionQuery(text="-is:error"))

    assert failed == select(sessions, SessionQuery(has_errors=True))
    assert {s.id for s in failed} ^ {s.id for s in others} == {s.id for s in sessions}
    assert not {s.id for s in failed} & {s.id for s in others}


def test_a_day_is_that_of_the_zone(sessions: list[SessionOverview]) -> None:
    late = msgspec.structs.replace(sessions[0], ended_at="2026-11-01T23:30:00.000Z")

    def on(day: str, zone: str) -> int:
        return len(select([late], SessionQuery(day=day, counting=Counting((), zone))))

    assert [on("2026-11-01", "UTC"), on("2026-11-02", "UTC")] == [1, 0]
    assert [on("2026-11-01", "Asia/Kolkata"), on("2026-11-02", "Asia/Kolkata")] == [0, 1]


@pytest.mark.parametrize("day", ["soon", "2026-13-01", "9999-12-31"])
def test_what_is_no_day_is_refused(sessions: list[SessionOverview], day: str) -> None:
    with pytest.raises(UsageError, match="is not a day"):
        select(sessions, SessionQuery(day=day))


def test_a_repository_has_its_worktrees_and_nothing_below_it(
    sessions: list[SessionOverview],
) -> None:
    paths = ("/srv/cli", "/srv/cli/.worktrees/1", "/srv/cli/docs", "/srv/clip")
    found = [msgspec.structs.replace(sessions[0], project=path) for path in paths]

    shown = select(found, SessionQuery(repository="/srv/cli"))

    assert [session.project for session in shown] == ["/srv/cli", "/srv/cli/.worktrees/1"]


def test_what_grew_just_now_is_running(sessions: list[SessionOverview]) -> None:
    now = format_time(dt.datetime.now(dt.UTC))
    running = msgspec.structs.replace(sessions[0], ended_at=now)
    old = msgspec.structs.replace(sessions[1], ended_at="2020-01-01T00:00:00.000Z")

    for query in (SessionQuery(is_running=True), SessionQuery(text="is:running")):
        assert select([running, old], query) == [running]
    assert select([running, old], SessionQuery(text="-is:running")) == [old]
