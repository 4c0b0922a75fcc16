"""Checking files one after the other, or on all cores."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Final

import msgspec

from clew.check.asked import Asked
from clew.check.findings import Findings
from clew.check.merge import Sum
from clew.check.report import Report
from clew.check.scan import scan_file
from clew.errors import ClewError
from clew.source import SourceFile

# Below this, starting processes takes longer than the work.
_SMALL: Final = 20_000_000
_BATCH_SIZE: Final = 4_000_000
_LOST_PROCESS: Final = (
    "the system ended one of the reading processes, perhaps for lack of memory; "
    "check fewer files at a time"
)


class Batch(msgspec.Struct, frozen=True):
    """Files that one process reads at a time, and their size."""

    files: list[SourceFile]
    size: int


def check_files(
    asked: Asked,
    on_progress: Callable[[int], object] | None = None,
    *,
    workers: int | None = None,
) -> Report:
    """Read all files and report what is broken, missing or unknown in them.

    The report is the same however many processes made it. A program that calls this for more
    than 20 MB must be importable without effects, since processes are spawned.

    Args:
        asked: The files, as `find_files` gives them.
        on_progress: Called with the number of bytes done since the last call.
        workers: How many processes; by default one when there is little to do, else one per core.
    """
    total = Sum()
    for batch, findings in _scan(asked.files, workers):
        for found in findings:
            total.add(found)
        if on_progress is not None:
            on_progress(batch.size)
    return total.report(asked)


def _scan(
    files: Sequence[SourceFile], workers: int | None
) -> Iterator[tuple[Batch, list[Findings]]]:
    size = sum(file.size for file in files)
    if workers is None:
        workers = 1 if size < _SMALL else _count_cores()
    if workers == 1:
        return ((Batch([file], file.size), [scan_file(file)]) for file in files)
    batches = sorted(_batches(files), key=lambda batch: -batch.size)
    return _scan_on_all_cores(batches, min(workers, len(batches)))


def _scan_on_all_cores(
    batches: Iterable[Batch], workers: int
) -> Iterator[tuple[Batch, list[Findings]]]:
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interrupts)
    try:
        futures = {pool.submit(_scan_batch, batch): batch for batch in batches}
        for future in as_completed(list(futures)):
            # Taken out, so that findings are not kept longer than it takes to add them up.
            yield futures.pop(future), future.result()
    except BrokenProcessPool as error:
        raise ClewError(_LOST_PROCESS) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _scan_batch(batch: Batch) -> list[Findings]:
    return [scan_file(file) for file in batch.files]


def _batches(files: Iterable[SourceFile]) -> Iterator[Batch]:
    """Put small files together, so that handing them over costs little."""
    waiting: list[SourceFile] = []
    size = 0
    for file in files:
        waiting.append(file)
        size += file.size
        if size >= _BATCH_SIZE:
            yield Batch(waiting, size)
            waiting, size = [], 0
    if waiting:
        yield Batch(waiting, size)


def _ignore_interrupts() -> None:
    # Ctrl-C reaches every process of a terminal; the one that waits for the others answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _count_cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
