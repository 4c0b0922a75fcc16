"""Live: new lines into the archive while the app runs, and word of it to whoever listens."""

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from typing import Final

import msgspec

from clew.web.follower import Change, Orders
from clew.web.settings import Settings
from clew.web.shelf import Shelf

_log: Final = logging.getLogger(__name__)
# A stream without a word for so long may be cut by what stands between.
_HEARTBEAT: Final = 25.0
_LONGEST_QUEUE: Final = 100
_PATIENCE: Final = 10.0


class Live:
    """Has the roots followed by another process, and tells listeners in the event loop."""

    def __init__(self, settings: Settings, shelf: Shelf) -> None:
        self.settings = settings
        self.shelf = shelf
        self.trouble = ""
        self._end = threading.Event()
        self._listeners: set[asyncio.Queue[Change | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._follower: subprocess.Popen[bytes] | None = None
        self._hearing: threading.Thread | None = None

    def start(self) -> None:
        """Begin to follow, from within the event loop."""
        self._loop = asyncio.get_running_loop()
        if self.settings.is_followed:
            self._follower = _start(self.settings)
            self._hearing = threading.Thread(
                target=self._hear, args=(self._follower,), name="clew-follower", daemon=True
            )
            self._hearing.start()

    def end(self) -> None:
        """End the streams."""
        self._end.set()
        for queue in self._listeners:
            if not queue.full():
                queue.put_nowait(None)

    async def stop(self) -> None:
        """End the streams, then the follower."""
        self.end()
        if self._follower is not None and self._hearing is not None:
            await asyncio.to_thread(_stop, self._follower)
            await asyncio.to_thread(self._hearing.join)

    async def listen(self) -> AsyncIterator[Change | None]:
        """Give each change as it comes, and None when there was none for a while."""
        queue: asyncio.Queue[Change | None] = asyncio.Queue(_LONGEST_QUEUE)
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

    def _hear(self, follower: subprocess.Popen[bytes]) -> None:
        """Take the follower's word, line by line, until there is none any more."""
        with follower:
            for line in follower.stdout or ():
                self._take(msgspec.json.decode(line, type=Change))
        if not self._end.is_set():
            self.trouble = "new lines are not taken in any more: the process that does it ended"
            _log.warning(self.trouble)

    def _take(self, change: Change) -> None:
        if change.trouble and change.trouble != self.trouble:
            _log.warning("what is new could not be kept: %s", change.trouble)
        self.trouble = change.trouble
        self.shelf.look_again()
        if change.sessions and self._loop is not None and not self._end.is_set():
            self._loop.call_soon_threadsafe(self._send, change)

    def _send(self, change: Change) -> None:
        for queue in self._listeners:
            if not queue.full():
                queue.put_nowait(change)


def _start(settings: Settings) -> subprocess.Popen[bytes]:
    home = None if settings.home is None else str(settings.home)
    orders = msgspec.json.encode(Orders(home, tuple(str(root) for root in settings.roots)))
    command = [sys.executable, "-m", "clew.web.follower", orders.decode()]
    # What ends all processes of a terminal shall end us first, and we end the follower.
    return subprocess.Popen(  # noqa: S603 (our own module)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _stop(follower: subprocess.Popen[bytes]) -> None:
    """Let the follower come to its end, which it does when nobody holds its input any more."""
    if follower.stdin is not None:
        follower.stdin.close()
    try:
        follower.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        follower.kill()
