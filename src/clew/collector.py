"""The garbage collector: paused while many objects without cycles are made, rare in a server."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Lists of sessions and pages have no cycles, and a server makes them all the time.
_THRESHOLDS: Final = (20_000, 20, 20)


def collect_rarely() -> None:
    """Let the garbage collector pass over what is loaded at the start, and seldom run.

    A server with long lists of sessions otherwise spends up to half of its time in it.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the garbage collector, which would walk the new objects again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
