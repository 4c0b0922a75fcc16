"""Text as the index wants it."""

import pytest

from clew.store.fulltext import result_words, to_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fooBar", "foo Bar"),
        ("HTMLParser", "HTML Parser"),
        ("URLs", "URLs"),
        ("utf8Text", "utf8 Text"),
        ("getHTTPResponseCode", "get HTTP Response Code"),
        ("A9B", "A9 B"),
        ("ÄrgerBar, naïveBar", "Ärger Bar, naïve Bar"),
        ("日本tBar", " 日  本 t Bar"),
        ("", ""),
        ("Plain words, ALL CAPS", "Plain words, ALL CAPS"),
    ],
)
def test_identifiers_and_signs_are_cut_into_words(text: str, words: str) -> None:
    assert to_words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("     1→import os\n    12→\n    13→  x = 1", "import os\n\n  x = 1"),
        ("1\tone\n2\ttwo", "one\ntwo"),
        ("1→2→three\nno number\n4→four", "2→three\nno number\nfour"),
        ("no number\n2→two", "no number\n2→two"),
    ],
)
def test_numbers_of_printed_lines_are_left_out(text: str, words: str) -> None:
    assert result_words(text) == words
