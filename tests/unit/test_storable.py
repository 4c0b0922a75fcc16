"""Text that every database takes."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.storable import storable, storable_json, storable_value

ANY_TEXT = st.text(st.characters(categories=["L", "N", "P", "S", "Z", "Cc", "Cs"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("\u00fcber \U0001f9f6", "\u00fcber \U0001f9f6"),
        ("a\0b\0", "a b "),
        ("a\ud800b", "a\ufffdb"),
        ("\0\u00fc\udfff", " \u00fc\ufffd"),
    ],
)
def test_nul_and_half_characters_are_replaced(text: str, expected: str) -> None:
    assert storable(text) == expected


@given(ANY_TEXT)
def test_any_text_becomes_storable_and_stays_as_long(text: str) -> None:
    found = storable(text)

    assert "\0" not in found
    assert found.encode().decode() == found
    assert len(found) == len(text)
    assert storable(found) == found


def test_text_within_lists_and_mappings_is_replaced() -> None:
    value = [("a\0", 1, None, b"\0"), {"k\0": ["\ud800"]}]

    assert storable_value(value) == [("a ", 1, None, b"\0"), {"k ": ["\ufffd"]}]


def test_json_has_no_escaped_nul() -> None:
    assert storable_json(r'{"a":"x\u0000y"}') == '{"a":"x y"}'


@pytest.mark.parametrize("text", [r'{"a": "\\u0000"}', '{"a": 1}', r'{"a": "\u0000', ""])
def test_other_json_means_the_same(text: str) -> None:
    found = storable_json(text)

    try:
        assert msgspec.json.decode(found) == msgspec.json.decode(text)
    except msgspec.DecodeError:
        assert found == text
