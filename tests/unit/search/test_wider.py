"""What is offered for a query that finds next to nothing."""

import datetime as dt
from pathlib import Path

import pytest

from clew.archive import open_archive
from clew.search import parse_query, wider_queries
from clew.search.wider import query_of_any_word, query_of_options
from tests.build import SessionBuilder

NOW = dt.datetime(2026, 11, 18, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("retry bug", "retry OR bug"),
        (
            "why did we decide to use machine id instead of user id?",
            "decide OR machine OR id OR user",
        ),
        ('the "connection reset" uplo*', '"connection reset" OR uplo*'),
        ("retry bug tool:Bash -is:error", "(retry OR bug) tool:Bash -is:error"),
        ("retry the -flaky", "retry -flaky"),
        ('retry -"gives up" bug', '(retry OR bug) -"gives up"'),
        ('retry project:"my app" bug /a b/i', '(retry OR bug) project:"my app" /a b/i'),
        ("retry AND bug", "retry OR bug"),
        # There is nothing less strict to ask for.
        ("retry", ""),
        ("retry tool:Bash", ""),
        ("what is this", ""),
        ("retry OR bug", ""),
        ("(retry OR bug) upload", ""),
        ('"retry bug"', ""),
        ('retry "bug', ""),
        ("", ""),
    ],
)
def test_any_of_the_words_that_say_something(query: str, expected: str) -> None:
    assert query_of_any_word(query) == expected
    if expected:
        parse_query(expected, now=NOW)


def test_everywhere_is_offered_unless_the_query_says_where() -> None:
    assert list(wider_queries("retry")) == [("everywhere", "retry in:all")]
    assert list(wider_queries("retry in:prompts")) == []
    assert list(wider_queries("retry is:error")) == []
    assert list(wider_queries("retry -is:error")) == [("everywhere", "retry -is:error in:all")]
    assert list(wider_queries(" ")) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ls -la", 'ls "-la"'),
        ("rm -rf is:error -it", 'rm "-rf" is:error "-it"'),
        ("claude -p", ""),
        ("retry", ""),
        ('retry -"two words" -(a OR b) -tool:Bash', ""),
        ('"open', ""),
    ],
)
def test_words_that_are_left_out_can_be_looked_for(query: str, expected: str) -> None:
    assert query_of_options(query) == expected
    if expected:
        parse_query(expected, now=NOW)


def test_an_option_of_a_command_is_found(tmp_path: Path) -> None:
    session = SessionBuilder().user("Run claude -p and ls -la.").assistant("A map of claude.")
    session.write(tmp_path / "claude")
    with open_archive(tmp_path / "home") as archive:
        archive.sync([tmp_path / "claude"])
        found = [hit.snippet.text for hit in archive.search("claude -p", now=NOW).hits]
        left_out = archive.search("run -la", now=NOW)
        (offered, *_) = archive.wider_searches(left_out, now=NOW)

    assert found == ["Run claude -p and ls -la."]
    assert (left_out.total, offered.kind, offered.query) == (0, "as_text", 'run "-la"')
    assert offered.total == 1


def test_only_what_finds_more_is_offered(tmp_path: Path) -> None:
    session = SessionBuilder().user("The lantern is dim.").tool("Bash", {"command": "ls"}, "crate")
    session.assistant("A bright harbour.").write(tmp_path / "claude")
    with open_archive(tmp_path / "home") as archive:
        archive.sync([tmp_path / "claude"])

        def offered(query: str) -> dict[str, tuple[str, int]]:
            found = archive.search(query, now=NOW)
            return {
                one.kind: (one.query, one.total) for one in archive.wider_searches(found, now=NOW)
            }

        assert offered("lantern harbour") == {"any_word": ("lantern OR harbour", 2)}
        assert offered("crate") == {"everywhere": ("crate in:all", 1)}
        assert offered("why is there no zeppelin") == {}
