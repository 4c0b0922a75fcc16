"""Things that are kept as long as there is room for them."""

import msgspec
import pytest

from clew.web.lru_cache import LruCache, estimate_size


class Pair(msgspec.Struct):
    """Two texts."""

    one: bytes
    other: bytes


def test_a_thing_is_given_as_of_its_version_alone() -> None:
    kept = LruCache(100)
    kept.put("key", "1", "thing", 10)

    assert kept.get("key", "1") == "thing"
    assert kept.get("key", "2") is None
    assert kept.get_stale("key") == "thing"
    assert kept.get_stale("other") is None


def test_no_more_is_kept_than_there_is_room_for() -> None:
    kept = LruCache(100)
    for number in range(50):
        kept.put(number, "1", number, 30)

    assert (len(kept), kept.size_bytes) == (3, 90)
    assert [kept.get(number, "1") for number in (46, 47, 48, 49)] == [None, 47, 48, 49]


def test_what_was_asked_for_stays_longer() -> None:
    kept = LruCache(100)
    for number in range(4):
        kept.put(number, "1", number, 30)
        kept.get(0, "1")

    assert [kept.get(number, "1") for number in range(4)] == [0, None, 2, 3]


def test_another_version_takes_the_place_of_the_one_before() -> None:
    kept = LruCache(100)
    for version in range(9):
        kept.put("key", str(version), version, 60)

    assert (len(kept), kept.size_bytes) == (1, 60)


def test_one_thing_that_is_too_large_is_kept_until_the_next() -> None:
    kept = LruCache(100)
    kept.put("small", "1", "s", 10)
    kept.put("large", "1", "l", 1_000)

    assert (kept.get("small", "1"), kept.get("large", "1")) == (None, "l")
    kept.put("small", "1", "s", 10)
    assert (len(kept), kept.size_bytes) == (1, 10)


def test_what_is_larger_than_anything_may_be_takes_no_room_from_others() -> None:
    kept = LruCache(100, max_item_bytes=50)
    kept.put("small", "1", "s", 10)
    kept.put("large", "1", "l", 40)
    kept.put("large", "2", "l", 60)

    assert kept.get("small", "1") == "s"
    assert kept.get_stale("large") is None
    assert kept.size_bytes == 10


@pytest.mark.parametrize(
    "thing",
    [
        bytes(10_000),
        "x" * 10_000,
        [bytes(5_000), bytes(5_000)],
        {"a": bytes(10_000)},
        frozenset({bytes(10_000)}),
        Pair(bytes(5_000), bytes(5_000)),
    ],
)
def test_a_thing_weighs_what_is_in_it(thing: object) -> None:
    assert 10_000 < estimate_size(thing) < 10_500


def test_room_is_made_before_a_thing_is_there() -> None:
    kept = LruCache(100)
    for number in range(3):
        kept.put(number, "1", number, 30)
    kept.make_room(50)

    assert [kept.get(number, "1") for number in range(3)] == [None, None, 2]
    kept.make_room(500)
    assert (len(kept), kept.size_bytes) == (0, 0)


def test_what_nobody_asks_for_is_dropped() -> None:
    kept = LruCache(100)
    kept.put("key", "1", "thing", 30)

    assert kept.drop_idle(3600) == 0
    assert kept.drop_idle(0) == 30
    assert (kept.get("key", "1"), kept.size_bytes) == (None, 0)
