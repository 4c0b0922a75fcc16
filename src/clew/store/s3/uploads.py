"""Objects that are written beside other work: each takes little time, and most of it is waiting."""

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar

# Latency decides, not bandwidth: a server does many small puts in the time of one.
_THREADS: Final = 16
# What waits is in memory, at most some megabytes each.
_MOST_WAITING: Final = 2 * _THREADS
_AHEAD: Final = 4

Item = TypeVar("Item")
Result = TypeVar("Result")


class Uploads:
    """Writes that have begun, by the blob that they belong to."""

    def __init__(self) -> None:
        self._running: defaultdict[str, list[Future[None]]] = defaultdict(list)
        self._room = threading.BoundedSemaphore(_MOST_WAITING)

    def start(self, name: str, write: Callable[[], None]) -> None:
        """Begin a write, or wait until there is room for one more; raise what failed before."""
        running = self._running[name]
        for done in [each for each in running if each.done()]:
            done.result()
            running.remove(done)
        self._room.acquire()
        future = _threads(os.getpid()).submit(write)
        future.add_done_callback(lambda _: self._room.release())
        running.append(future)

    def wait(self, name: str) -> None:
        """Wait until all of a blob is written; raise what failed."""
        running = self._running.pop(name, [])
        failed = [error for each in running if (error := each.exception()) is not None]
        if failed:
            raise failed[0]


def load_ahead(load: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Load items in their order, a few of them before they are needed."""
    left = iter(items)
    first = list(islice(left, 1))
    rest = list(islice(left, _AHEAD))
    if not rest:
        yield from map(load, first)
        return
    threads = _threads(os.getpid())
    loading = [threads.submit(load, item) for item in (*first, *rest)]
    while loading:
        yield loading.pop(0).result()
        loading.extend(threads.submit(load, item) for item in islice(left, 1))


def begin(work: Callable[[], Result]) -> Future[Result]:
    """Do something beside other work."""
    return _threads(os.getpid()).submit(work)


@lru_cache(maxsize=1)
def _threads(_process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, "clew-s3")
