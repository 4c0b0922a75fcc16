"""Contestants that follow files through sessions."""

import time
from typing import Final

from bench.child import Given
from bench.contestant import Contestant, Limit, Run

# Each function imports clew inside, so that the memory of one does not count for another.
# ruff: noqa: PLC0415


def clew_replay() -> Run:
    """Read, build and replay all sessions, and unpack each replay again."""
    from clew.conversation import build
    from clew.replay import pack_replay, replay_session, unpack_replay
    from clew.sessions import gather, group_sessions
    from clew.source import discover

    def run(given: Given) -> dict[str, float]:
        files = discover(given.folder).files
        size = sum(file.size for file in files if file.path.suffix == ".jsonl")
        versions, replaying, unpacking = 0, 0.0, 0.0
        started = time.process_time()
        for session in group_sessions(files):
            conversation = build(gather(session))
            before = time.process_time()
            replay = replay_session(conversation)
            replaying += time.process_time() - before
            versions += len(replay.versions)
            packed = pack_replay(replay)
            before = time.process_time()
            unpack_replay(packed)
            unpacking += time.process_time() - before
        per_100_mb = 100_000_000 / max(size, 1)
        return {
            "found": versions,
            "s per 100 MB": (time.process_time() - started) * per_100_mb,
            "replay s per 100 MB": replaying * per_100_mb,
            "cached s per 100 MB": unpacking * per_100_mb,
        }

    return run


REPLAYS: Final = (
    Contestant(
        "clew replay",
        "replay",
        "files of all sessions through their calls, CPU with reading and building",
        clew_replay,
        limits=(Limit("s per 100 MB", 5),),
    ),
)
