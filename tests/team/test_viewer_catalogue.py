"""The list of what a viewer sees: kept by owner, and always equal to one read afresh."""

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from clew.archive import Archive, Order
from clew.server.viewer_archive import ViewerArchive
from clew.server.viewer_catalogue import CatalogueReader, SharedLists
from clew.server.written import WriteMarks
from clew.store.postgres import open_postgres_for_writing
from clew.store.postgres.connection import connect
from clew.store.postgres_location import NOBODY, PostgresLocation
from tests.build import SessionBuilder, Usage
from tests.postgres_server import PostgresServer

NOW: Final = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
ANNA, BERT, CARL, DORA = 1, 2, 3, 4
HIDDEN, SHARED = 11, 20


class Team:
    """Two owners whose sessions a third person sees."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.place = PostgresLocation(url, str(folder / "blobs"))

    def viewed(self, viewer: int = NOBODY, *own: int) -> ViewerArchive:
        """Open what everybody sees, and what is in scopes of a viewer's own."""
        place = PostgresLocation(
            self.place.database_url, self.place.blobs, scopes=(SHARED, *own), viewer=viewer
        )
        return ViewerArchive(place)

    def push(self, owner: int, name: str, *prompts: str) -> None:
        """Archive a session with these prompts, for everybody."""
        session = SessionBuilder(name, cwd=f"/home/{owner}")
        for prompt in prompts:
            session.user(prompt).assistant("Done.", usage=Usage(owner, 5))
        session.write(self.folder / str(owner))
        place = PostgresLocation(self.place.database_url, self.place.blobs, owner)
        with Archive(place) as archive:
            archive.sync([self.folder / str(owner)], now=NOW, workers=1)
        self.move(owner, session.session_id, SHARED)

    def move(self, owner: int, session_id: str, scope: int) -> None:
        """Let others see a session."""
        database = open_postgres_for_writing(self.place.database_url, owner)
        with database.transaction():
            database.move_session(session_id, scope)
        database.close()

    def run(self, statement: str) -> None:
        """Change a row."""
        with connect(self.place.database_url) as connection:
            connection.execute(statement.encode())


@pytest.fixture
def team(tmp_path: Path, postgres_server: PostgresServer) -> Iterator[Team]:
    """Give a team with two sessions each."""
    url = postgres_server.make_database()
    team = Team(tmp_path, url)
    for owner in (ANNA, BERT):
        team.push(owner, f"first{owner}", f"first of {owner}")
        team.push(owner, f"second{owner}", f"second of {owner}")
    yield team
    postgres_server.drop_database(url)


def grow(team: Team) -> None:
    team.push(ANNA, "first1", "first of 1", "and more")


def share(team: Team) -> None:
    team.push(BERT, "third2", "third of 2")


def take_back(team: Team) -> None:
    team.move(BERT, SessionBuilder("first2").session_id, HIDDEN)


def have_a_twin(team: Team) -> None:
    team.push(BERT, "first1", "the same id")


def leave_nothing(team: Team) -> None:
    for name in ("first1", "second1"):
        team.move(ANNA, SessionBuilder(name).session_id, HIDDEN)


def set_prices(team: Team) -> None:
    team.run("UPDATE price_table SET digest = 'later'")
    team.run("UPDATE model_call SET cost_nano_usd = 7000000000")


CHANGES: Final = (grow, share, take_back, have_a_twin, leave_nothing, set_prices)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_kept_list_equals_one_read_afresh(team: Team, change: Callable[[Team], None]) -> None:
    kept = CatalogueReader()
    with team.viewed() as archive:
        before = kept.read(archive)
        change(team)
        after = kept.read(archive)
        afresh = CatalogueReader().read(archive)
        listed = tuple(archive.sessions(order=Order(with_hidden=True)))

    assert after == afresh
    assert after.sessions == listed
    assert after.version != before.version
    assert after.seen.keys() == after.by_id.keys()


