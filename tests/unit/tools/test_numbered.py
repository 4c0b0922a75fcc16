"""Lines behind their numbers."""

import pytest

from clew.tools import NumberedText
from clew.tools.numbered import read_numbered


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
