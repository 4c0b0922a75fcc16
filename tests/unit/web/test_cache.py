"""What requests get_or_make: made once, kept while it holds, old where that will do."""

import gc
import threading
from pathlib import Path

import msgspec
import pytest

from clew.archive import open_archive
from clew.store import Home
from clew.store.open_frames import _OpenFrame
from clew.web.cache import ArchiveCache
from clew.web.settings import CacheLimits, Settings
from tests.build import SessionBuilder


@pytest.fixture
def cache(tmp_path: Path) -> ArchiveCache:
    return ArchiveCache(Settings(location=Home(tmp_path / "archive")))


def fill(tmp_path: Path, name: str) -> str:
    builder = SessionBuilder(name).user("hello").assistant("yes")
    builder.write(tmp_path / "claude")
    with open_archive(tmp_path / "archive") as archive:
        archive.sync([tmp_path / "claude"])
    return builder.session_id


def count_objects(kind: type) -> int:
    gc.collect()
    return sum(isinstance(each, kind) for each in gc.get_objects())


def test_without_an_archive_there_is_nothing(cache: ArchiveCache) -> None:
    assert cache.is_empty
    assert cache.version() == "empty"
    assert cache.catalogue().sessions == ()


def test_a_thing_is_made_once_for_each_version(cache: ArchiveCache) -> None:
    made: list[str] = []

    def make() -> str:
        made.append("x")
        return "thing"

    for version in ("1", "1", "2"):
        assert cache.get_or_make("key", version, make) == "thing"

    assert len(made) == 2


def test_what_was_asked_for_longest_ago_goes_first(cache: ArchiveCache) -> None:
    for number in range(40):
        cache.get_or_make(number, "1", lambda: bytes(1_000_000))
        cache.get_or_make(0, "1", lambda: b"another")

    assert len(cache.get_or_make(39, "1", lambda: b"another")) == 1_000_000
    assert len(cache.get_or_make(0, "1", lambda: b"another")) == 1_000_000
    assert cache.get_or_make(1, "1", lambda: b"another") == b"another"


def test_while_one_makes_it_again_others_take_the_old(cache: ArchiveCache) -> None:
    cache.get_or_make("key", "1", lambda: "old")
    begun, go_on = threading.Event(), threading.Event()

    def make() -> str:
        begun.set()
        go_on.wait(10)
        return "new"

    maker = threading.Thread(target=cache.get_or_make, args=("key", "2", make))
    maker.start()
    begun.wait(10)
    found = cache.get_or_make("key", "2", make, allow_stale=True)
    go_on.set()
    maker.join()

    assert found == "old"
    assert cache.get_or_make("key", "2", make, allow_stale=True) == "new"


def test_what_fails_is_tried_again(cache: ArchiveCache) -> None:
    def fail() -> str:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        cache.get_or_make("key", "1", fail)

    assert cache.get_or_make("key", "1", lambda: "thing") == "thing"


def test_all_sessions_are_held_until_told_to_look_again(
    cache: ArchiveCache, tmp_path: Path
) -> None:
    first = fill(tmp_path, "first")
    before = cache.catalogue()
    second = fill(tmp_path, "second")
    held = cache.catalogue()
    cache.invalidate_catalogue()

    assert set(before.by_id) == set(held.by_id) == {first}
    assert set(cache.catalogue().by_id) == {first, second}
    assert cache.catalogue_version() == cache.version()


def test_a_session_is_as_long_as_its_transcripts(cache: ArchiveCache, tmp_path: Path) -> None:
    name = fill(tmp_path, "first")
    limits = CacheLimits(long_session=cache.catalogue().by_id[name].size_bytes)
    longer = CacheLimits(long_session=limits.long_session + 1)

    # Nobody has asked for a list, so that no catalogue knows the session.
    at_limit, below = (
        ArchiveCache(msgspec.structs.replace(cache.settings, cache=each))
        for each in (limits, longer)
    )

    assert at_limit.is_long(name)
    assert not below.is_long(name)


def test_an_item_may_be_cached_before_anybody_asks_for_it(cache: ArchiveCache) -> None:
    assert cache.peek("key", "1") is None

    cache.put("key", "1", "thing")

    assert cache.peek("key", "1") == "thing"
    assert cache.peek("key", "2") is None
    assert cache.get_or_make("key", "1", lambda: "another") == "thing"


def test_the_shape_of_a_session_is_read_once(cache: ArchiveCache, tmp_path: Path) -> None:
    name = fill(tmp_path, "first")
    sessions = cache.catalogue().sessions
    first = cache.shapes(sessions)
    cache.close()

    assert first[name]
    assert cache.shapes(sessions) == first


def test_no_file_stays_decompressed_for_a_request_that_is_over(
    cache: ArchiveCache, tmp_path: Path
) -> None:
    name = fill(tmp_path, "first")
    file = cache.archive.session_files(name)[0].path

    def read() -> int:
        assert cache.read_line(name, file, 0)
        return count_objects(_OpenFrame)

    assert cache.get_or_make("key", "1", read) == 1
    assert count_objects(_OpenFrame) == 0
