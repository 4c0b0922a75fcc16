"""Many transcripts looked through, on all cores when there is much to do."""

from collections.abc import Iterator, Sequence
from typing import Final

from clew.analytics.file_scan import FileScan, ScanTask, scan_file
from clew.analytics.pricer import Pricer
from clew.processes import count_cores, share

# Below this much to read, starting processes takes longer than they save.
_WORTH_PROCESSES: Final = 64 << 20
_BATCH: Final = 8 << 20


def scan_all(works: Sequence[ScanTask], workers: int | None = None) -> Iterator[FileScan]:
    """Look through transcripts; what comes has no particular order."""
    if workers is None:
        is_much = sum(work.size for work in works) >= _WORTH_PROCESSES
        workers = count_cores() if is_much else 1
    if workers == 1:
        yield from scan_batch(list(works))
    else:
        yield from share(_batches(works), scan_batch, workers - 1)


def scan_batch(works: list[ScanTask]) -> list[FileScan]:
    """Look through some transcripts, as another process does."""
    pricer = Pricer()
    return [scan_file(work, pricer) for work in works]


def _batches(works: Sequence[ScanTask]) -> list[list[ScanTask]]:
    """Part the work into batches of about one size, the largest transcripts first."""
    batches: list[list[ScanTask]] = []
    room = 0
    for work in sorted(works, key=lambda work: work.size, reverse=True):
        if room <= 0:
            batches.append([])
            room = _BATCH
        batches[-1].append(work)
        room -= work.size
    return batches
