"""Live updates: sync while the app runs, and notify open pages of changes."""

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from typing import Final

import msgspec

from clew.web.cache import ArchiveCache
from clew.web.follower import Change, FollowerSettings
from clew.web.settings import Settings

_log: Final = logging.getLogger(__name__)
# Proxies may close a stream that is silent for longer.
_HEARTBEAT: Final = 25.0
_MAX_QUEUE: Final = 100
_STOP_SECONDS: Final = 10.0


class Live:
    """Runs the follower in another process, and notifies listeners in the event loop."""

    def __init__(self, settings: Settings, cache: ArchiveCache) -> None:
        self.settings = settings
        self.cache = cache
        self.trouble = ""
        self._end = threading.Event()
        self._listeners: set[asyncio.Queue[Change | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._follower: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None

    def start(self) -> None:
        """Start the follower; must run in the event loop."""
        self._loop = asyncio.get_running_loop()
        if self.settings.is_followed:
            self._follower = _start(self.settings)
            self._reader = threading.Thread(
                target=self._read_changes, args=(self._follower,), name="clew-follower", daemon=True
            )
            self._reader.start()

    def end(self) -> None:
        """End the streams."""
        self._end.set()
        for queue in self._listeners:
            if not queue.full():
                queue.put_nowait(None)

    async def stop(self) -> None:
        """End the streams, then the follower."""
        self.end()
        if self._follower is not None and self._reader is not None:
            await asyncio.to_thread(_stop, self._follower)
            await asyncio.to_thread(self._reader.join)

    async def listen(self) -> AsyncIterator[Change | None]:
        """Yield each change, and None as a heartbeat."""
        queue: asyncio.Queue[Change | None] = asyncio.Queue(_MAX_QUEUE)
        self._listeners.add(queue)
        try:
            while not self._end.is_set():
                try:
                    change = await asyncio.wait_for(queue.get(), _HEARTBEAT)
                except TimeoutError:
                    change = None
                if self._end.is_set():
                    return
                yield change
        finally:
            self._listeners.discard(queue)

    def _read_changes(self, follower: subprocess.Popen[bytes]) -> None:
        """Read changes from the follower until it exits."""
        with follower:
            for line in follower.stdout or ():
                self._handle(msgspec.json.decode(line, type=Change))
        if not self._end.is_set():
            self.trouble = "new sessions are not archived: the sync process exited; restart clew"
            _log.warning(self.trouble)

    def _handle(self, change: Change) -> None:
        if change.trouble and change.trouble != self.trouble:
            _log.warning("sync failed: %s", change.trouble)
        self.trouble = change.trouble
        self.cache.invalidate_catalogue()
        if change.sessions and self._loop is not None and not self._end.is_set():
            self._loop.call_soon_threadsafe(self._send, change)

    def _send(self, change: Change) -> None:
        for queue in self._listeners:
            if not queue.full():
                queue.put_nowait(change)


def _start(settings: Settings) -> subprocess.Popen[bytes]:
    home = None if settings.home is None else str(settings.home)
    follower = msgspec.json.encode(
        FollowerSettings(home, tuple(str(root) for root in settings.roots))
    )
    command = [sys.executable, "-m", "clew.web.follower", follower.decode()]
    # A signal to all processes of the terminal shall reach us only; we stop the follower.
    return subprocess.Popen(  # noqa: S603 (our own module)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _stop(follower: subprocess.Popen[bytes]) -> None:
    """Stop the follower by closing its standard input."""
    if follower.stdin is not None:
        follower.stdin.close()
    try:
        follower.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        follower.kill()
