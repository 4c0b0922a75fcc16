"""Texts as vectors: every word with its position, in parts that PostgreSQL can hold whole."""

import psycopg
import pytest

from clew.store.postgres.vectors import MOST_WORDS, OVERLAP, to_lexeme, to_lexemes, to_parts
from clew.store.tokenizer import tokenize


def sequence(connection: psycopg.Connection, vector: str) -> list[str]:
    """Give the words of a vector in the order of their positions."""
    rows = connection.execute("SELECT lexeme, positions FROM unnest(%s::tsvector)", [vector])
    return [word for _, word in sorted((at, word) for word, places in rows for at in places)]


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["one"], 1),
        (["the", "quick", "brown", "fox", "and", "the", "lazy", "dog"], 1),
        ([f"w{number}" for number in range(MOST_WORDS)], 1),
        ([f"w{number}" for number in range(MOST_WORDS + 1)], 2),
        (["same"] * 255, 1),
        (["same"] * 256, 2),
        (["so", "so", "la"] * 1000, 9),
        ([f"{number}" + "x" * 1800 for number in range(1000)], 11),
        (["日", "本", "語", "é", "ß", "👍"], 1),
    ],
)
def test_no_word_and_no_position_is_lost(postgres_url: str, words: list[str], count: int) -> None:
    parts = list(to_parts(words))
    with psycopg.connect(postgres_url) as connection:
        found = [sequence(connection, part.vector) for part in parts]

    assert len(parts) == count
    for part, own in zip(parts, found, strict=True):
        assert own == words[part.first_word : part.first_word + len(own)]
    assert parts[0].first_word == 0
    assert parts[-1].first_word + len(found[-1]) == len(words)
    assert [part.is_whole for part in parts] == [count == 1] * count


def test_parts_repeat_the_last_words_of_those_before_them() -> None:
    words = [f"w{number}" for number in range(3 * MOST_WORDS)]

    first, second, *_ = to_parts(words)

    assert second.first_word == first.first_word + MOST_WORDS - OVERLAP


def test_a_text_without_words_has_no_parts() -> None:
    assert list(to_parts([])) == []


def test_a_long_word_is_its_beginning_and_a_checksum(postgres_url: str) -> None:
    long, other = "日" * 3000, "日" * 2999 + "本"

    found = to_lexemes(["short", long, other])

    assert found == ["short", to_lexeme(long), to_lexeme(other)]
    assert len({*found}) == 3
    [part] = to_parts(found)
    with psycopg.connect(postgres_url) as connection:
        assert sequence(connection, part.vector) == found


def test_words_are_those_of_fts5() -> None:
    assert tokenize("Red-Apple Äpfel x1 日 C# 👍 don't") == [
        "red", "apple", "apfel", "x1", "日", "c", "👍", "don", "t"
    ]  # fmt: skip
