"""Lines of a terminal, by the columns they take."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from clew.render.terminal.lines import columns, cut, cut_front, spread, wrap

WORDS = st.text(st.sampled_from("ab 中é-\u3000👧"), max_size=120)


def test_words_are_not_broken() -> None:
    assert list(wrap("one two three", 9)) == ["one two", "three"]


def test_lines_after_the_first_hang() -> None:
    assert list(wrap("- one two three four", 12, 2)) == ["- one two", "  three four"]


def test_a_word_without_end_is_broken_at_the_width() -> None:
    assert list(wrap("x" * 25, 10)) == ["x" * 10, "x" * 10, "x" * 5]


def test_chinese_text_fills_its_lines() -> None:
    assert list(wrap("a " + "中" * 9, 10)) == ["a 中中中中", "中中中中中"]


@given(WORDS, st.integers(8, 40), st.integers(0, 6))
def test_no_line_is_wider_than_asked_and_no_word_is_lost(text: str, width: int, hang: int) -> None:
    lines = list(wrap(text, width, hang))

    assert [line for line in lines if cell_len(line) > width] == []
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(WORDS, st.integers(1, 40))
def test_a_cut_text_is_never_wider_than_asked(text: str, width: int) -> None:
    assert cell_len(cut(text, width)) <= width
    assert cell_len(cut_front(text, width)) <= width


def test_a_path_is_cut_at_its_front() -> None:
    assert cut_front("/home/dev/code/a.py", 8) == "…de/a.py"


@given(WORDS, st.integers(20, 60))
def test_both_ends_of_a_line_end_where_it_ends(text: str, width: int) -> None:
    line = spread([(text, "")], [("12.4 s", "quiet")], width)

    assert columns(line) == width
    assert line[-1] == ("12.4 s", "quiet")
