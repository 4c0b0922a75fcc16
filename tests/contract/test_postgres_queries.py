"""`clew sql` on PostgreSQL: what can be asked, and what cannot be done."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from clew.cli import main
from clew.store import QueryRefusedError, QueryTimeoutError, run_query
from clew.store.postgres import PostgresIndex, open_postgres_for_writing
from clew.store.postgres.errors import NoPermissionError
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash
from tests.contract.backends import rows_of, write_sessions
from tests.postgres_server import PostgresServer

ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r"


@pytest.fixture(scope="module")
def url(postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give a database with a session, of which a superuser may do everything."""
    url = postgres_server.make_database()
    session = SessionBuilder("one").user("Fix the retry bug").tools(bash("ls", "a\nb"))
    database = open_postgres_for_writing(url)
    write_sessions(PostgresIndex(database), [rows_of(session, tmp_path_factory.mktemp("root"))])
    database.close()
    yield url
    postgres_server.drop_database(url)


def ask(url: str, query: str) -> list[tuple[Any, ...]]:
    """Run a query."""
    return list(run_query(PostgresLocation(url, ""), query, 20).rows)


def test_values_are_numbers_bytes_and_text(url: str) -> None:
    found = run_query(
        PostgresLocation(url, ""),
        "SELECT 1 AS a, 2.5::numeric AS b, 3::numeric AS c, true AS d, '\\x00ff'::bytea AS e, "
        "'{\"k\": 1}'::json AS f, date '2026-11-14' AS g, ARRAY[1, 2] AS h, NULL AS i, "
        "'NaN'::numeric::text AS j, 'x%sy' AS a",
        20,
    )

    assert found.columns == (*"abcdefghij", "a")
    assert list(found.rows) == [
        (1, 2.5, 3, 1, b"\x00\xff", '{"k": 1}', "2026-11-14", "{1,2}", None, "NaN", "x%sy")
    ]


def test_rows_come_in_many_pieces(url: str) -> None:
    assert ask(url, "SELECT * FROM generate_series(1, 1000) AS n;") == [
        (n,) for n in range(1, 1001)
    ]


def test_ids_and_texts_have_functions(url: str) -> None:
    uuid = SessionBuilder("one").user("Fix the retry bug").draft.last_uuid

    assert ask(url, f"SELECT uuid(uuid) FROM entry WHERE uuid = uuid_bytes('{uuid}')") == [(uuid,)]  # noqa: S608
    assert ask(url, "SELECT tool_result(session_key, call_id) FROM tool_call") == [("a\nb",)]
    assert ask(url, "SELECT DISTINCT block_text(id) = text FROM block") == [(1,)]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("DELETE FROM session", "cannot delete rows; queries are read-only"),
        ("/* x */ UPDATE session SET title = ''", "cannot update rows"),
        ("INSERT INTO project (path, name) VALUES ('a', 'a')", "cannot insert rows"),
        ("DROP TABLE session", "cannot change tables, views or indexes"),
        ("CREATE TEMP TABLE t (x int)", "cannot change tables, views or indexes"),
        ("BEGIN", "transactions are not allowed"),
        ("COPY session TO PROGRAM 'cat'", "COPY is not allowed"),
        ("SET ROLE postgres", "SET is not allowed"),
        ("DO $$ BEGIN DELETE FROM session; END $$", "DO is not allowed"),
        ("SELECT 1 INTO pg_temp.t", "SELECT"),
        ("WITH x AS (DELETE FROM session RETURNING 1) SELECT * FROM x", "queries are read-only"),
        ("SELECT * FROM session FOR UPDATE", "queries are read-only"),
        ("SELECT 1; DELETE FROM session", "it has several statements; run one at a time"),
        ("SELECT 1) AS a; DELETE FROM session; SELECT (SELECT 1", 'syntax error at or near ")"'),
        ("SELECT 1) AS a CROSS JOIN (SELECT 2", 'syntax error at or near ")"'),
        ("SELECT pg_terminate_backend(pg_backend_pid())", "pg_terminate_backend() is not allowed"),
        ("SELECT set_config('role', 'none', false)", "set_config() is not allowed"),
        ("SELECT set_config('transaction_read_only', 'off', true)", "set_config() is not"),
        ("SELECT pg_read_file('/etc/passwd')", "pg_read_file() is not allowed"),
        ("SELECT lo_export(1, '/tmp/x')", "lo_export() is not allowed"),
        ("SELECT pg_notify('a', 'b')", "pg_notify() is not allowed"),
        ("SELECT pg_advisory_lock(1)", "pg_advisory_lock() is not allowed"),
        ("SELECT nextval('session_new_key_seq')", "nextval() is not allowed"),
        ("SELECT pg_sleep(100)", "pg_sleep() is not allowed"),
        ("SELECT query_to_xml('DELETE FROM session', true, true, '')", "query_to_xml() is not"),
        ("SELECT table_to_xml('pg_authid', true, true, '')", "table_to_xml() is not allowed"),
        ("SELECT * FROM (VALUES (1)) AS v, pg_ls_dir('/')", "pg_ls_dir() is not allowed"),
        (
            "SELECT 1 ORDER BY (SELECT pg_terminate_backend(1) LIMIT 1)",
            "pg_terminate_backend() is not allowed",
        ),
        ("SELECT rolpassword FROM pg_authid", "reading pg_authid is not allowed"),
        ("SELECT * FROM pg_stat_activity", "reading pg_stat_activity is not allowed"),
        ("SELECT * FROM session_new_key_seq", "reading session_new_key_seq is not allowed"),
        ("SELECT * FROM sessions", '"sessions" does not exist; did you mean session?'),
        ("SELECT titel FROM session", '"titel" does not exist; did you mean title?'),
        ("SELECT s.titel FROM session AS s", "did you mean title?"),
        ("SELECT tool_imput(1, 2)", "did you mean tool_input?"),
        ("SELECT raw_line(1, 2, 3)", "it needs an archive in a directory"),
        ("SELEC", 'syntax error at or near "SELEC"'),
        ("SELECT 1 /*", "unterminated /* comment"),
        ("SELECT 1 / 0", "division by zero"),
        ("  ;", "it is empty"),
    ],
)
def test_what_does_not_only_read_is_refused(url: str, query: str, reason: str) -> None:
    before = ask(url, "SELECT count(*), max(title) FROM session")

    with pytest.raises(QueryRefusedError, match=re.escape(reason)) as refused:
        ask(url, query)

    assert "\n" not in str(refused.value)
    assert ask(url, "SELECT count(*), max(title) FROM session") == before


