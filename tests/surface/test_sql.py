"""`clew sql`: what can be asked, and what cannot be done."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from clew.archive import open_archive
from clew.cli import main
from clew.cli.sql_table import fit_widths
from clew.store import descriptions
from tests.build import Call, SessionBuilder, bash
from tests.surface.running import on_terminal, run

SCHEMA = Path(__file__).parents[2] / "docs" / "schema.md"
EXAMPLES = re.findall(r"^```sql\n(.*?)^```$", SCHEMA.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def root(machine: Path) -> Path:
    """Give a root with a session in the archive."""
    session = SessionBuilder("one").user("Fix the retry bug").tools(bash("ls", "a\nb"))
    session.assistant("Done.").write(machine)
    return machine


@pytest.fixture
def rows(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Ask, and give the rows."""

    def ask(query: str) -> Any:
        assert main(["sql", query, "--json"]) == 0
        found = json.loads(capsysbinary.readouterr().out)
        assert found["schema"] == "clew.sql/1"
        return found["rows"]

    return ask


def test_rows_come_by_the_names_of_their_columns(rows: Any) -> None:
    assert rows("SELECT title, tool_call_count AS calls FROM session") == [
        {"title": "Fix the retry bug", "calls": 1}
    ]


def test_columns_of_one_name_are_told_apart(rows: Any) -> None:
    assert rows("SELECT 1 AS x, 2 AS x, x'ff' AS y") == [{"x": 1, "x_2": 2, "y": "ff"}]


def test_a_name_that_tells_columns_apart_is_not_one_that_is_there(rows: Any) -> None:
    assert rows("SELECT 1 AS a, 2 AS a_2, 3 AS a") == [{"a": 1, "a_2": 2, "a_3": 3}]


def test_bytes_that_are_no_text_are_refused_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT CAST(x'ff' AS TEXT)"]) == 2
    assert "use hex(x), or uuid(x) for ids" in capsys.readouterr().err


def test_ids_of_entries_are_printed_and_found(rows: Any) -> None:
    uuid = SessionBuilder("one").user("Fix the retry bug").draft.last_uuid

    found = rows(f"SELECT uuid(uuid) AS id FROM entry WHERE uuid = uuid_bytes('{uuid}')")  # noqa: S608

    assert found == [{"id": uuid}]


def test_words_are_found_by_the_index(rows: Any) -> None:
    query = (
        "SELECT bm25(prose_text) < 0 AS is_ranked FROM prose_text WHERE prose_text MATCH 'retry'"
    )

    assert rows(query) == [{"is_ranked": 1}]


def test_names_of_a_with_clause_can_be_counted(rows: Any) -> None:
    query = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 9)"

    assert rows(f"{query} SELECT count(*) AS n FROM r") == [{"n": 9}]  # noqa: S608


def test_csv_quotes_what_a_sheet_might_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT '=1+1' AS a, -5 AS b, NULL AS c, 'x,y' AS d", "--csv"]) == 0

    found = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert found == [["a", "b", "c", "d"], ["'=1+1", "-5", "", "x,y"]]


def test_a_query_is_read_from_stdin(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT 6 * 7 AS answer\n"))

    assert main(["sql", "-"]) == 0
    assert capsys.readouterr().out == "answer\n    42\n"


def test_a_table_is_cut_to_the_terminal_and_whole_elsewhere() -> None:
    query = "SELECT printf('%.*c', 200, 'x') AS long, 'short' AS other, 1 AS n"

    shown = on_terminal("sql", query).splitlines()
    piped = run("sql", query).out.splitlines()

    assert max(map(len, shown[1:])) <= 80
    assert shown[1].endswith("…  short  1")
    assert piped[1].startswith("x" * 200)


def test_hostile_text_does_not_reach_the_terminal() -> None:
    shown = on_terminal("sql", "SELECT char(27) || ']0;title' || char(7) || 'a' AS x")

    assert "\x1b]" not in shown


def test_failed_commands_are_found_by_their_input(machine: Path, rows: Any) -> None:
    failed = Call("Bash", {"command": "make " + "x" * 9_000}, "Exit code 2\nno", error=True)
    SessionBuilder("two").user("Build").tools(failed).write(machine)

    query = "SELECT input ->> 'command' AS c FROM tool_call WHERE tool = 'Bash'"
    assert rows(f"{query} AND status = 'failed'") == [{"c": "make " + "x" * 9_000}]
    assert rows("SELECT exit_code FROM command WHERE status = 'failed'") == [{"exit_code": 2}]


def test_values_of_a_damaged_file_are_null_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["sync"])
    [blob] = (tmp_path / "home").rglob("*.jsonl.*")
    blob.write_bytes(b"")
    capsys.readouterr()

    assert main(["sql", "SELECT input FROM tool_call", "--no-sync", "--csv"]) == 1

    out, err = capsys.readouterr()
    assert out == 'input\n""\n'
    assert f"a kept file cannot be read ({blob.parent.name}" in err or blob.stem in err
    assert "run `clew archive verify`" in err


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("DELETE FROM session", "cannot delete from session; queries are read-only"),
        ("UPDATE session SET title = ''", "cannot update session"),
        ("INSERT INTO project (path, name) VALUES ('a', 'a')", "cannot insert into project"),
        ("DROP TABLE session", "cannot change tables, views or indexes"),
        ("CREATE TEMP TABLE t (x)", "cannot change tables, views or indexes"),
        ("ATTACH 'other.db' AS other", "cannot open other databases (ATTACH); use `clew export"),
        (
            "PRAGMA journal_mode = DELETE",
            "the pragma journal_mode is not allowed; only PRAGMA table_info",
        ),
        ("SELECT load_extension('x')", "the function load_extension() is not allowed"),
        ("SELECT * FROM dbstat", "cannot read dbstat; `clew sql --schema` lists"),
        ("BEGIN IMMEDIATE", "transactions are not allowed"),
        ("SELECT * FROM sessions", "no such table: sessions; did you mean session?"),
        ("SELECT titel FROM session", "no such column: titel; did you mean title?"),
        ("SELECT title FROM entry", "no such column: title; `clew sql --schema` lists"),
        ("SELECT tool_imput(1, 2)", "no such function: tool_imput; did you mean tool_input?"),
        ("SELECT * FROM zzzzzz", "no such table: zzzzzz; `clew sql --schema` lists"),
    ],
)
def test_a_refusal_says_what_was_refused_and_what_to_do(
    query: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", query]) == 2

    err = capsys.readouterr().err
    assert reason in err
    assert "not authorized" not in err


def plain(shown: str) -> str:
    """Take the colours out of what a terminal was sent."""
    return re.sub(r"\x1b\[\d*m", "", shown)


def test_columns_without_room_stand_below_each_other() -> None:
    shown = plain(on_terminal("sql", "SELECT * FROM tool_call")).splitlines()
    piped = run("sql", "SELECT * FROM tool_call").out.splitlines()

    assert max(map(len, shown)) <= 80
    assert "tool                    Bash" in [line.rstrip() for line in shown]
    assert len(piped) == 2


def test_long_values_below_each_other_are_cut_with_a_hint() -> None:
    columns = ", ".join(f"printf('%.*c', 200, 'x') AS column_{number}" for number in range(9))
    shown = plain(on_terminal("sql", f"SELECT {columns}")).splitlines()

    assert shown[0] == "column_0  " + "x" * 69 + "…"
    assert shown[-1] == "Long values are cut (`--json` or `--csv` for complete ones)"


def test_the_schema_is_explained_without_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "nothing"))

    assert main(["sql", "--schema"]) == 0

    out = capsys.readouterr().out
    tables = re.findall(r"^(\w+)$", out, re.MULTILINE)
    assert tables == [*descriptions().tables, "functions"]
    assert "    exit_code      Exit code, if the result contains it" in out
    assert max(map(len, out.splitlines())) <= 80
    assert not (tmp_path / "nothing").exists()


