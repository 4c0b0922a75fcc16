"""Searching a real archive by regular expressions, to the end of long texts."""

from pathlib import Path

import pytest

from clew.search import parse_query, search
from clew.store.inline_limits import LAPTOP_LIMITS
from tests.unit.search.archives import (
    NOW,
    find,
    marked,
    written,
)


@pytest.mark.parametrize("pattern", ["nee$", r"\bnee\b", "nee(?!d)", "long (?!.*needle)"])
def test_a_regex_does_not_take_the_cut_of_a_long_text_for_its_end(
    tmp_path: Path, pattern: str
) -> None:
    words = "x" * (LAPTOP_LIMITS.text - 8) + "long needle needle"
    index = written(tmp_path, words)

    query = parse_query(f"/{pattern}/ in:prompts", now=NOW)
    results = search(index, query, now=NOW, read_text=lambda _: words)

    assert (results.hits, results.is_exact) == ((), True)


def test_a_regex_that_never_ends_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.search.find.REGEX_SECONDS", 0.3)
    index = written(tmp_path, "a" * 60 + "!")

    results = find(index, "/(a+)+$/ in:prompts")

    assert (results.hits, results.is_exact) == ((), False)
    assert "timed out" in results.notes[0]


def test_a_regex_says_when_it_saw_only_the_beginning(tmp_path: Path) -> None:
    index = written(tmp_path, "long " * 2000 + "needle")

    results = find(index, "/needle/")

    assert (results.total, results.is_exact) == (0, False)
    assert results.notes == ("of 1 long text only the beginning was searched",)


def test_a_regex_reads_long_texts_to_their_end_when_it_finds_little(tmp_path: Path) -> None:
    words = "long " * 2000 + "needle 12"
    index = written(tmp_path, "needle 7", words)

    query = parse_query("/needle \\d+/ in:prompts", now=NOW)
    results = search(index, query, now=NOW, read_text=lambda _: words)

    assert sorted(marked(hit)[0] for hit in results.hits) == ["needle 12", "needle 7"]
    assert (results.total, results.is_exact, results.notes) == (2, True, ())


def test_what_a_regex_forbids_may_stand_at_the_end_of_a_long_text(tmp_path: Path) -> None:
    words = "needle " * 2000 + "thread"
    index = written(tmp_path, words)

    query = parse_query("/needle/ -/thread/ in:prompts", now=NOW)
    results = search(index, query, now=NOW, read_text=lambda _: words)

    assert (results.total, results.is_exact) == (0, True)


@pytest.mark.parametrize("regex", ["/ne+dle\\b/", "/NE+DLE/i", "/(?=needle)n/", "/[n]e+d.e/"])
def test_a_regex_goes_back_to_the_oldest_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, regex: str
) -> None:
    monkeypatch.setattr("clew.search.windows.MATCHED", 2)
    monkeypatch.setattr("clew.search.windows._MATCHED_THEN", 3)
    index = written(tmp_path, "needle", *(f"haystack {number}" for number in range(20)))

    results = find(index, f"{regex} in:prompts")

    assert [hit.snippet.text for hit in results.hits] == ["needle"]
    assert (results.total, results.is_exact, results.notes) == (1, True, ())


def test_a_regex_stops_at_the_newest_when_these_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.search.windows.MATCHED", 2)
    monkeypatch.setattr("clew.search.windows._MATCHED_THEN", 2)
    index = written(tmp_path, *(f"needle {number}" for number in range(9)))

    results = find(index, "/needle/ in:prompts", limit=1)

    assert [hit.snippet.text for hit in results.hits] == ["needle 8"]
    assert (results.total, results.is_exact, results.is_sampled) == (2, False, True)
    assert results.notes == ("searched the newest 2 of 9 texts; the next page continues",)
    assert results.next_offset == 1


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        ("/eedl/", "needles"),
        ("/eadFil/", "we readFile here"),
        ("/ser_na/", "user_name"),
        ("/TMLPars/", "HTMLParser"),
        ("/ltima/", "última ultima"),
        ("/afe/", "naïve cafe\u0301 safes"),
        ("/一二abc/", "一二abcd三"),
        ("/x1yzz/", "0x1yzzy9"),
        ("/日本語/", "これは日本語です"),
        ("/本.の/", "日本語の文"),
        ("/изн/", "Моя Жизнь"),
        ("/Жизнь/", "Моя Жизнь"),
        ("/한국/i", "여기는 한국입니다"),
    ],
)
def test_a_regex_finds_parts_of_words(tmp_path: Path, regex: str, text: str) -> None:
    index = written(tmp_path, text, "something else")

    assert [hit.snippet.text for hit in find(index, regex).hits] == [text]


def test_a_regex_in_any_script_is_matched_to_the_end_of_long_texts(tmp_path: Path) -> None:
    words = "あ" * (LAPTOP_LIMITS.text + 1) + "設定エラー"
    index = written(tmp_path, words, "あ" * (LAPTOP_LIMITS.text + 1) + "haystack")

    query = parse_query("/設定(エラー|ミス)/", now=NOW)
    reads: list[int] = []

    def read_text(number: int) -> str:
        reads.append(number)
        return words

    results = search(index, query, now=NOW, read_text=read_text)

    assert [marked(hit) for hit in results.hits] == [["設定エラー"]]
    assert (results.total, results.is_exact, results.notes) == (1, True, ())
    assert len(reads) == 1


def test_a_regex_that_was_stopped_says_how_many_texts_it_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.search.find.REGEX_SECONDS", 0.0)
    monkeypatch.setattr("clew.search.windows.MATCHED", 4)
    index = written(tmp_path, *(f"needle {number}" for number in range(9)))

    results = find(index, "/n.+[x]/ in:prompts")

    assert (results.hits, results.is_exact, results.next_offset) == ((), False, None)
    assert results.notes[0].startswith(
        "the search timed out: searched 0 of 9 texts, the newest first; "
    )
    assert "add a word or a filter" in results.notes[0]
