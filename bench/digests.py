"""Contestants that write accounts of sessions."""

import time
from typing import Final

from bench.child import Given
from bench.contestant import Contestant, Limit, Run

# Each function imports clew inside, so that the memory of one does not count for another.
# ruff: noqa: PLC0415


def clew_extract() -> Run:
    """Gather the facts of each session and make its extract; building it is not counted."""
    from clew.conversation import build
    from clew.digest import gather_facts, make_extract
    from clew.sessions import gather, group_sessions
    from clew.source import discover

    def run(given: Given) -> dict[str, float]:
        times = []
        for session in group_sessions(discover(given.folder).files):
            conversation = build(gather(session))
            started = time.process_time()
            make_extract(gather_facts(conversation))
            times.append((time.process_time() - started) * 1000)
        ordered = sorted(times) or [0.0]
        mean = sum(times) / len(ordered)
        return {"found": len(times), "mean ms": mean, "p99 ms": ordered[len(ordered) * 99 // 100]}

    return run


DIGESTS: Final = (
    Contestant(
        "clew extract",
        "digest",
        "facts and extract of each session",
        clew_extract,
        limits=(Limit("mean ms", 20),),
    ),
)
