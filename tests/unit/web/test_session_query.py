"""Choosing among all sessions."""

import pytest

from clew.archive import open_archive
from clew.errors import UsageError
from clew.samples import samples_root
from clew.store import SessionOverview
from clew.web.session_query import SORTS, SessionQuery, filter_sessions


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[SessionOverview]:
    with open_archive(tmp_path_factory.mktemp("archive")) as archive:
        archive.sync([samples_root()])
        return list(archive.sessions())


@pytest.mark.parametrize("sort", SORTS)
def test_every_order_can_be_turned_around(sessions: list[SessionOverview], sort: str) -> None:
    found = filter_sessions(sessions, SessionQuery(sort=sort))
    turned = filter_sessions(sessions, SessionQuery(sort=sort, is_reversed=True))

    assert {s.id for s in found} == {s.id for s in turned}
    assert found[0].id != turned[0].id


def test_an_order_that_is_none_is_refused(sessions: list[SessionOverview]) -> None:
    with pytest.raises(UsageError, match="invalid sort"):
        filter_sessions(sessions, SessionQuery(sort="colour"))


@pytest.mark.parametrize(
    "query",
    [
        SessionQuery(text="tessera"),
        SessionQuery(min_cost=1),
        SessionQuery(has_errors=True),
    ],
)
def test_a_filter_leaves_some_out(sessions: list[SessionOverview], query: SessionQuery) -> None:
    found = filter_sessions(sessions, query)

    assert 0 < len(found) < len(sessions)


def test_all_words_must_be_there(sessions: list[SessionOverview]) -> None:
    assert filter_sessions(sessions, SessionQuery(text="tessera nothinglikethis")) == []
