"""Sessions that requests read: built once for all, few of them at a time."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from clew.view import PageIndex, make_index
from clew.web.session_cache import OpenSession, SessionCache
from clew.web.settings import CacheLimits
from tests.build import SessionBuilder
from tests.unit.conversation.built import conversation_of

PATIENCE = 30
SIZE = 1_000
ONE_FITS = 2_500


def index_of(session_id: str) -> PageIndex:
    return make_index(conversation_of(SessionBuilder(session_id).user("hello").assistant("yes")))


def cache_of(
    sessions: int = 100_000,
    long_session: int = SIZE + 1,
    build: Callable[[str], PageIndex] = index_of,
) -> SessionCache:
    """Give a cache of sessions that all have the same size, and are not long."""
    return SessionCache(
        CacheLimits(sessions=sessions, long_session=long_session), build, lambda _: SIZE
    )


def get(cache: SessionCache, session_id: str, version: str = "1") -> OpenSession:
    return cache.use(session_id, version, lambda session: session)


def test_a_session_is_built_once_for_each_version() -> None:
    cache = cache_of()
    first = get(cache, "a")

    assert get(cache, "a") is first
    assert get(cache, "a", "2") is not first
    assert get(cache, "b").id == "b"


def test_requests_at_the_same_time_share_a_session() -> None:
    built = list[str]()
    together = threading.Barrier(4)

    def build(session_id: str) -> PageIndex:
        built.append(session_id)
        return index_of(session_id)

    cache = cache_of(build=build)

    def read(_: int) -> OpenSession:
        together.wait(PATIENCE)
        return get(cache, "a")

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(read, range(4)))

    assert len(set(map(id, found))) == 1
    assert built == ["a"]


def test_a_page_is_laid_out_once() -> None:
    session = get(cache_of(), "a")

    assert session.page is session.page
    assert len(session.page.frame.sections) == len(session.page.checksums) == 1


def test_no_more_sessions_are_cached_than_there_is_room_for() -> None:
    cache = cache_of(sessions=5 * SIZE)
    names = [f"session-{number}" for number in range(9)]
    found = {name: get(cache, name) for name in names}

    assert cache.size_bytes <= 5 * SIZE
    assert get(cache, names[-1]) is found[names[-1]]
    assert get(cache, names[0]) is not found[names[0]]


@pytest.mark.parametrize("limit", [1, ONE_FITS])
def test_others_make_room_before_a_session_is_built(limit: int) -> None:
    sizes = list[int]()

    def build(session_id: str) -> PageIndex:
        sizes.append(cache.size_bytes)
        return index_of(session_id)

    cache = cache_of(sessions=limit, build=build)
    for name, version in (("a", "1"), ("b", "1"), ("b", "2")):
        get(cache, name, version)

    assert sizes == [0, 0, 0]
    assert cache.size_bytes > 0


def test_one_long_session_is_used_at_a_time() -> None:
    cache = cache_of(long_session=SIZE)
    in_use = list[str]()
    most = list[int]()

    def make(session: OpenSession) -> None:
        in_use.append(session.id)
        most.append(len(in_use))
        in_use.remove(session.id)

    def read(number: int) -> None:
        cache.use(f"session-{number % 3}", "1", make)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(read, range(60)))

    assert most == [1] * 60


def test_a_short_session_does_not_wait_for_a_long_one() -> None:
    sizes = {"long": SIZE, "short": 1}
    cache = SessionCache(CacheLimits(long_session=SIZE), index_of, sizes.__getitem__)

    def make(_: OpenSession) -> str:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(get, cache, "short").result(PATIENCE).id

    assert cache.use("long", "1", make) == "short"


def test_sessions_that_nobody_reads_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of()
    before = get(cache, "a")
    cache.drop_idle()
    assert get(cache, "a") is before

    monkeypatch.setattr("clew.web.session_cache._IDLE_SECONDS", 0)
    cache.drop_idle()

    assert cache.size_bytes == 0
    assert get(cache, "a") is not before


def test_after_a_failure_the_next_request_tries_again() -> None:
    broken = [True]

    def build(session_id: str) -> PageIndex:
        if broken.pop() if broken else False:
            raise ValueError("not now")
        return index_of(session_id)

    cache = cache_of(long_session=SIZE, build=build)
    with pytest.raises(ValueError, match="not now"):
        get(cache, "a")

    assert get(cache, "a").id == "a"
