"""Queries as `tsquery`, and what they find in texts of several parts."""

import pytest

from clew.store import IndexAll, IndexAny, IndexPhrase, IndexQuery
from clew.store.postgres.tsquery import find_in_parts, write_tsquery

A, B, C = (IndexPhrase(word) for word in "abc")
NONE = IndexPhrase("---")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (A, "('a')"),
        (IndexPhrase("Foo-Bar"), "('foo' <-> 'bar')"),
        (IndexPhrase("foo ba", is_prefix=True), "('foo' <-> 'ba':*)"),
        (IndexPhrase("ba --", is_prefix=True), "('ba':*)"),
        (IndexPhrase("a\" | !'b"), "('a' <-> 'b')"),
        (IndexAny((A, B)), "(('a') | ('b'))"),
        (IndexAll((A, B), (C,)), "(('a') & ('b') & !('c'))"),
        (NONE, None),
        (IndexAny((NONE, A)), "(('a'))"),
        (IndexAny((NONE, NONE)), None),
        (IndexAll((A, NONE)), None),
        (IndexAll((A,), (NONE,)), "(('a'))"),
    ],
)
def test_queries_are_written(query: IndexQuery, expected: str | None) -> None:
    assert write_tsquery(query) == expected


PARTS = {1: [{"a"}, {"b"}], 2: [{"a"}, {"c"}], 3: [{"b", "c"}, {"d"}]}


def find(text: str) -> set[int]:
    """Find blocks by one word, or by one of several."""
    words = set(text.replace("|", " ").translate(str.maketrans("", "", "()'")).split())
    return {block for block, parts in PARTS.items() if any(words & part for part in parts)}


def refuse(words: list[str], is_prefix: bool, blocks: set[int]) -> set[int]:  # noqa: FBT001
    raise AssertionError(words, is_prefix, blocks)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (A, {1, 2}),
        (NONE, set()),
        (IndexAny((A, B)), {1, 2, 3}),
        (IndexAll((A, B)), {1}),
        (IndexAll((A,), (B,)), {2}),
        (IndexAll((A,), (B, C)), set()),
        (IndexAll((IndexAny((A, B)), C)), {2, 3}),
        (IndexAny((IndexAll((A, B)), IndexAll((A, C)))), {1, 2}),
        (IndexAll((A,), (NONE,)), {1, 2}),
    ],
)
def test_words_may_be_in_different_parts(query: IndexQuery, expected: set[int]) -> None:
    assert find_in_parts(query, find, refuse) == expected


def test_phrases_longer_than_what_parts_share_are_checked() -> None:
    words = [f"w{number}" for number in range(40)]
    phrase = IndexPhrase(" ".join(words), is_prefix=True)
    asked: list[str] = []

    def find_beginning(text: str) -> set[int]:
        asked.append(text)
        return {1, 2}

    def check(wanted: list[str], is_prefix: bool, blocks: set[int]) -> set[int]:  # noqa: FBT001
        assert (wanted, is_prefix, blocks) == (words, True, {1, 2})
        return {2}

    assert find_in_parts(phrase, find_beginning, check) == {2}
    assert asked == ["(" + " <-> ".join(f"'{word}'" for word in words[:32]) + ")"]
