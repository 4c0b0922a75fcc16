"""`python -m bench.soak_worker`: a worker that gives up a session soon after it was killed."""

import signal
import threading
from typing import Final

from clew.cli.team_archive import team_location
from clew.server.worker import Worker, WorkerSettings

_SETTINGS: Final = WorkerSettings(lease_seconds=6, poll_seconds=1)


def main() -> None:
    """Work until the process is stopped."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    Worker(team_location(), _SETTINGS, stop).run()


if __name__ == "__main__":
    main()