def test_who_writes_nothing_that_a_viewer_sees_changes_nothing(team: Team) -> None:
    kept = CatalogueReader()
    with team.viewed() as archive:
        before = kept.read(archive)
        team.run("UPDATE archive_change SET number = number + 1 WHERE owner = 1")
        after = kept.read(archive)

    assert after is before
    assert len(after.sessions) == 4


def test_only_the_sessions_of_those_who_wrote_are_read_again(team: Team) -> None:
    kept = CatalogueReader()
    with team.viewed() as archive:
        before = kept.read(archive).by_id
        grow(team)
        after = kept.read(archive).by_id

    same = [name for name, session in after.items() if session is before.get(name)]
    assert sorted(after[name].first_prompt for name in same) == ["first of 2", "second of 2"]


def written(member: int, changes: int = 0, **notes: str) -> WriteMarks:
    """Say what a request has found: of whose sessions the member has notes, among others."""
    by_owner = {OWNERS[name]: mark for name, mark in notes.items()}
    return WriteMarks(member, (SHARED,), changes, "prices and names", by_owner)


OWNERS: Final = {"anna": ANNA, "bert": BERT}
NOTE: Final = """
INSERT INTO note (viewer, owner, session_id, title, text, changed_at)
SELECT 3, owner, id, 'what Carl calls it', 'what Carl thinks of it', '2026-11-15' FROM session
WHERE owner = 1 AND title LIKE 'first%'"""


def test_who_sees_the_same_has_the_same_list(team: Team) -> None:
    shared = SharedLists()
    with team.viewed(CARL) as carl, team.viewed(DORA) as dora:
        read = CatalogueReader(shared).read(carl, written(CARL))
        taken = CatalogueReader(shared).read(dora, written(DORA))
        afresh = CatalogueReader().read(dora)

    assert taken is read
    assert taken == afresh


def test_nothing_that_a_member_keeps_to_themselves_is_in_the_list_of_others(team: Team) -> None:
    shared = SharedLists()
    team.move(ANNA, SessionBuilder("first1").session_id, HIDDEN)
    team.run(NOTE.replace("first", "second"))
    with team.viewed(ANNA, HIDDEN) as anna, team.viewed(CARL) as carl, team.viewed(DORA) as dora:
        hers = CatalogueReader(shared).read(anna, written(ANNA))
        noted = CatalogueReader(shared).read(carl, written(CARL, anna="one note"))
        plain = CatalogueReader(shared).read(dora, written(DORA))
        afresh = CatalogueReader().read(dora)

    assert plain == afresh
    assert [len(one.sessions) for one in (hers, noted, plain)] == [4, 3, 3]
    assert {one.title for one in noted.sessions} > {"what Carl calls it"}
    assert not [one for one in plain.sessions if "Carl" in f"{one.title} {one.note}"]


def test_a_note_that_is_written_meanwhile_is_in_the_list_of_nobody_else(team: Team) -> None:
    shared = SharedLists()
    with team.viewed(CARL) as carl, team.viewed(DORA) as dora:
        before = written(CARL)
        team.run(NOTE)
        CatalogueReader(shared).read(carl, before)
        seen = CatalogueReader(shared).read(dora, written(DORA))

    assert not [one for one in seen.sessions if one.title == "what Carl calls it"]


def test_what_is_taken_back_is_gone_for_all_at_their_next_request(team: Team) -> None:
    shared, carls = SharedLists(), CatalogueReader()
    with team.viewed(CARL) as carl, team.viewed(DORA) as dora:
        doras = CatalogueReader(shared)
        CatalogueReader(shared).read(carl, written(CARL))
        doras.read(dora, written(DORA))
        take_back(team)
        after = doras.read(dora, written(DORA, changes=1))
        afresh = carls.read(carl)

    assert after == afresh
    assert len(after.sessions) == 3


def test_a_list_is_not_read_again_while_nobody_writes(team: Team) -> None:
    kept = CatalogueReader(SharedLists())
    with team.viewed(CARL) as carl:
        before = kept.read(carl, written(CARL))
        # Nothing in the request says that anybody has written.
        grow(team)
        same = kept.read(carl, written(CARL))
        after = kept.read(carl, written(CARL, changes=1))

    assert same is before
    assert after.version != before.version
