"""Statements by their names, with their parts in their places."""

import re

import apsw
import pytest

from clew.store.queries import statement, statements
from clew.store.sqlite import migrate

LISTS = [name for name in statements() if name.startswith("list_")]


def test_no_part_is_left_out() -> None:
    left = {name: re.findall(r"[{}]", text) for name, text in statements().items()}

    assert {name: found for name, found in left.items() if found} == {}


def test_what_several_statements_ask_is_told_once() -> None:
    asked = statement("is_of_session").removesuffix(";")

    assert len(LISTS) > 4
    assert all(asked in statement(name) for name in LISTS)


@pytest.mark.parametrize("name", [*LISTS, "tool_stats", "tool_sessions", "count_calls_since"])
def test_a_statement_is_one_that_the_database_understands(name: str) -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    values = {**dict.fromkeys(re.findall(r":([a-z_]+)", statement(name))), "limit": 1}

    found = connection.execute(statement(name), values).fetchall()

    assert len(found) <= 1
