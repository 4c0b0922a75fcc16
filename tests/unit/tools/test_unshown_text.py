"""What a result says to the model beyond what its parts show."""

import pytest

from clew.parts import (
    CheckItem,
    Checklist,
    Code,
    Diff,
    DiffHunk,
    Document,
    Fields,
    Fold,
    Image,
    Link,
    Links,
    Listing,
    Note,
    Output,
    Part,
    Prose,
    Table,
    Words,
)
from clew.tools.display.unshown_text import find_unshown_lines, part_texts

PARTS: list[Part] = [
    Prose("word"),
    Words("word"),
    Code("word"),
    Code("", path="word"),
    Output("word"),
    Output("", "word"),
    Diff("a", (DiffHunk(1, 1, ("+word",)),), 1, 0),
    Diff("word", (), 0, 0),
    Table(("word",), ()),
    Table((), (("word",),)),
    Fields((("word", ""),)),
    Fields((("a", "word"),)),
    Listing(("word",)),
    Links((Link("word"),)),
    Links((Link("", "word"),)),
    Links((Link("", "", "word"),)),
    Checklist((CheckItem("word"),)),
    Checklist((CheckItem("a", note="word"),)),
    Checklist((CheckItem("a", change="word"),)),
    Image("image/png", text="word"),
    Document("application/pdf", "word"),
    Note("word"),
    Fold("word", ()),
    Fold("a", (Words("word"),)),
]


@pytest.mark.parametrize("part", PARTS)
def test_the_words_of_any_part_are_found(part: Part) -> None:
    assert "word" in list(part_texts([part]))


def test_a_text_that_is_shown_leaves_nothing() -> None:
    assert find_unshown_lines(" a\nb\n", [Output("a\nb\nc")]) == ""


def test_lines_that_no_part_shows_are_left_over() -> None:
    assert find_unshown_lines("a\nthe rest\nb", [Output("b"), Output("a")]) == "the rest"


def test_a_line_whose_words_are_all_shown_is_not_left_over() -> None:
    assert find_unshown_lines('{"a":1,"b":"Two"}', [Code('{\n  "a": 1,\n  "b": "two"\n}')]) == ""


def test_a_long_line_is_looked_for_word_by_word() -> None:
    words = [f"word{n}" for n in range(100)]

    shown = [Listing(tuple(reversed(words)))]

    assert find_unshown_lines(" ".join(words), shown) == ""
    assert find_unshown_lines(" ".join([*words, "word"]), shown) == " ".join([*words, "word"])


def test_numbers_before_the_lines_of_a_file_are_not_looked_for() -> None:
    assert find_unshown_lines("    40→x\n41\ty\n42", [Code("x\ny", first_line=40)]) == ""
    assert find_unshown_lines("40\tx", [Output("x")]) == "40\tx"


@pytest.mark.parametrize("form", ["{:>6}→{}", "{}\t{}", "{:>8}\t{}"])
def test_a_file_behind_its_numbers_leaves_what_is_not_the_files(form: str) -> None:
    lines = ("first = 1", "", "\tlast")
    text = "\n".join(form.format(n, line) for n, line in enumerate(lines, 99))
    shown = [Code("\n".join(lines), first_line=99)]

    assert find_unshown_lines(text, shown) == ""
    assert find_unshown_lines(f"{text}\nbeyond", shown) == "beyond"
