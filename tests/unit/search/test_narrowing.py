"""What regular expressions tell of the words that they match."""

import pytest

from clew.search.language import Regex
from clew.search.narrowing import letters_of


@pytest.mark.parametrize(
    ("source", "letters"),
    [
        ("needle", ("needle",)),
        (r"\bneedle_\d+", ("needle",)),
        ("parseConfig", ("parse",)),
        ("time ?out", ("time",)),
        ("(connect|read)error", ("error",)),
        ("connect|read", ("connect", "read")),
        ("connect|[0-9]+", ()),
        ("connect|ab", ()),
        (r"\d+", ()),
        ("ERROR", ()),
        ("(?=needle)n", ()),
    ],
)
def test_every_match_holds_some_letters(source: str, letters: tuple[str, ...]) -> None:
    assert letters_of(Regex(source)) == letters


def test_letters_in_any_case_may_be_cut_into_words() -> None:
    assert letters_of(Regex("needle", flags="i")) == ()


def test_what_must_not_match_tells_nothing() -> None:
    assert letters_of(Regex("needle", is_wanted=False)) == ()
