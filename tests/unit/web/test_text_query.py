"""What is typed above the list of sessions."""

import datetime as dt

import pytest

from clew.web.text_query import make_matcher, read_text_query, select_ids

NOW = dt.datetime(2026, 11, 18, 12, tzinfo=dt.UTC)
IDS = {
    ("tool", "Bash"): frozenset("abc"),
    ("tool", "Edit"): frozenset("cd"),
    ("project", "cli"): frozenset("ad"),
    ("file", "x.py"): frozenset("a"),
}


def matches(text: str, row: str) -> bool:
    read = read_text_query(text, NOW)
    return read.expression is None or make_matcher(read.expression)(row.casefold())


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("", "anything", "found"),
        ("tess era", "Tessera builds", "found"),
        ("tess nothing", "Tessera builds", "not found"),
        ('"era builds"', "Tessera builds", "found"),
        ('"builds era"', "Tessera builds", "not found"),
        ("tess -builds", "Tessera builds", "not found"),
        ("nothing OR builds", "Tessera builds", "found"),
        ("(nothing OR era) builds", "Tessera builds", "found"),
        # What is no query is looked for as it is.
        ('builds "tess', 'Builds a "tess', "found"),
        ("/tess.*/ builds", "Tessera builds", "not found"),
    ],
)
def test_words_are_found_anywhere_in_a_row(text: str, row: str, expected: str) -> None:
    assert matches(text, row) == (expected == "found")


@pytest.mark.parametrize("text", ['one "two', "project:", "is:mended", "/re/", "-gone"])
def test_what_cannot_be_read_says_why(text: str) -> None:
    assert read_text_query(text, NOW).problem


@pytest.mark.parametrize(
    "text", ["", "  ", "one two", "is:running", "is:running is:error x", "-is:waiting"]
)
def test_what_can_be_read_has_no_problem(text: str) -> None:
    assert not read_text_query(text, NOW).problem


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("words", None, ""),
        ("tool:Bash", "abc", ""),
        ("tool:Bash tool:Edit", "abcd", ""),
        ("tool:Bash project:cli", "a", ""),
        ("-tool:Edit", None, "cd"),
        ("tool:Bash -tool:Edit file:x.py", "a", "cd"),
    ],
)
def test_filters_select_sessions(text: str, wanted: str | None, unwanted: str) -> None:
    filters = read_text_query(text, NOW).filters

    found = select_ids(filters, lambda name, value: IDS[name, value])

    assert found == (None if wanted is None else frozenset(wanted), frozenset(unwanted))


def test_states_are_of_the_list_alone() -> None:
    read = read_text_query("is:waiting -is:running x", NOW)

    assert (read.is_waiting, read.is_running) == (True, False)
    assert matches("is:waiting -is:running x", "x")
    assert "is:running or is:waiting" in read_text_query("is:live", NOW).problem
