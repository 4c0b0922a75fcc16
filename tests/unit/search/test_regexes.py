"""Regular expressions, matched here or in a process that can be ended."""

import re

import pytest

from clew.search.language import Regex
from clew.search.regex_child import find_places
from clew.search.regexes import match_texts
from clew.search.snippets import Match


def test_each_text_gets_its_matches_or_none() -> None:
    looked = match_texts([Regex("b+")], ["abba", "xyz"], seconds=20)

    assert looked.matches == [[Match(1, 3, 0)], None]
    assert looked.is_complete


def test_all_expressions_must_hold() -> None:
    regexes = [Regex("a"), Regex("B", flags="i"), Regex("c", is_wanted=False)]

    looked = match_texts(regexes, ["a b", "a", "a b c"], seconds=20)

    assert looked.matches == [[Match(0, 1, 0), Match(2, 3, 1)], None, None]


def test_lines_begin_and_end_anywhere_in_a_text() -> None:
    looked = match_texts([Regex("^two$")], ["one\ntwo\nthree"], seconds=20)

    assert looked.matches == [[Match(4, 7, 0)]]


def test_what_takes_too_long_is_stopped_and_what_was_done_is_kept() -> None:
    texts = ["aaa", "a" * 60 + "!", "aa"]

    looked = match_texts([Regex("(a+)+$")], texts, seconds=1)

    assert looked.matches == [[Match(0, 3, 0)]]
    assert not looked.is_complete


def test_what_is_not_surely_quick_is_matched_all_the_same() -> None:
    looked = match_texts([Regex("(?=b)b+"), Regex("é", is_wanted=False)], ["ab", "a", "bé"], 20)

    assert looked.matches == [[Match(1, 2, 0)], None, None]
    assert looked.is_complete


def test_only_long_texts_make_a_pattern_slow() -> None:
    texts = ["a-b", "x" * 20_000 + "ab", "b"]

    looked = match_texts([Regex("a.*b|x.*y")], texts, seconds=20)

    assert looked.matches == [[Match(0, 3, 0)], [Match(20_000, 20_002, 0)], None]


def test_a_pattern_is_tried_only_where_its_first_letters_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("clew.search.regexes.subprocess", None)
    long = "import " + "x" * 200_000

    looked = match_texts([Regex(r"import \w+, from")], [f"{long}, from", long], seconds=20)

    assert looked.matches == [[Match(0, len(long) + 6, 0)], None]


def test_a_text_that_lacks_what_is_looked_for_takes_no_time() -> None:
    looked = match_texts([Regex("(a+)+$"), Regex("b")], ["a" * 60 + "!"], seconds=20)

    assert looked.matches == [None]
    assert looked.is_complete


@pytest.mark.parametrize(
    ("source", "text"), [("USE", "u\u017fe"), ("\u212a", "k"), ("k", "\u212a"), ("ab", "AB")]
)
def test_letters_have_more_than_two_cases(source: str, text: str) -> None:
    looked = match_texts([Regex(source, flags="i")], [text], seconds=20)

    assert looked.matches == [[Match(0, len(text), 0)]]


def test_no_texts_are_no_work() -> None:
    assert match_texts([Regex("a")], [], seconds=20).is_complete


def test_of_many_matches_the_first_are_enough() -> None:
    patterns = [(re.compile("a"), True), (re.compile("b"), True)]

    assert find_places(patterns, "ab" * 10, most=2) == [(0, 1, 0), (1, 2, 1), (2, 3, 0), (3, 4, 1)]


@pytest.mark.parametrize(
    ("source", "flags", "text", "expected"),
    [
        ("ERROR", "", "an error", False),
        ("ERROR", "i", "an error", True),
        ("a.b", "", "a\nb", False),
        ("a.b", "s", "a\nb", True),
        ("^b$", "", "a\nb", True),
        ("^b$", "m", "a\nb", True),
        ("a b  # both", "x", "ab", True),
        ("a b  # both", "", "ab", False),
        ("A . B", "isx", "a\nb", True),
    ],
)
def test_flags_change_what_matches(source: str, flags: str, text: str, *, expected: bool) -> None:
    (matches,) = match_texts([Regex(source, flags)], [text], seconds=20).matches

    assert (matches is not None) is expected
