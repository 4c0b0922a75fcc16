"""Statements by their names, with their parts in their places."""

import re
from pathlib import Path

import apsw
import pytest

import clew
from clew.store.queries import statement, statement_on, statements
from clew.store.sqlite import migrate

LISTS = [name for name in statements() if name.startswith("list_")]


def test_no_part_is_left_out() -> None:
    left = {name: re.findall(r"[{}]", text) for name, text in statements().items()}

    assert {name: found for name, found in left.items() if found} == {}


def test_what_several_statements_ask_is_told_once() -> None:
    asked = statement("project_of_session").removesuffix(";")

    assert len(LISTS) > 4
    assert all(asked in statement(name) for name in LISTS)


@pytest.mark.parametrize("name", [*LISTS, "tool_stats", "tool_sessions", "count_calls_since"])
def test_a_statement_is_one_that_the_database_understands(name: str) -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    values = {**dict.fromkeys(re.findall(r":([a-z_]+)", statement(name))), "limit": 1}

    found = connection.execute(statement(name), values).fetchall()

    assert len(found) <= 1


def test_all_sql_is_in_sql_files() -> None:
    begins = re.compile(r"""["'](?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|WITH|BEGIN) """)
    source = Path(clew.__file__).parent

    found = [
        f"{path.relative_to(source)}: {line.strip()}"
        for path in source.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if begins.search(line) and "clew sql" not in line
    ]

    assert found == []


def test_a_statement_takes_the_name_of_a_table_and_nothing_else() -> None:
    assert statement_on("rows_of_table", "session") == "SELECT * FROM session;"
    with pytest.raises(ValueError, match="not the name of a table"):
        statement_on("rows_of_table", "session; DROP TABLE session")
