"""Lines behind their numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.tools.result_text.numbered_lines import NumberedText, is_numbered, read_numbered


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("     1→a\n     2→\n     3→b", NumberedText(1, "a\n\nb")),
        ("98\ta\n99\t\tb\n100\tc", NumberedText(98, "a\n\tb\nc")),
        ("1→3→x", NumberedText(1, "3→x")),
        ("1→a\r\n2→b\u2028c", NumberedText(1, "a\r\nb\u2028c")),
        ("1→a\n3→b", NumberedText(1, "a")),
        ("1→a\n\n<system-reminder>no</system-reminder>", NumberedText(1, "a")),
    ],
)
def test_numbers_are_taken_off(text: str, expected: NumberedText) -> None:
    assert read_numbered(text) == expected


@pytest.mark.parametrize("text", ["", "a", "x1→a", "→a", "9" * 5000 + "→a"])
def test_other_text_is_not_numbered(text: str) -> None:
    assert read_numbered(text) is None


def test_an_empty_last_line_counts() -> None:
    assert NumberedText(1, "a\n").line_count == 2


@given(
    st.integers(0, 4010),
    st.lists(st.text("a \t→1\r", max_size=5), min_size=1, max_size=12),
    st.sampled_from(["{:>6}→", "{}\t", "{:>6}\t", "{:>3}→", " {}\t"]),
)
def test_a_text_is_known_by_its_content_however_numbers_are_written(
    start: int, lines: list[str], form: str
) -> None:
    text = "\n".join(form.format(n) + line for n, line in enumerate(lines, start))

    assert read_numbered(text) == NumberedText(start, "\n".join(lines))
    assert read_numbered(f"{text}\nmore") == NumberedText(start, "\n".join(lines))


@pytest.mark.parametrize("form", ["{:>6}→{}", "{}\t{}", "{:>6}\t{}"])
def test_content_behind_numbers_is_told_from_any_other(form: str) -> None:
    text = "\n".join(form.format(n, line) for n, line in enumerate(("a", "", "b"), 9))

    assert is_numbered(text, "a\n\nb", 9)
    assert not is_numbered(text, "a\n\nb", 8)
    assert not is_numbered(text, "a\nb", 9)
    assert not is_numbered(f"{text}\n", "a\n\nb", 9)
    assert not is_numbered(f" {text}", "a\n\nb", 9)
