"""What regular expressions tell of the words that they match."""

import apsw
import pytest

from clew.search.language import Regex
from clew.search.narrowing import Clue, find_clues
from clew.store.sqlite import FullTextIndex, SqliteDatabase


def empty_index() -> FullTextIndex:
    return FullTextIndex(SqliteDatabase(apsw.Connection(":memory:")))


def all_clues(regex: Regex) -> list[list[str]]:
    found = find_clues(empty_index(), regex)
    return [[" ".join(clue.words) or clue.part for clue in clues] for clues in found]


def clues(regex: Regex) -> list[str]:
    return next(iter(all_clues(regex)), [])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("needle", ["needle"]),
        (r"\bneedle_\d+", ["needle"]),
        ("parseConfig", ["parse"]),
        ("time ?out", ["time"]),
        ("(connect|read)error", ["error"]),
        ("connect|read", ["connect", "read"]),
        ("connect|[0-9]+", []),
        ("connect|ab", []),
        (r"\d+", []),
        ("ERROR", []),
        ("(?=needle)n", []),
        ("日本語", ["日 本 語"]),
        ("日", ["日"]),
        ("[日本]", []),
        ("設定.*エラー", ["エ ラ ー"]),
        ("한국어 설정", ["한 국 어 설 정"]),
        ("一abc", ["abc"]),
        ("жизнь", ["жизнь"]),
        ("Жизнь", ["жизнь"]),
        ("última", ["ultima"]),
        ("ошибка|error", ["ошибка", "error"]),
        ("שגיאה", ["שגיאה"]),
    ],
)
def test_every_match_contains_some_words(source: str, expected: list[str]) -> None:
    assert clues(Regex(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("needle", []),
        ("жизнь", []),
        ("日本 error", ["日 本"]),
        ("日a本語", ["本 語"]),
        ("שגיאה", ["שגיאה"]),
    ],
)
def test_in_any_case_only_letters_without_case_tell_something(
    source: str, expected: list[str]
) -> None:
    assert clues(Regex(source, "i")) == expected


def test_what_must_not_match_tells_nothing() -> None:
    assert clues(Regex("needle", is_wanted=False)) == []


def test_a_clue_is_words_or_a_part_of_one() -> None:
    index = empty_index()

    assert find_clues(index, Regex("日本")) == [[Clue(words=("日", "本"))]]
    assert find_clues(index, Regex("needle")) == [[Clue(part="needle")]]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"import \w+ from", [["import"], ["from"]]),
        ("check ?sum", [["check"], ["sum"]]),
        ("(connect|read)error", [["error"], ["connect", "read"]]),
        ("one.*three.*seven", [["three"], ["seven"]]),
        ("needle(s|ts)?", [["needle"]]),
        ("needle.*ab", [["needle"]]),
    ],
)
def test_a_match_contains_words_of_its_two_longest_parts(
    source: str, expected: list[list[str]]
) -> None:
    assert all_clues(Regex(source)) == expected
