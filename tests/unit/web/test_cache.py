"""What requests get_or_make: made once, kept while it holds, old where that will do."""

import gc
import threading
from pathlib import Path

import pytest

from clew.archive import open_archive
from clew.conversation import Conversation
from clew.store import Home
from clew.store.open_frames import _OpenFrame
from clew.web.cache import ArchiveCache
from clew.web.lru_cache import LruCache
from clew.web.settings import Settings
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


def test_large_sessions_make_room_for_one_another(
    cache: ArchiveCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [fill(tmp_path, name) for name in ("first", "second", "third")]
    size = cache.catalogue().by_id[names[0]].size_bytes
    monkeypatch.setattr(cache, "_sessions", LruCache(round(size * 3.5)))

    first, second, third = (cache.index(name) for name in names)

    assert cache.index(names[2]) is third
    assert cache.index(names[1]) is second
    assert cache.index(names[0]) is not first


def test_a_long_session_takes_the_place_of_others_before_it_is_built(
    cache: ArchiveCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (fill(tmp_path, name) for name in ("first", "second"))
    monkeypatch.setattr("clew.web.cache._LONG_SESSION", 1)
    kept = LruCache(1)
    monkeypatch.setattr(cache, "_sessions", kept)
    cache.index(first)
    held = list[int]()
    load = cache.archive.conversation

    def count(name: str) -> Conversation:
        held.append(len(kept))
        return load(name)

    monkeypatch.setattr(cache.archive, "conversation", count)
    cache.index(second)

    assert (held, len(kept)) == ([0], 1)


def test_sessions_that_nobody_reads_are_dropped(
    cache: ArchiveCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = fill(tmp_path, "first")
    before = cache.index(name)
    cache.drop_idle_sessions()
    assert cache.index(name) is before

    monkeypatch.setattr("clew.web.cache._IDLE_SECONDS", 0)
    cache.drop_idle_sessions()
    assert cache.index(name) is not before


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


def test_a_session_is_laid_out_once_for_each_version(cache: ArchiveCache, tmp_path: Path) -> None:
    name = fill(tmp_path, "first")

    assert cache.layout(name, "1") is cache.layout(name, "1")
    assert cache.layout(name, "2") is not cache.layout(name, "1")


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
