"""Many transcripts looked through, on all cores when there is much to do."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.context import BaseContext
from typing import Final

from clew.analytics.file_scan import FileScan, Work, scan_file
from clew.analytics.pricer import Pricer
from clew.errors import ClewError

# Below this much to read, starting processes takes longer than they save.
_WORTH_PROCESSES: Final = 64 << 20
_BATCH: Final = 8 << 20
_LOST_PROCESS: Final = "the system ended one of the reading processes, perhaps for lack of memory"


def scan_all(works: Sequence[Work], workers: int | None = None) -> Iterator[FileScan]:
    """Look through transcripts; what comes has no particular order."""
    if workers is None:
        is_much = sum(work.size for work in works) >= _WORTH_PROCESSES
        workers = _count_cores() if is_much else 1
    if workers == 1:
        yield from scan_batch(list(works))
        return
    try:
        yield from _spread(_batches(works), workers)
    except BrokenProcessPool as error:
        raise ClewError(_LOST_PROCESS) from error


def scan_batch(works: list[Work]) -> list[FileScan]:
    """Look through some transcripts, as another process does."""
    pricer = Pricer()
    return [scan_file(work, pricer) for work in works]


def _spread(batches: list[list[Work]], workers: int) -> Iterator[FileScan]:
    """Share batches with other processes, and take from the end what none of them has begun."""
    pool = ProcessPoolExecutor(workers - 1, _context(), _ignore_interrupts)
    try:
        waiting: list[tuple[Future[list[FileScan]], list[Work]]] = []
        waiting.extend((pool.submit(scan_batch, batch), batch) for batch in batches)
        others = []
        for future, batch in reversed(waiting):
            if future.cancel():
                yield from scan_batch(batch)
            else:
                others.append(future)
        for future in others:
            yield from future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _batches(works: Sequence[Work]) -> list[list[Work]]:
    """Part the work into batches of about one size, the largest transcripts first."""
    batches: list[list[Work]] = []
    room = 0
    for work in sorted(works, key=lambda work: work.size, reverse=True):
        if room <= 0:
            batches.append([])
            room = _BATCH
        batches[-1].append(work)
        room -= work.size
    return batches


def _context() -> BaseContext:
    # A copy of this process is ready at once; with threads in it, it might hang.
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    return get_context("fork" if is_safe else "spawn")


def _ignore_interrupts() -> None:
    # Ctrl-C reaches every process of a terminal; the one that waits for the others answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _count_cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
