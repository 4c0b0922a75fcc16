"""A viewer's archive: sessions of all owners in some scopes, each read as its owner's."""

import datetime as dt
from collections.abc import Iterator
from typing import Final

import pytest

from clew.analytics import digest
from clew.archive import Archive
from clew.errors import AmbiguousSessionError, SessionNotFoundError
from clew.server.viewer_archive import ViewerArchive
from clew.store import Order
from clew.store.postgres import open_postgres_for_writing
from clew.store.postgres.connection import connect
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, Usage, bash
from tests.postgres_server import PostgresServer

NOW: Final = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
ANNA, BERT, CARL = 1, 2, 3
PRIVATE: Final = {ANNA: 11, BERT: 12, CARL: 13}
SHARED: Final = 20
LONG: Final = "needle " + "filler " * 60_000 + "thimble"


def own(owner: int) -> SessionBuilder:
    """Give a session that only its owner sees."""
    session = SessionBuilder(f"own{owner}", cwd=f"/home/{owner}").user(f"private to {owner}")
    return session.assistant("Fine.", usage=Usage(10, 5))


def shared(owner: int) -> SessionBuilder:
    """Give a session for everybody, whose longest text is only in the archived bytes."""
    session = SessionBuilder(f"shared{owner}", cwd=f"/home/{owner}").user(f"shared by {owner}")
    session.tools(bash("cat long", LONG))
    return session.assistant("Done.", usage=Usage(100, 5))


def twin(owner: int) -> SessionBuilder:
    """Give a session for everybody, whose id is the same for every owner."""
    session = SessionBuilder("twin", cwd=f"/home/{owner}").user(f"twin of {owner}")
    return session.assistant("Yes.", usage=Usage(owner, 0))


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[PostgresLocation]:
    """Give an archive with the sessions of two owners; a third has none."""
    folder, url = tmp_path_factory.mktemp("viewers"), postgres_server.make_database()
    location = PostgresLocation(url, str(folder / "blobs"))
    for owner in (ANNA, BERT):
        for session in (own(owner), shared(owner), twin(owner)):
            session.write(folder / str(owner))
        with Archive(PostgresLocation(url, location.blobs, owner)) as archive:
            archive.sync([folder / str(owner)], now=NOW, workers=1)
        database = open_postgres_for_writing(url, owner)
        with database.transaction():
            database.move_session(own(owner).session_id, PRIVATE[owner])
            database.move_session(shared(owner).session_id, SHARED)
            database.move_session(twin(owner).session_id, SHARED)
        database.close()
    yield location
    postgres_server.drop_database(url)


@pytest.fixture
def anna(place: PostgresLocation) -> Iterator[ViewerArchive]:
    """Give the archive as Anna sees it."""
    with viewed(place, ANNA) as archive:
        yield archive


def viewed(place: PostgresLocation, member: int) -> ViewerArchive:
    scopes = (PRIVATE[member], SHARED)
    return ViewerArchive(PostgresLocation(place.database_url, place.blobs, scopes=scopes))


def test_lists_have_the_sessions_of_all_owners_in_the_scopes(anna: ViewerArchive) -> None:
    found = {session.first_prompt for session in anna.sessions(order=Order(with_hidden=True))}

    assert found == {"private to 1", "shared by 1", "shared by 2", "twin of 1", "twin of 2"}
    assert anna.usage().totals.model_calls == 7
    assert anna.search("shared in:prompts", now=NOW).total == 2
    assert anna.changes_of_owners().keys() == {ANNA, BERT}


def test_a_session_is_read_from_its_owners_files(anna: ViewerArchive) -> None:
    builder = shared(BERT)
    name = anna.find(builder.session_id).address

    for each in (builder.session_id, name):
        conversation = anna.conversation(each)
        assert conversation.session.id == builder.session_id
        assert anna.session_version(each) == anna.session_version(name)
        [file] = anna.session_files(each)
        whole = b"".join(anna.read_file(file))
        assert whole.splitlines()[0].decode() == anna.read_line(each, file.path, 0)
    assert [hit.session_id for hit in anna.search("thimble in:all", now=NOW).hits]


def test_an_ambiguous_id_has_candidates(anna: ViewerArchive) -> None:
    name = twin(ANNA).session_id
    with pytest.raises(AmbiguousSessionError, match="2 sessions have the id") as raised:
        anna.conversation(name)

    titles = [anna.conversation(key).session.title for key in raised.value.candidates]
    assert titles == ["twin of 1", "twin of 2"]
    listed = {session.id for session in anna.sessions()}
    assert set(raised.value.candidates) < listed
    assert name not in listed
    shapes = anna.shapes(listed)
    assert all(shapes[key] for key in raised.value.candidates)


def test_others_private_sessions_are_not_there(place: PostgresLocation) -> None:
    builder = own(ANNA)
    with viewed(place, ANNA) as archive:
        key = archive.find(builder.session_id).address
    for member in (BERT, CARL):
        with viewed(place, member) as archive:
            for name in (builder.session_id, key):
                for ask in (archive.conversation, archive.session_version, archive.session_files):
                    with pytest.raises(SessionNotFoundError):
                        ask(name)
            assert archive.search("private 1 in:all", now=NOW).total == 0


def test_sessions_are_read_whatever_prices_their_costs_rest_on(place: PostgresLocation) -> None:
    with connect(place.database_url) as connection:
        connection.execute("UPDATE price_table SET digest = 'earlier' WHERE owner = %s", (BERT,))
    try:
        with viewed(place, ANNA) as archive:
            assert archive.conversation(shared(BERT).session_id).messages
    finally:
        with connect(place.database_url) as connection:
            connection.execute("UPDATE price_table SET digest = %s", (digest(),))


def test_a_moved_session_has_another_version(place: PostgresLocation) -> None:
    name = shared(BERT).session_id
    with viewed(place, CARL) as archive:
        before, changes = archive.version(), archive.changes_of_owners()
        database = open_postgres_for_writing(place.database_url, BERT)
        try:
            with database.transaction():
                database.move_session(name, PRIVATE[BERT])
            assert archive.version() != before
            assert archive.changes_of_owners() != changes
            with pytest.raises(SessionNotFoundError):
                archive.session_version(name)
        finally:
            with database.transaction():
                database.move_session(name, SHARED)
            database.close()
        assert archive.version() == before
