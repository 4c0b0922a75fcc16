"""Choosing among all sessions."""

import pytest

from clew.analytics import Filters
from clew.archive import open_archive
from clew.errors import UsageError
from clew.samples import samples_root
from clew.store import SessionOverview
from clew.web.catalogue import SORTS, Choice, choose_sessions


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[SessionOverview]:
    with open_archive(tmp_path_factory.mktemp("archive")) as archive:
        archive.sync([samples_root()])
        return list(archive.sessions())


@pytest.mark.parametrize("sort", SORTS)
def test_every_order_can_be_turned_around(sessions: list[SessionOverview], sort: str) -> None:
    found = choose_sessions(sessions, Choice(sort=sort))
    turned = choose_sessions(sessions, Choice(sort=sort, is_reversed=True))

    assert {s.id for s in found} == {s.id for s in turned}
    assert found[0].id != turned[0].id


def test_an_order_that_is_none_is_refused(sessions: list[SessionOverview]) -> None:
    with pytest.raises(UsageError, match="there is no order"):
        choose_sessions(sessions, Choice(sort="colour"))


@pytest.mark.parametrize(
    "choice",
    [
        Choice(filters=Filters(project="tessera")),
        Choice(filters=Filters(model="haiku")),
        Choice(filters=Filters(tool="Edit")),
        Choice(filters=Filters(branch="incremental")),
        Choice(filters=Filters(since="2026-11-01")),
        Choice(filters=Filters(until="2026-11-01")),
        Choice(text="tessera"),
        Choice(min_cost=1),
        Choice(has_errors=True),
    ],
)
def test_a_filter_leaves_some_out(sessions: list[SessionOverview], choice: Choice) -> None:
    found = choose_sessions(sessions, choice)

    assert 0 < len(found) < len(sessions)


def test_all_words_must_be_there(sessions: list[SessionOverview]) -> None:
    assert choose_sessions(sessions, Choice(text="tessera nothinglikethis")) == []
