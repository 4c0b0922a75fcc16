"""Contestants that do next to nothing, for tests of the contest."""

import time

from bench.child import Given
from bench.contestant import Run

HELD_BYTES = 96_000_000


def quick() -> Run:
    def run(given: Given) -> int:
        return len(given.paths)

    return run


def hungry() -> Run:
    """Hold much memory for a moment."""

    def run(given: Given) -> int:
        return len(bytearray(HELD_BYTES)) - HELD_BYTES + len(given.paths)

    return run


def measuring() -> Run:
    """Give a figure by name."""

    def run(given: Given) -> dict[str, float]:
        return {"files": len(given.paths)}

    return run


def busy() -> Run:
    """Compute for a tenth of a second."""

    def run(given: Given) -> int:
        end = time.perf_counter() + 0.1
        while time.perf_counter() < end:
            pass
        return len(given.paths)

    return run


def broken() -> Run:
    message = "this contestant never runs"
    raise RuntimeError(message)
