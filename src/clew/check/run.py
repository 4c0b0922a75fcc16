"""Checking files one after the other, or on all cores."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from clew.check.findings import Findings
from clew.check.input_files import CheckInput
from clew.check.merge import ReportBuilder
from clew.check.report import Report
from clew.check.scan import scan_file
from clew.processes import count_cores, share
from clew.source import SourceFile

# Below this, starting processes takes longer than the work.
_SMALL: Final = 20_000_000
_BATCH_SIZE: Final = 4_000_000


def check_files(
    inputs: CheckInput,
    on_progress: Callable[[int], object] | None = None,
    *,
    workers: int | None = None,
) -> Report:
    """Read all files and report what is broken, missing or unknown in them.

    The report is the same however many processes made it.

    Args:
        inputs: The files, from `find_files`.
        on_progress: Called with the number of bytes done since the last call.
        workers: How many processes; by default one when there is little to do, else one per core.
    """
    total = ReportBuilder()
    for size, findings in _scan(inputs.files, workers):
        total.add(findings)
        if on_progress is not None:
            on_progress(size)
    return total.report(inputs)


def _scan(files: Sequence[SourceFile], workers: int | None) -> Iterator[tuple[int, Findings]]:
    """Return the size of each file and what is found in it."""
    size = sum(file.size for file in files)
    if workers is None:
        workers = 1 if size < _SMALL else count_cores()
    if workers == 1:
        return iter(map(_scan_one, files))
    largest_first = sorted(files, key=lambda file: -file.size)
    return share(list(_batches(largest_first)), _scan_batch, workers - 1)


def _scan_batch(files: Sequence[SourceFile]) -> list[tuple[int, Findings]]:
    return list(map(_scan_one, files))


def _scan_one(file: SourceFile) -> tuple[int, Findings]:
    return file.size, scan_file(file)


def _batches(files: Iterable[SourceFile]) -> Iterator[list[SourceFile]]:
    """Put small files together, so that handing them over costs little."""
    waiting: list[SourceFile] = []
    size = 0
    for file in files:
        waiting.append(file)
        size += file.size
        if size >= _BATCH_SIZE:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting
