"""What a viewer sees: what an archive without anybody else's sessions shows, and nothing more."""

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest

from clew.analytics import FilterSet
from clew.archive import Archive
from clew.errors import SessionNotFoundError
from clew.store import Home, Order
from clew.store.location import address_of, open_index
from clew.store.postgres import (
    NoReaderRoleError,
    NoScopesError,
    ScopedDatabase,
    Viewer,
    open_postgres,
    open_postgres_for_writing,
)
from clew.store.postgres.connection import connect, pool
from clew.store.postgres.scoped_database import ReadOnlyViewerError
from clew.store.postgres_location import PostgresLocation
from clew.store.queries import statements
from tests.build import SessionBuilder, Usage, bash, edit
from tests.contract.answers import answers
from tests.postgres_server import PostgresServer
from tests.unit.store.test_postgres_statements import EXPLAINED

pytestmark = pytest.mark.slow

NOW: Final = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
# Only who writes prices runs it.
WRITERS: Final = ("calls_to_price", "digests_of_changed_sessions")
OWNERS: Final = {"anna": (1, 11), "bert": (2, 12)}


def sessions(name: str) -> Iterator[SessionBuilder]:
    """Give sessions of an owner; of one, both have the id, the answers and the directory."""
    for number in range(3):
        session = SessionBuilder(f"{name}{number}", cwd=f"/home/{name}/code", branch=f"{name}-fix")
        session.at(f"2026-11-0{number + 1}T09:00:00Z").user(f"{name} wants the secret of number")
        session.tools(bash(f"cat {name}.txt", f"secret of {name} " * 60))
        session.tools(edit(f"/home/{name}/code/{name}.py", "x", "x", "y"))
        session.agent("Look", f"Look at {name}", lambda run: run.assistant(f"Seen by {name}."))
        yield session.assistant(f"Done for {name}.", usage=Usage(100, 20))
    shared = SessionBuilder("shared", cwd="/srv/shared").at("2026-11-05T09:00:00Z")
    yield shared.user(f"A shared id, by {name}").assistant("Yes.", usage=Usage(10, 2))


