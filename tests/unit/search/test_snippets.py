"""The words around a hit."""

import pytest

from clew.search.language import Phrase
from clew.search.snippets import Snippet, context_lines, cut_snippet, find_matches

FILLER = "and so on it goes " * 40


def snippet(text: str, *phrases: str, length: int = 200) -> Snippet:
    return cut_snippet(text, find_matches([Phrase(phrase) for phrase in phrases], text), length)


def marked(cut: Snippet) -> list[str]:
    return [cut.text[mark.start : mark.end] for mark in cut.marks]


def test_a_short_text_is_shown_whole_with_its_matches_marked() -> None:
    cut = snippet("Fix fooBar\nand bar.", "bar")

    assert cut.text == "Fix fooBar\nand bar."
    assert marked(cut) == ["Bar", "bar"]


def test_a_long_text_is_cut_at_whole_words_around_the_match() -> None:
    cut = snippet(f"{FILLER}the needle is here {FILLER}", "needle", length=60)

    assert cut.text.startswith("…")
    assert cut.text.endswith("…")
    assert set(cut.text.strip("…").split()) <= {*FILLER.split(), "the", "needle", "is", "here"}
    assert 40 <= len(cut.text) <= 120
    assert marked(cut) == ["needle"]


def test_matches_far_apart_are_joined_by_an_ellipsis() -> None:
    cut = snippet(f"first thing {FILLER} second thing {FILLER} third thing", "first", "second")

    assert " … " in cut.text
    assert marked(cut) == ["first", "second"]
    assert len(cut.text) < 300


def test_the_place_with_most_of_the_words_is_shown() -> None:
    cut = snippet(
        f"retry here. {FILLER} the retry of the upload failed {FILLER}", "upload", "retry"
    )

    assert marked(cut) == ["retry", "upload"]
    assert " … " not in cut.text


def test_without_a_match_the_beginning_is_shown() -> None:
    cut = snippet(f"It begins {FILLER}", "nothing")

    assert cut.text.startswith("It begins and so on")
    assert cut.text.endswith("…")
    assert cut.marks == ()


def test_matches_that_overlap_make_one_mark() -> None:
    cut = snippet("the upload retry", "upload retry", "upload", "retry")

    assert marked(cut) == ["upload retry"]


def test_a_word_without_an_end_is_cut() -> None:
    cut = snippet("x" * 5000 + " needle " + "y" * 5000, "needle")

    assert len(cut.text) <= 260
    assert marked(cut) == ["needle"]


def test_a_match_longer_than_a_snippet_is_marked_from_its_start() -> None:
    cut = snippet("a" + " " * 500 + "b", "a b")

    assert cut.marks[0].start == 0
    assert len(cut.text) <= 600


def test_an_empty_text_has_an_empty_snippet() -> None:
    assert snippet("", "x") == Snippet("")


def test_the_lines_around_the_first_match_are_its_context() -> None:
    text = "one\ntwo\nthree needle\nfour\nfive needle"

    lines = context_lines(text, find_matches([Phrase("needle")], text))

    assert lines == ("two", "three needle", "four")


@pytest.mark.parametrize(("text", "lines"), [("needle", 1), ("needle\nb", 2), ("a\nneedle", 2)])
def test_context_ends_where_the_text_does(text: str, lines: int) -> None:
    assert len(context_lines(text, find_matches([Phrase("needle")], text))) == lines


def test_a_long_line_of_context_is_cut_around_the_match() -> None:
    text = f"{FILLER}needle {FILLER}"

    (line,) = context_lines(text, find_matches([Phrase("needle")], text))

    assert "needle" in line
    assert len(line) == 202


@pytest.mark.timeout(20)
def test_a_text_of_five_megabytes_is_cut_quickly() -> None:
    text = "so it goes " * 450_000 + "needle"

    cut = snippet(text, "needle", "goes")

    assert {"needle", "goes"} == set(marked(cut))