def test_one_table_is_explained_and_a_wrong_name_corrected(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["sql", "--schema", "todo"]) == 0
    assert capsys.readouterr().out.startswith("todo\n  A to-do item")
    assert main(["sql", "--schema", "todos"]) == 2
    assert "did you mean todo?" in capsys.readouterr().err


def test_the_schema_comes_as_json(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["sql", "--schema", "edit", "--json"]) == 0

    found = json.loads(capsysbinary.readouterr().out)
    assert [table["name"] for table in found["tables"]] == ["edit"]
    assert found["tables"][0]["columns"][0] == {"name": "session_key", "about": "session.key."}
    assert found["functions"][0]["name"] == "tool_input(session_key, call_id)"


def test_a_query_or_the_schema_must_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql"]) == 2
    assert (
        "missing QUERY; use - to read it from stdin, or --schema to list the tables"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM session",
        "UPDATE session SET title = ''",
        "INSERT INTO project (path, name) VALUES ('a', 'a')",
        "DROP TABLE session",
        "CREATE TEMP TABLE t (x)",
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'copy.db'",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA query_only = 0",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT * FROM dbstat",
        "INSERT INTO prose_text (prose_text) VALUES ('rebuild')",
        "BEGIN IMMEDIATE",
        "SELECT 1; DELETE FROM session",
        "SELECT nonsense",
        "SELEC",
        "",
    ],
)
def test_what_does_not_only_read_is_refused(
    query: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    main(["sync"])
    before = (tmp_path / "home" / "archive.db").read_bytes()
    capsys.readouterr()

    assert main(["sql", query, "--no-sync"]) == 2

    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("clew: cannot run the query: ")
    assert (tmp_path / "home" / "archive.db").read_bytes() == before
    assert not list(tmp_path.glob("*.db"))


def test_sqlite_s_own_words_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT * FROM sessions"]) == 2
    assert "no such table: sessions" in capsys.readouterr().err


def test_a_query_that_takes_too_long_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r"

    assert main(["sql", endless, "--timeout", "0.1"]) == 1
    assert "timed out after 0.1 s" in capsys.readouterr().err


def test_too_long_a_text_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT zeroblob(500000000)"]) == 2
    assert "too big" in capsys.readouterr().err


def test_two_forms_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT 1", "--json", "--csv"]) == 2
    assert "cannot be combined" in capsys.readouterr().err


def test_the_widest_columns_give_room_first() -> None:
    assert fit_widths([4, 50, 30], 60) == [4, 26, 26]
    assert fit_widths([9, 9, 9], 10) == [8, 8, 8]


@pytest.mark.parametrize("query", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_of_the_documentation_runs(query: str) -> None:
    assert main(["sql", query]) == 0


def test_every_table_and_column_is_documented() -> None:
    main(["sync"])
    with open_archive() as archive:
        names = "SELECT m.name, c.name FROM pragma_table_list AS m, pragma_table_xinfo(m.name) AS c"
        where = (
            "WHERE m.type <> 'shadow' AND m.name NOT LIKE 'sqlite%' AND c.hidden <> 1"
            " AND m.name NOT LIKE '%_words' AND m.schema IN ('main', 'temp')"
        )
        found = set(archive.query(f"{names} {where}").rows)

    described = {
        (name, column) for name, table in descriptions().tables.items() for column in table.columns
    }
    assert found == described