@pytest.fixture(scope="module")
def team(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[tuple[str, Path]]:
    """Give the address of a database and the folder of blobs, with the sessions of two owners."""
    folder, url = tmp_path_factory.mktemp("team"), postgres_server.make_database()
    for name, (owner, scope) in OWNERS.items():
        for session in sessions(name):
            session.write(folder / name)
        with Archive(PostgresLocation(url, str(folder / f"blobs-{name}"), owner)) as archive:
            archive.sync([folder / name], now=NOW, workers=1)
        database = open_postgres_for_writing(url, owner)
        with database.transaction():
            for session in sessions(name):
                database.move_session(session.session_id, scope)
        database.close()
    yield url, folder
    postgres_server.drop_database(url)


def viewed(team: tuple[str, Path], name: str, *scopes: int) -> Archive:
    """Open the archive as somebody sees it."""
    owner, scope = OWNERS[name]
    return Archive(
        PostgresLocation(team[0], str(team[1] / f"blobs-{name}"), owner, scopes or (scope,))
    )


@pytest.mark.parametrize("name", OWNERS)
def test_a_viewer_sees_what_an_archive_of_their_own_shows(
    team: tuple[str, Path], name: str, tmp_path: Path
) -> None:
    own = Archive(Home(tmp_path / "own"))
    own.sync([team[1] / name], now=NOW, workers=1)

    with own, viewed(team, name) as archive:
        expected = answers(own, tmp_path / "expected")
        found = answers(archive, tmp_path / "found")

    assert [key for key in expected if found.get(key) != expected[key]] == []
    assert found.keys() == expected.keys()


@pytest.mark.parametrize(
    "query",
    [
        "secret in:all",
        "anna OR bert in:all",
        "/se.ret/ in:all",
        "in:files py",
        "Done",
        "in:titles secret",
    ],
)
def test_a_viewer_finds_only_what_is_theirs(team: tuple[str, Path], query: str) -> None:
    names = {}
    for name in OWNERS:
        with viewed(team, name) as archive:
            names[name] = archive.search(query, now=NOW, limit=500).hits

    assert len(names["anna"]) == len(names["bert"]) > 0
    for name, hits in names.items():
        assert all(name in hit.project or name in hit.snippet.text for hit in hits)


def test_who_has_both_scopes_sees_both(team: tuple[str, Path]) -> None:
    with viewed(team, "anna", 11, 12) as archive:
        everything = archive.sessions(FilterSet(), Order(with_hidden=True))
        assert len(list(everything)) == 8
        assert archive.search("secret in:prompts", now=NOW).total == 6


def test_anothers_session_is_not_there(team: tuple[str, Path]) -> None:
    [other, *_] = sessions("bert")
    with viewed(team, "anna") as archive:
        for ask in (archive.conversation, archive.session_version, archive.find_session):
            with pytest.raises(SessionNotFoundError):
                ask(other.session_id)
        assert archive.session_files(other.session_id) == []


def test_no_scopes_are_an_error(team: tuple[str, Path]) -> None:
    url, folder = team

    with (
        pytest.raises(NoScopesError),
        Archive(PostgresLocation(url, str(folder), 1, ())) as archive,
    ):
        archive.sessions()


def read(table: str) -> bytes:
    return f"SELECT * FROM {table}".encode()  # noqa: S608 (a name of ours)


@pytest.mark.parametrize("table", ["session", "search_text", "source_file", "project", "frame"])
def test_the_role_reads_views_alone_and_only_with_scopes(
    team: tuple[str, Path], table: str
) -> None:
    with connect(team[0]) as connection:
        connection.execute("SET ROLE clew_reader")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(read(f"public.{table}"))
        with pytest.raises(psycopg.errors.UndefinedObject):
            connection.execute(read(f"clew_scoped.{table}"))
        connection.execute("SELECT set_config('clew.scopes', '', false)")
        with pytest.raises(psycopg.errors.InvalidTextRepresentation):
            connection.execute(read(f"clew_scoped.{table}"))


# What only the owner of a laptop, or the team server itself, reads.
LAPTOP_TABLES = (
    "root_id",
    "pushed_file",
    "pushed_piece",
    "secret_mark",
    "pulled_session",
    "digest_call",
    "line_authors",
)
SERVER_TABLES = (
    "organisation",
    "team_project",
    "project_member",
    "scope",
    "device",
    "credential",
    "device_request",
    "share_link",
    "audit_event",
    "consent",
    "pushed_frame",
    "member_storage",
    "received_file",
    "received_frame",
    "doomed_object",
)


def test_every_table_is_a_view_or_hidden(team: tuple[str, Path]) -> None:
    with connect(team[0]) as connection:
        rows = connection.execute(
            "SELECT relkind, relname FROM pg_class WHERE NOT relispartition"
            " AND (relnamespace = 'clew_scoped'::regnamespace AND relkind = 'v'"
            "   OR relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p'))"
        ).fetchall()
    views = {name for kind, name in rows if kind == "v"}
    tables = {name for kind, name in rows if kind != "v"}

    assert tables - views == {"vocabulary", *LAPTOP_TABLES, *SERVER_TABLES}
    assert views <= tables


def test_a_viewer_writes_nothing(team: tuple[str, Path]) -> None:
    with viewed(team, "anna") as archive:
        database = open_index(archive.location).database
        for ask in (database.transaction, database.check, lambda: database.run("commit")):
            with pytest.raises(ReadOnlyViewerError):
                ask()
        with pytest.raises(ReadOnlyViewerError):
            archive.sync([team[1] / "anna"], now=NOW)
        with pytest.raises(ValueError, match="viewer"):
            address_of(archive.location)
        database.close()


def test_the_next_user_of_a_connection_sees_everything_again(team: tuple[str, Path]) -> None:
    database = open_index(viewed(team, "anna").location).database
    with pytest.raises(psycopg.errors.SyntaxError):
        database.rows("rows_of_table")
    database.close()

    other = open_postgres(team[0])
    assert len(list(other.rows("search_titles", {"most": 99}))) == 8
    other.close()


def test_a_viewer_whose_connection_was_lost_gets_another(team: tuple[str, Path]) -> None:
    database = open_postgres(team[0]).scoped(Viewer((11,)))
    idle = pool.take(team[0])
    pool.give(team[0], idle)
    idle.close()

    assert len(list(database.rows("search_titles", {"most": 99}))) == 4
    database.close()


def test_the_index_is_used_for_viewers(team: tuple[str, Path]) -> None:
    with connect(team[0]) as connection:
        connection.execute(
            "INSERT INTO search_text (block_id, session_key, kind, first_word, words, scope_id)"
            " SELECT n, n, 'prose', 0, to_tsvector('simple', 'filler ' || n), 13"
            " FROM generate_series(1000000, 1020000) AS n"
        )
        connection.execute("ANALYZE search_text")
        database = ScopedDatabase(connection, 0, Viewer((11, 12)))
        with database.snapshot():
            plan = connection.execute(
                "EXPLAIN SELECT block_id FROM search_text"
                " WHERE kind = 'prose' AND words @@ '''secret'''::tsquery LIMIT 10001"
            ).fetchall()

    assert "Bitmap Index Scan on search_text_prose_words_idx" in str(plan)


def test_a_user_without_the_role_learns_what_to_do(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    with connect(postgres_url) as connection:
        connection.execute("DROP ROLE IF EXISTS plain")
        connection.execute("CREATE ROLE plain LOGIN")
        connection.execute("CREATE SCHEMA plain AUTHORIZATION plain")
    name = postgres_url.partition("@/")[2].partition("?")[0]
    database = open_postgres_for_writing(postgres_server.url(name, "plain"))

    with pytest.raises(NoReaderRoleError, match='GRANT clew_reader TO "plain"'):
        database.scoped(Viewer((1,)))
    database.close()


def test_statements_run_unchanged_for_viewers(team: tuple[str, Path]) -> None:
    index = open_index(viewed(team, "anna").location)
    failed = {}
    for name in EXPLAINED:
        text = statements("postgres")[name]
        is_read = text.startswith(("SELECT", "WITH")) and "$name" not in text
        if is_read and name not in WRITERS and not any(each in text for each in LAPTOP_TABLES):
            values = dict.fromkeys(re.findall(r"%\((\w+)\)s", text))
            try:
                index.database.rows(name, values)
            except psycopg.Error as error:
                failed[name] = str(error)
    index.database.close()

    assert failed == {}
