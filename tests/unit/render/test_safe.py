"""Text made safe for a terminal."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.render.safe import safe, safe_line, safe_lines

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;5;12mx\x1b[K", "x"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1;2|data\x1b\\after", "after"),
        ("\x1b(Bplain", "plain"),
        ("\x9b31mred", "red"),
        ("\x1b]0;never ends", "0;never ends"),
        ("end\x1b", "end\\x1b"),
        ("bell\x07 back\x08", "bell\\x07 back\\x08"),
        ("\u202eabc\u202c", "\\u202eabc\\u202c"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("half\ud800", "half\\ud800"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\tx", "    x"),
        ("nb\u00a0sp wide\u3000x", "nb\u00a0sp wide\u3000x"),
        ("क्\u200dष 👩\u200d👧", "क्\u200dष 👩\u200d👧"),
    ],
)
def test_what_would_steer_a_terminal_is_dropped_or_written_out(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(st.text(st.characters(codec=None), max_size=80))
def test_no_control_character_is_left_whatever_the_text(text: str) -> None:
    assert CONTROL.search(safe(text)) is None


@given(st.text("\x1b\x9b\x07[]0;mP\\ax\r\n", max_size=60))
def test_no_escape_sequence_can_be_put_together_from_pieces(text: str) -> None:
    assert CONTROL.search(safe(text)) is None


def test_lines_lose_the_blanks_at_their_ends() -> None:
    assert safe_lines("a  \n\n  b\t") == ["a", "", "  b"]


def test_a_line_is_one_line() -> None:
    assert safe_line("a\n b\t c ") == "a b c"
