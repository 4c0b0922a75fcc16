"""Names of files as text, and back."""

import os

import msgspec
import pytest

from clew.source import to_name, to_text


@pytest.mark.parametrize(
    "raw", [b"plain", "né 日本 😀".encode(), b"caf\xe9", b"\x80\xff/\xed\xa0\x80"]
)
def test_every_name_comes_back_from_its_text(raw: bytes) -> None:
    text = to_text(os.fsdecode(raw))

    assert msgspec.json.decode(msgspec.json.encode(text)) == text
    assert os.fsencode(to_name(text)) == raw


def test_a_name_that_is_text_stays_as_it_is() -> None:
    assert to_text("-home-né-日本") == "-home-né-日本"
