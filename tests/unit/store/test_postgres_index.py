"""The index of PostgreSQL in steps, and what it writes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.store import IndexAll, IndexPhrase
from clew.store.postgres import PostgresIndex, open_postgres_for_writing
from clew.store.postgres.connection import connect
from clew.store.postgres.phrases import blocks_with_phrase
from tests.build import SessionBuilder
from tests.contract.backends import rows_of, write_sessions
from tests.contract.test_index import fail_half_way

APPLE = IndexPhrase("apple")


def talk(name: str, *prompts: str) -> SessionBuilder:
    session = SessionBuilder(name).at("2026-11-10T09:00:00Z").custom_title("-")
    for prompt in prompts:
        session.user(prompt)
    return session


@pytest.fixture
def index(postgres_url: str, tmp_path: Path) -> Iterator[PostgresIndex]:
    """Give an index with two sessions."""
    index = PostgresIndex(open_postgres_for_writing(postgres_url))
    sessions = [talk("one", "red apple", "red wine"), talk("two", "apple pie", "pear pie")]
    write_sessions(index, [rows_of(one, tmp_path / one.session_id) for one in sessions])
    yield index
    index.database.close()


def key_of(index: PostgresIndex, session: str) -> int:
    values = {"id": talk(session).session_id}
    return int(next(index.database.rows("session_key", values))[0])


def test_few_blocks_are_found_at_once_and_many_are_not(index: PostgresIndex) -> None:
    assert index.find_few("prose", APPLE, 2) == index.find("prose", APPLE)
    assert index.find_few("prose", APPLE, 1) is None
    assert index.find_few("prose", IndexPhrase("-"), 1) == []
    assert index.find_few("prose", IndexPhrase("plum"), 0) == []


def test_blocks_are_found_in_some_sessions(index: PostgresIndex) -> None:
    one, two = key_of(index, "one"), key_of(index, "two")

    assert index.find_in_sessions("prose", APPLE, [one, two]) == index.find("prose", APPLE)
    [block] = index.find_in_sessions("prose", APPLE, [two])
    assert index.session_key(block) == two
    assert index.find_in_sessions("prose", APPLE, []) == []


def test_some_blocks_are_examined(index: PostgresIndex) -> None:
    first, second = index.find("prose", APPLE)

    assert index.find_in_blocks("prose", APPLE, [first, second]) == [first, second]
    assert index.find_in_blocks("prose", IndexAll((APPLE,), (IndexPhrase("pie"),)), [first]) == [
        first
    ]
    assert index.find_in_blocks("prose", IndexPhrase("pie"), [first]) == []


def test_words_of_a_failed_transaction_are_added_by_the_next(
    index: PostgresIndex, tmp_path: Path
) -> None:
    rows = rows_of(talk("three", "goat cheese"), tmp_path / "three")
    with pytest.raises(ZeroDivisionError):
        fail_half_way(index.database, rows)
    assert index.words_with("prose", "hees") == ([], None)

    write_sessions(index, [rows])

    assert index.words_with("prose", "hees") == (["cheese"], None)


@pytest.mark.usefixtures("index")
def test_a_word_is_kept_once_for_all_texts_of_a_group(postgres_url: str, tmp_path: Path) -> None:
    other = PostgresIndex(open_postgres_for_writing(postgres_url))
    write_sessions(other, [rows_of(talk("four", "an apple a day"), tmp_path / "four")])
    other.database.close()

    with connect(postgres_url) as connection:
        words = connection.execute("SELECT word FROM search_word").fetchall()
    assert sorted(word for (word,) in words) == ["apple", "day", "pear", "pie", "red", "wine"]


def test_parts_of_words_are_found_without_the_extension(
    index: PostgresIndex, postgres_url: str
) -> None:
    with connect(postgres_url) as connection:
        connection.execute("DROP EXTENSION pg_trgm CASCADE")

    assert index.words_with("prose", "ppl") == (["apple"], None)


def test_parts_of_long_words_are_found(index: PostgresIndex, tmp_path: Path) -> None:
    long = "x" * 5_000 + "needle" + "y" * 5_000
    write_sessions(index, [rows_of(talk("long", long), tmp_path / "long")])

    [word], _ = index.words_with("prose", "needle")

    assert len(index.find("prose", IndexPhrase(word))) == 1
    assert index.find("prose", IndexPhrase(word + "z")) == []


def test_a_phrase_over_parts_is_found_by_positions() -> None:
    rows = [
        (7, 0, "a", [1, 3]),
        (7, 0, "b", [4]),
        (7, 3, "b", [1]),
        (7, 3, "cat", [2]),
        (8, 0, "a", [1]),
    ]

    assert blocks_with_phrase(["a", "b", "cat"], rows, is_prefix=False) == {7}
    assert blocks_with_phrase(["a", "b", "ca"], rows, is_prefix=True) == {7}
    assert blocks_with_phrase(["a", "b", "ca"], rows, is_prefix=False) == set()
    assert blocks_with_phrase(["b", "a"], rows, is_prefix=False) == set()


def test_texts_are_verified_once(index: PostgresIndex) -> None:
    names = [name for (name,) in index.database.rows("table_names")]

    assert [name for name in names if name.startswith("search_text")] == ["search_text"]
    assert index.database.check() == []
