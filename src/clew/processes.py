"""Work → results, shared with worker processes that exit when this one does."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Final, TypeVar

from clew.errors import ClewError

_LOST: Final = "the system killed a worker process, perhaps because memory ran out"

Batch = TypeVar("Batch")
Result = TypeVar("Result")


def count_cores() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def lower_priority(steps: int = 10) -> None:
    """Let other processes of this machine go first, as far as it has priorities."""
    with suppress(AttributeError, OSError):
        os.nice(steps)


@contextmanager
def worker_processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Run a pool of worker processes.

    Raises:
        ClewError: One of them was killed.
    """
    pool = ProcessPoolExecutor(count, _context(), _start_worker)
    try:
        yield pool
    except BrokenProcessPool as error:
        raise ClewError(_LOST) from error
    finally:
        pool.shutdown(cancel_futures=True)


def submit(
    pool: ProcessPoolExecutor, work: Callable[[Batch], Result], batch: Batch
) -> Future[Result]:
    """Submit work to the pool; a worker does not run this process's script again."""
    with _without_script():
        return pool.submit(work, batch)


def start_process(work: Callable[..., None], *arguments: object) -> BaseProcess:
    """Start a process that does some work; it does not run this process's script again."""
    process = get_context("spawn").Process(target=work, args=arguments, daemon=True)
    with _without_script():
        process.start()
    return process


@contextmanager
def _without_script() -> Iterator[None]:
    main = sys.modules["__main__"]
    # What starts a process looks here, and a script need not be made for that.
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def share(
    batches: Sequence[Batch],
    work: Callable[[Batch], Sequence[Result]],
    workers: int,
    meanwhile: Callable[[], object] | None = None,
) -> Iterator[Result]:
    """Share batches with worker processes; this process takes what none of them has started.

    They take the last ones first, since this process starts at once with the first. Where there is
    something to do `meanwhile`, it does that before.
    """
    with worker_processes(workers) as pool:
        waiting = [(submit(pool, work, batch), batch) for batch in reversed(batches)]
        if meanwhile is not None:
            meanwhile()
        begun: list[Future[Sequence[Result]]] = []
        for future, batch in reversed(waiting):
            if future.cancel():
                yield from work(batch)
            else:
                begun.append(future)
        for future in as_completed(begun):
            yield from future.result()


def _context() -> BaseContext:
    # A copy of this process is ready at once; with threads in it, it might hang. It has a copy of
    # open connections to the database as well, but neither uses nor closes them.
    return get_context("fork" if _count_threads() == 1 else "spawn")


def _count_threads() -> int:
    """Count the threads of this process, those of libraries included; 0 if nobody can tell."""
    if sys.platform != "linux":
        return 0
    try:
        return sum(1 for _ in os.scandir("/proc/self/task"))
    except OSError:
        return 0


def _start_worker() -> None:
    """Prepare a worker. Its objects have no cycles, so there is nothing to collect."""
    gc.disable()
    # Ctrl-C reaches every process of a terminal; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Exit when the parent process does, however it ends."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
