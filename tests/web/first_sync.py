"""A first sync that a test can pause: the real follower, stopped by a signal."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from clew.store import Home
from clew.web import Settings, start_follower
from tests.build import SessionBuilder
from tests.web.serving import PATIENCE, client_for, serving

# More than one transaction, and enough for a sync to be called long.
SESSIONS: Final = 220
_OUTPUT: Final = "\n".join(f"line {number} of the output" for number in range(3_000))
_FIRST: Final = datetime(2026, 3, 1, 8, tzinfo=UTC)


class FirstSync(msgspec.Struct):
    """An app whose first sync is paused after some of its commits."""

    address: str
    follower: subprocess.Popen[bytes]

    def resume(self) -> None:
        """Let it go on."""
        os.killpg(self.follower.pid, signal.SIGCONT)

    def pause(self) -> None:
        """Stop it, with the processes that it started."""
        os.killpg(self.follower.pid, signal.SIGSTOP)


def write_sessions(root: Path) -> None:
    """Write sessions below a root, each a minute after the one before it."""
    for number in range(SESSIONS):
        builder = SessionBuilder(f"first-{number}", cwd=f"/home/dev/code/{number % 3}")
        builder.at((_FIRST + timedelta(minutes=number)).isoformat())
        builder.user(f"Crate {number}").tool("Bash", {"command": "ls"}, _OUTPUT)
        path = builder.assistant(f"There are {number} crates.").write(root)
        moment = (_FIRST + timedelta(minutes=number)).timestamp()
        os.utime(path, (moment, moment))


@contextmanager
def paused_first_sync(folder: Path) -> Iterator[FirstSync]:
    """Serve an app on a machine that was never synced, some of whose sessions are archived."""
    root = folder / "claude"
    write_sessions(root)
    settings = Settings(port=0, location=Home(folder / "archive"), roots=(root,))
    follower = start_follower(settings)
    with serving(settings, follower) as address:
        sync = FirstSync(address, follower)
        try:
            _wait_for_a_commit(sync)
            yield sync
        finally:
            sync.resume()


def _wait_for_a_commit(sync: FirstSync) -> None:
    deadline = time.monotonic() + PATIENCE
    with client_for(sync.address) as client:
        while time.monotonic() < deadline:
            health = client.get("/api/health").json()
            assert not health["is_synced"]
            if health["archiving"] and health["archiving"]["sessions"]:
                sync.pause()
                return
            time.sleep(0.01)
    raise AssertionError("nothing was archived")
