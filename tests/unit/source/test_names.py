"""Names of files as text, and back."""

import os

import msgspec
import pytest

from clew.source import to_name, to_text


@pytest.mark.parametrize(
    "raw",
    [
        b"plain",
        "né 日本 😀".encode(),
        b"caf\xe9",
        b"\x80\xff/\xed\xa0\x80",
        "x\U0010fcff \U0010f800\U0010fbfe\U0010ffff".encode(),
        b"\xff\xf4\x8f\xb3\xbf\xff",
    ],
)
def test_every_name_comes_back_from_its_text(raw: bytes) -> None:
    text = to_text(os.fsdecode(raw))

    assert msgspec.json.decode(msgspec.json.encode(text)) == text
    assert os.fsencode(to_name(text)) == raw


def test_a_name_that_is_text_stays_as_it_is() -> None:
    assert to_text("-home-né-日本") == "-home-né-日本"


def test_no_two_names_have_the_same_text() -> None:
    marks = [bytes([byte]) for byte in range(0x80, 0x100)]
    marks += [chr(sign).encode() for sign in range(0x10F7FF, 0x110000)]
    names = [*marks, *(first + second for first in marks[::40] for second in marks[::40])]

    texts = {to_text(os.fsdecode(name)) for name in names}

    assert len(texts) == len(set(names))
    assert {os.fsencode(to_name(text)) for text in texts} == set(names)


def test_the_text_of_a_name_from_an_earlier_version_is_a_name_too() -> None:
    assert os.fsencode(to_name("old \U0010f801.txt")) == "old \U0010f801.txt".encode()
