"""Scanning many transcripts, on all cores when there is much to do."""

from collections.abc import Iterator, Sequence
from typing import Final

from clew.analytics.file_scan import FileScan, ScanTask, scan_file
from clew.analytics.pricer import Pricer
from clew.processes import count_cores, share

# Below this much to read, starting processes takes longer than they save.
_WORTH_PROCESSES: Final = 64 << 20
_BATCH: Final = 8 << 20


def scan_all(tasks: Sequence[ScanTask], workers: int | None = None) -> Iterator[FileScan]:
    """Scan transcripts; the results come in no particular order."""
    if workers is None:
        is_much = sum(task.size for task in tasks) >= _WORTH_PROCESSES
        workers = count_cores() if is_much else 1
    if workers == 1:
        yield from scan_batch(list(tasks))
    else:
        yield from share(_batches(tasks), scan_batch, workers - 1)


def scan_batch(tasks: list[ScanTask]) -> list[FileScan]:
    """Scan some transcripts, in this process or a worker."""
    pricer = Pricer()
    return [scan_file(task, pricer) for task in tasks]


def _batches(tasks: Sequence[ScanTask]) -> list[list[ScanTask]]:
    """Split tasks into batches of about one size, the largest transcripts first."""
    batches: list[list[ScanTask]] = []
    room = 0
    for task in sorted(tasks, key=lambda task: task.size, reverse=True):
        if room <= 0:
            batches.append([])
            room = _BATCH
        batches[-1].append(task)
        room -= task.size
    return batches
