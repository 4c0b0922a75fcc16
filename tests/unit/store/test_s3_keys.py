"""Keys of objects."""

from datetime import UTC, datetime

from hypothesis import assume, given
from hypothesis import strategies as st

from clew.store.frames import Frame
from clew.store.s3.keys import decode_name, encode_name, frame_key, parse_key, sealed_key

NOW = datetime(2026, 11, 1, tzinfo=UTC)
NAMES = st.text(st.characters(exclude_categories=()), max_size=30).filter(
    lambda name: (
        not any(
            0xD800 <= ord(letter) < 0xDC80 or ord(letter) > 0xDCFF
            for letter in name
            if 0xD800 <= ord(letter) < 0xE000
        )
    )
)
FRAME = Frame(0, 10, 7, 5, bytes(range(32)))


@given(NAMES)
def test_a_name_is_read_back_from_its_key(name: str) -> None:
    assert decode_name(encode_name(name)) == name


@given(NAMES)
def test_a_key_has_no_part_that_a_server_takes_for_its_own(name: str) -> None:
    encoded = encode_name(name)

    assert not {"", ".", ".."} & set(encoded.split("/"))
    assert not set(encoded) & set(" %?#&+\\\0\n")
    encoded.encode()


@given(NAMES, NAMES)
def test_two_names_have_two_keys(one: str, other: str) -> None:
    assume(one != other)

    assert encode_name(one) != encode_name(other)


def test_objects_are_known_by_their_keys() -> None:
    blob = "root/a.jsonl.zst"
    frame = parse_key(frame_key(blob, FRAME), 5, NOW)
    sealed = parse_key(sealed_key(blob, [FRAME]), 5, NOW)

    assert frame is not None
    assert sealed is not None
    assert (frame.blob, frame.start, frame.end, frame.is_sealed) == (blob, 7, 12, False)
    assert (sealed.blob, sealed.start, sealed.end, sealed.is_sealed) == (blob, 0, 5, True)


def test_other_objects_are_none_of_ours() -> None:
    assert parse_key("root/a.jsonl.zst/readme", 5, NOW) is None
    assert parse_key(frame_key("root/a.jsonl.zst", FRAME), 4, NOW) is None


def test_a_frame_keeps_its_key_when_its_hash_is_completed() -> None:
    old = Frame(0, 10, 7, 5, bytes(range(16)))

    assert frame_key("a", old) == frame_key("a", FRAME)
