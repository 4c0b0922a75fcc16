from typing import Any

import pytest

from clew.entries import Broken
from clew.entries.salvage import Damage, find_end, load, salvage, trim


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"{}", {}),
        (b'{"a":[1,2.5,null,true,"\xc3\xa9"]}', {"a": [1, 2.5, None, True, "é"]}),
        (b' {"a": 1} ', {"a": 1}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":' + b"9" * 400 + b"}", {"a": 10**400 - 1}),
        (b'"\\ud83e\\udd80"', "🦀"),
    ],
)
def test_good_json_needs_no_repair(raw: bytes, value: Any) -> None:
    loaded = load(raw)

    assert (loaded.value, loaded.repaired) == (value, "")


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a":"\\ud800"}', {"a": "\ufffd"}),
        (b'{"\\udfff":1}', {"\ufffd": 1}),
        (b'["\xff"]', ["\ufffd"]),
        (b'["a\x01b"]', ["a\x01b"]),
        (b'{"a":[-' + b"9" * 6000 + b",1]}", {"a": [None, 1]}),
    ],
)
def test_what_cannot_be_kept_is_replaced_and_said(raw: bytes, value: Any) -> None:
    loaded = load(raw)

    assert loaded.value == value
    assert loaded.repaired != ""


def test_a_repair_says_where_the_bytes_are_no_text() -> None:
    assert load(b'{"a":"\xff"}').repaired == "byte 6 of the record is not UTF-8"


@pytest.mark.parametrize("raw", [b"", b"{", b"hello", b'{"a":1}{', b"\xef\xbb\xbf{}", b"[1,]"])
def test_what_is_no_json_is_damage(raw: bytes) -> None:
    with pytest.raises(Damage) as caught:
        load(raw)

    assert caught.value.reason != ""


def test_a_million_brackets_are_damage_and_not_a_crash() -> None:
    with pytest.raises(Damage, match="nested too deeply"):
        load(b"[" * 1_000_000 + b"]" * 1_000_000)


@pytest.mark.parametrize("depth", range(100, 1200, 50))
def test_a_repair_at_any_depth_gives_a_value_or_damage(depth: int) -> None:
    raw = b"[" * depth + b'"\\ud800"' + b"]" * depth

    try:
        repaired = load(raw).repaired
    except Damage as damage:
        repaired = damage.reason

    assert repaired != ""


@pytest.mark.parametrize(
    "value",
    [
        b"{}",
        b'{"a":"}{"}',
        b'{"a":"\\""}',
        b'{"a":NaN}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b"[]",
    ],
)
@pytest.mark.parametrize("rest", [b"", b"{}", b'{"type":"user"}', b"\x00", b"x", b"\xff", b"]"])
def test_a_value_ends_where_something_else_begins(value: bytes, rest: bytes) -> None:
    raw = b"ab" + value + rest

    assert find_end(raw, 2, len(raw)) == 2 + len(value)


def test_a_long_number_ends_where_it_ends() -> None:
    raw = b"1" * 4096 + b"."

    assert find_end(raw, 0, len(raw)) == 4096


def test_nesting_behind_what_needs_repair_is_damage_and_not_a_crash() -> None:
    raw = b"[NaN," + b"[" * 100_000

    with pytest.raises(Damage, match="nested too deeply"):
        find_end(raw, 0, len(raw))


def test_a_long_value_that_needs_repair_ends_where_it_ends() -> None:
    value = b'{"a":NaN,"b":"' + b"x" * 100_000 + b'"}'

    assert find_end(value + b"{}", 0, len(value) + 2) == len(value)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1',
        b'{"a":"x',
        b'{"a":NaN,"b":"x',
        b'{"a":"\\udc00","b":[',
        b'{"a":NaN,"b":' + b"[" * 50 + b"1," * 50_000,
    ],
)
def test_json_that_breaks_off_is_truncated(raw: bytes) -> None:
    with pytest.raises(Damage) as caught:
        find_end(raw, 0, len(raw))

    assert caught.value.truncated


@pytest.mark.parametrize("raw", [b'{"a":1,}', b'{"a":x}', b"hello", b"[1 2]"])
def test_json_that_is_wrong_is_not_truncated(raw: bytes) -> None:
    with pytest.raises(Damage) as caught:
        find_end(raw, 0, len(raw))

    assert not caught.value.truncated


@pytest.mark.parametrize(
    ("raw", "inside"),
    [
        (b"{}", b"{}"),
        (b"\xef\xbb\xbf{}", b"{}"),
        (b"\x00\x00 {}\r", b"{}"),
        (b" \t{}\x00", b"{}"),
        (b"\xef\xbb\xbf\x00{}", b"{}"),
        (b"\x00", b""),
        (b"", b""),
        (b"{\x00}", b"{\x00}"),
    ],
)
def test_padding_is_trimmed(raw: bytes, inside: bytes) -> None:
    start, end = trim(raw)

    assert raw[start:end] == inside


def test_links_are_salvaged_as_far_as_they_can_be_read() -> None:
    raw = (
        b'{"parentUuid":"p","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","a":'
    )

    assert salvage(raw, "cut") == Broken("cut", "u", "p", "s", "2026-01-01T00:00:00.000Z")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b'{"parentUuid":null,"uuid":7}',
        b'{"uuid":"' + b"u" * 65 + b'"}',
        b'{"uuid":"half',
        b'{"uuid":"a\\u0000b"}',
        b'{"timestamp":"yesterday morning"}',
    ],
)
def test_what_is_no_link_is_not_salvaged(raw: bytes) -> None:
    assert salvage(raw, "cut") == Broken("cut")
