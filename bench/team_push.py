"""A laptop pushes everything to an empty team server on this machine, and a worker parses it.

No worker runs beside the push: the server only receives.
"""

import atexit
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from bench.child import Given
from bench.contestant import UP_TO_1_GB, Contestant, Limit, Run

# Imported inside, so that the memory of one contestant does not count for another.
# ruff: noqa: PLC0415

_MEGABYTE: Final = 1_000_000
_TIMES: Final = "times the first sync"
_REPEAT: Final = "repeat s"
_WORKER: Final = "worker CPU s per 100 MB"


def push() -> Run:
    """Sync, push, push again, and parse what was pushed."""
    from bench.team_devices import make_device, push_all
    from bench.team_workers import make_all_due, parse_all
    from clew.store.postgres.team import prepare_team
    from clew.store.postgres_location import PostgresLocation
    from tests.postgres_server import running_postgres
    from tests.team.machines import TeamPrograms

    stack = ExitStack()
    atexit.register(stack.close)
    database = stack.enter_context(running_postgres())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clew-bench-")))
    location = PostgresLocation(database.make_database(), str(folder / "blobs"))
    prepare_team(location)
    programs = TeamPrograms(location)
    programs.start_server()
    stack.callback(programs.stop)

    def run(given: Given) -> dict[str, float]:
        machine, synced = make_device(programs, given.folder, folder / "laptop")
        pushed = push_all([machine])
        again = push_all([machine])
        make_all_due(location)
        parsed = parse_all(database, location, 1)
        return {
            "sync s": synced.seconds,
            "push s": pushed.spent.seconds,
            "sent MB": pushed.packed_bytes / _MEGABYTE,
            _TIMES: pushed.spent.seconds / synced.seconds,
            _REPEAT: again.spent.seconds,
            "repeat frames": again.frames,
            _WORKER: parsed.worker_cpu_seconds / parsed.megabytes * 100,
            "database CPU s per 100 MB": parsed.database_cpu_seconds / parsed.megabytes * 100,
        }

    return run


PUSH: Final = (
    Contestant(
        "clew push",
        "push",
        "a laptop fills an empty team server, then a worker parses",
        push,
        limits=(
            Limit(_TIMES, 2),
            Limit(_REPEAT, 2, UP_TO_1_GB),
            Limit("repeat frames", 0),
            # 20 MB of transcripts a second on one core.
            Limit(_WORKER, 5),
        ),
    ),
)
