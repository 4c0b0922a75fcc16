"""Many sessions read at once."""

from pathlib import Path

import pytest

from clew.cli.overview import SessionOverview
from clew.cli.reading import count_bytes, read_overviews
from clew.sessions import SessionFiles, group_sessions, list_files
from tests.build import SessionBuilder, Usage


@pytest.fixture
def sessions(tmp_path: Path) -> list[SessionFiles]:
    """Give a session, a fork of it, and one that stands alone."""
    first = SessionBuilder("first").user("hi").assistant("hello", usage=Usage(output=50))
    fork = first.fork("fork", marked=True).user("more").assistant("ok", usage=Usage(output=7))
    lone = SessionBuilder("lone").user("alone").assistant("yes", usage=Usage(output=3))
    for session in (first, fork, lone):
        session.write(tmp_path)
    return group_sessions(list_files([tmp_path]))


def read(sessions: list[SessionFiles], workers: int = 1) -> list[SessionOverview | None]:
    """Read sessions among themselves."""
    return list(read_overviews(sessions, sessions, lambda _: None, workers=workers))


def outputs(overviews: list[SessionOverview | None]) -> dict[str, int]:
    """Give the tokens that each session's own answers have."""
    return {each.id: each.usage["output_tokens"] for each in overviews if each is not None}


def test_sessions_come_in_the_order_they_were_asked_for(sessions: list[SessionFiles]) -> None:
    asked = list(reversed(sessions))

    found = read(asked)

    assert [each.id for each in found if each] == [session.session_id for session in asked]


def test_a_fork_is_not_charged_for_what_it_copied(sessions: list[SessionFiles]) -> None:
    names = {name: SessionBuilder(name).session_id for name in ("first", "fork", "lone")}

    found = outputs(read(sessions))

    assert found == {names["first"]: 50, names["fork"]: 7, names["lone"]: 3}


def test_a_fork_alone_still_knows_its_neighbours(sessions: list[SessionFiles]) -> None:
    fork = SessionBuilder("fork").session_id
    chosen = [session for session in sessions if session.session_id == fork]

    found = list(read_overviews(chosen, sessions, lambda _: None))

    assert outputs(found) == {fork: 7}


def test_several_processes_give_what_one_gives(sessions: list[SessionFiles]) -> None:
    assert read(sessions, workers=2) == read(sessions, workers=1)


def test_a_session_that_went_away_is_none(sessions: list[SessionFiles]) -> None:
    sessions[0].files[0].path.unlink()

    found = read(sessions)

    assert [each is None for each in found] == [True, False, False]


def test_progress_ends_with_the_bytes_that_were_foretold(sessions: list[SessionFiles]) -> None:
    done: list[int] = []

    list(read_overviews(sessions, sessions, done.append))

    assert sum(done) == count_bytes(sessions, sessions) > 0


def test_nothing_is_read_before_it_is_asked_for(sessions: list[SessionFiles]) -> None:
    done: list[int] = []

    overviews = read_overviews(sessions, sessions, done.append)

    assert done == []
    assert next(overviews) is not None