def test_functions_with_effects_are_volatile(url: str) -> None:
    """Only what the server itself calls volatile is refused, so that must be all that acts."""
    acts = (
        "^lo_|^dblink|advisory|_(cancel|terminate)_|pg_(read|ls|stat|file)_(file|dir|binary)"
        "|pg_(reload|rotate|switch|promote|create|drop|notify|sleep)|^(set_config|nextval|setval)$"
        "|query_to|cursor_to|ts_stat|_reset|export_snapshot|emit_message|slot"
    )

    with psycopg.connect(url) as connection:
        kinds = connection.execute(
            "SELECT provolatile, count(*) FROM pg_proc WHERE proname ~ %s "
            "AND pronamespace = 'pg_catalog'::regnamespace AND proname !~ 'get_|acl|in$|out$' "
            "GROUP BY 1",
            (acts,),
        ).fetchall()

    assert [kind for kind, _ in kinds] == ["v"]
    assert kinds[0][1] > 80


def test_a_user_who_may_only_read_can_run_queries(url: str) -> None:
    reader = url.replace("postgres@", "query_reader@")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE query_reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO query_reader")
        try:
            assert ask(reader, "SELECT tool FROM command") == [("Bash",)]
            connection.execute("REVOKE SELECT ON session FROM query_reader")
            with pytest.raises(NoPermissionError, match="permission denied for table session"):
                ask(reader, "SELECT * FROM session")
        finally:
            connection.execute("DROP OWNED BY query_reader; DROP ROLE query_reader")


def test_the_command_prints_the_same_forms(
    url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("CLEW_ARCHIVE", url)
    monkeypatch.setenv("CLEW_BLOBS", str(tmp_path))
    query = "SELECT tool, 2.5 AS x, '=1' AS y, true AS x, '\\xff'::bytea AS b FROM tool_call"

    def printed(*arguments: str) -> str:
        assert main(["sql", *arguments, "--no-sync"]) == 0
        return capsys.readouterr().out

    assert printed(query) == "tool    x  y   x  b\nBash  2.5  =1  1  ff\n"
    assert printed(query, "--csv").splitlines()[1].startswith("Bash,2.5,'=1,1,")
    assert json.loads(printed(query, "--json"))["rows"] == [
        {"tool": "Bash", "x": 2.5, "y": "=1", "x_2": 1, "b": "ff"}
    ]
    assert main(["sql", "SELECT titel FROM session", "--no-sync"]) == 2
    assert "did you mean title?" in capsys.readouterr().err
    assert main(["sql", ENDLESS, "--timeout", "0.2", "--no-sync"]) == 1
    assert "timed out after 0.2 s" in capsys.readouterr().err


def test_a_viewer_cannot_run_queries(url: str) -> None:
    with pytest.raises(QueryRefusedError, match="this viewer may not see"):
        run_query(PostgresLocation(url, "", scopes=(0,)), "SELECT 1", 20)


def test_nothing_of_a_query_is_left(url: str) -> None:
    ask(url, "SELECT 1")

    with psycopg.connect(url) as connection:
        [(views,)] = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relname IN ('clew_query', 'session_total')"
        )
    assert views == 0


def test_a_query_that_takes_too_long_is_stopped(url: str) -> None:
    with pytest.raises(QueryTimeoutError, match=r"timed out after 0\.3 s"):
        run_query(PostgresLocation(url, ""), ENDLESS, 0.3)


def test_reading_slowly_takes_no_time_of_the_query(url: str) -> None:
    found = run_query(PostgresLocation(url, ""), "SELECT n FROM generate_series(1, 600) AS n", 1)
    time.sleep(1.2)

    assert len(list(found.rows)) == 600


def test_an_interrupted_query_is_cancelled(url: str, tmp_path: Path) -> None:
    asking = (
        "import sys; from clew.store import run_query; "
        "from clew.store.postgres_location import PostgresLocation; "
        "run_query(PostgresLocation(sys.argv[1], ''), sys.argv[2], 60)"
    )
    process = subprocess.Popen(  # noqa: S603 (ours)
        [sys.executable, "-c", asking, url, ENDLESS],
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env=os.environ,
    )
    with process, psycopg.connect(url, autocommit=True) as connection:
        running = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE 'FETCH%'"
        )
        wait_for(lambda: connection.execute(running.encode()).fetchone() == (1,))
        process.send_signal(signal.SIGINT)
        process.wait(20)
        wait_for(lambda: connection.execute(running.encode()).fetchone() == (0,))


def wait_for(condition: Any) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
