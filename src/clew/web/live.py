"""Live updates: sync while the app runs, and notify open pages of changes."""

import asyncio
import logging
import subprocess
import threading
from collections.abc import AsyncIterator
from typing import Final, TypeAlias

import msgspec

from clew.web.cache import ArchiveCache
from clew.web.follower_messages import Archiving, Change, FollowerReport
from clew.web.follower_process import start_follower, stop_follower
from clew.web.settings import Settings

_log: Final = logging.getLogger(__name__)
# Proxies may close a stream that is silent for longer.
_HEARTBEAT: Final = 25.0
_MAX_QUEUE: Final = 100


class ArchivingProgress(msgspec.Struct, frozen=True):
    """How far a long sync is; None when none is running."""

    archiving: Archiving | None = None


News: TypeAlias = Change | ArchivingProgress


class Listeners:
    """Open pages that wait for news; whoever has some may be in another thread."""

    def __init__(self) -> None:
        self._end = threading.Event()
        self._queues: set[asyncio.Queue[News | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        """Count the open pages."""
        return len(self._queues)

    @property
    def has_ended(self) -> bool:
        """Whether the streams were ended."""
        return self._end.is_set()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Notify from now on, in an event loop."""
        self._loop = loop

    def end(self) -> None:
        """End the streams."""
        self._end.set()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for queue in self._queues:
            if not queue.full():
                queue.put_nowait(None)

    async def listen(self) -> AsyncIterator[News | None]:
        """Yield each piece of news, and None as a heartbeat."""
        queue: asyncio.Queue[News | None] = asyncio.Queue(_MAX_QUEUE)
        self._queues.add(queue)
        try:
            while not self._end.is_set():
                try:
                    news = await asyncio.wait_for(queue.get(), _HEARTBEAT)
                except TimeoutError:
                    news = None
                if self._end.is_set():
                    return
                yield news
        finally:
            self._queues.discard(queue)

    def notify(self, news: News) -> None:
        """Send news to all of them."""
        if self._loop is not None and not self._end.is_set():
            self._loop.call_soon_threadsafe(self._send, news)

    def _send(self, news: News) -> None:
        for queue in self._queues:
            if not queue.full():
                queue.put_nowait(news)


class Live:
    """Reads what the follower reports from another process; notifies listeners in the event loop.

    `archiving` says how far a long sync is. `is_synced` is false until the first sync has ended.
    """

    def __init__(
        self,
        settings: Settings,
        cache: ArchiveCache,
        follower: subprocess.Popen[bytes] | None = None,
    ) -> None:
        self.settings = settings
        self.cache = cache
        self.trouble = ""
        self.archiving: Archiving | None = None
        self.is_synced = not settings.is_followed
        self._listeners = Listeners()
        self._follower = follower
        self._reader: threading.Thread | None = None

    def start(self) -> None:
        """Start the follower unless it is running; must run in the event loop."""
        self.start_in(asyncio.get_running_loop())
        if self.settings.is_followed:
            self._follower = self._follower or start_follower(self.settings)
            self._reader = threading.Thread(
                target=self._read_reports, args=(self._follower,), name="clew-follower", daemon=True
            )
            self._reader.start()

    def start_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """Notify listeners in an event loop, from any thread."""
        self._listeners.start(loop)

    def end(self) -> None:
        """End the streams."""
        self._listeners.end()

    async def stop(self) -> None:
        """End the streams, then the follower."""
        self.end()
        if self._follower is not None and self._reader is not None:
            await asyncio.to_thread(stop_follower, self._follower)
            await asyncio.to_thread(self._reader.join)

    @property
    def listeners(self) -> int:
        """How many open pages listen."""
        return len(self._listeners)

    def announce(self, change: Change) -> None:
        """Notify open pages of a change that somebody else found."""
        self._listeners.notify(change)

    def listen(self) -> AsyncIterator[News | None]:
        """Yield each change and each progress, and None as a heartbeat."""
        return self._listeners.listen()

    def _read_reports(self, follower: subprocess.Popen[bytes]) -> None:
        """Read what the follower reports until it exits."""
        with follower:
            for line in follower.stdout or ():
                self._handle(msgspec.json.decode(line, type=FollowerReport))
        if not self._listeners.has_ended:
            self.trouble = "new sessions are not archived: the sync process exited; restart clew"
            self._handle(FollowerReport(is_synced=True))
            _log.warning(self.trouble)

    def _handle(self, report: FollowerReport) -> None:
        is_news = report.archiving != self.archiving or not self.is_synced
        self.archiving = report.archiving
        self.is_synced = self.is_synced or report.is_synced
        if report.change is not None or report.is_synced:
            self.cache.invalidate_catalogue(is_archiving=report.archiving is not None)
        if report.is_synced:
            self.cache.disk.forget()
        if report.change is not None:
            self._handle_change(report.change)
        if is_news:
            self._listeners.notify(ArchivingProgress(report.archiving))

    def _handle_change(self, change: Change) -> None:
        if change.trouble and change.trouble != self.trouble:
            _log.warning("sync failed: %s", change.trouble)
        self.trouble = change.trouble
        if change.sessions:
            self._listeners.notify(change)
