"""Contestants that do next to nothing, for tests of the contest."""

import time
from collections.abc import Sequence
from pathlib import Path

from bench.contest import Run

LARGE = 96_000_000


def quick() -> Run:
    def run(paths: Sequence[Path]) -> int:
        return len(paths)

    return run


def hungry() -> Run:
    """Hold much memory for a moment."""

    def run(paths: Sequence[Path]) -> int:
        return len(bytearray(LARGE)) - LARGE + len(paths)

    return run


def measuring() -> Run:
    """Give a figure by name."""

    def run(paths: Sequence[Path]) -> dict[str, float]:
        return {"files": len(paths)}

    return run


def busy() -> Run:
    """Compute for a tenth of a second."""

    def run(paths: Sequence[Path]) -> int:
        end = time.perf_counter() + 0.1
        while time.perf_counter() < end:
            pass
        return len(paths)

    return run


def broken() -> Run:
    message = "this contestant never runs"
    raise RuntimeError(message)
