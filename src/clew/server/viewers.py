"""The viewers of the server: a cache for each, within limits for all, and news of changes."""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from typing import Final, TypeAlias

import msgspec

from clew.server.accounts import scopes_of
from clew.server.audit_reads import ReadLog
from clew.server.principal import Principal
from clew.server.viewer_cache import SharedByViewers, ViewerCache
from clew.store import explain_error
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from clew.web.follower_messages import Change
from clew.web.live import Live
from clew.web.settings import CacheLimits

_log: Final = logging.getLogger(__name__)
# As long as there is room: a viewer who comes back to nothing costs several times as much.
_MOST_VIEWERS: Final = 256
_MOST_BYTES: Final = 280_000_000
# Sessions that are built, for all viewers.
_SESSION_BYTES: Final = 120_000_000
_SHAPE_BYTES: Final = 16_000_000
# Lists of sessions are in memory, about two kilobytes for each session.
_MOST_LISTED: Final = 200_000
LIMITS: Final = CacheLimits(sessions=12_000_000, responses=4_000_000, shapes=0)
"""The limits of each viewer; all of them share `_MOST_BYTES`."""
_LOOK_SECONDS: Final = 1.0
_STREAM_SECONDS: Final = 300.0

_Key: TypeAlias = tuple[Principal, tuple[int, ...]]


class OpenViewer(msgspec.Struct, frozen=True):
    """What the requests of one viewer share."""

    cache: ViewerCache
    live: Live


class Viewers:
    """Caches of viewers by member, role and scopes: who sees other sessions has another cache.

    Those that were not used for longest are dropped first, but none whose pages are open.
    """

    def __init__(self, location: PostgresLocation, log: ReadLog, blobs_url: str = "") -> None:
        self.location = location
        self.log = log
        self._blobs_url = blobs_url
        self._shared = SharedByViewers(_SESSION_BYTES, _SHAPE_BYTES)
        self._open: OrderedDict[_Key, OpenViewer] = OrderedDict()
        self._lock = threading.Lock()
        self._long_session = threading.Lock()
        self._numbers: dict[int, int] = {}
        self._end = threading.Event()
        self._renew_at = time.monotonic() + _STREAM_SECONDS
        self._thread = threading.Thread(target=self._follow, name="clew-changes", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Look for changes from now on; must run in the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def stop(self) -> None:
        """End all streams, and stop looking."""
        self._end.set()
        self.end_streams()
        await asyncio.to_thread(self._thread.join)

    def end_streams(self) -> None:
        """End all streams."""
        for viewer in self._all():
            viewer.live.end()

    def of(self, principal: Principal, scopes: tuple[int, ...]) -> OpenViewer:
        """Return what the requests of a viewer share."""
        # A member sees the same from all of their devices, but the log says which it was.
        key = (principal, scopes)
        with self._lock:
            if key not in self._open:
                self._open[key] = self._make(principal, scopes)
            self._open.move_to_end(key)
            self._make_room(key)
            return self._open[key]

    def _make(self, principal: Principal, scopes: tuple[int, ...]) -> OpenViewer:
        location = msgspec.structs.replace(self.location, scopes=scopes, viewer=principal.member_id)
        cache = ViewerCache(location, principal, self.log, LIMITS, self._long_session, self._shared)
        cache.blobs_url = self._blobs_url
        return OpenViewer(cache, self._make_live(cache))

    def _make_live(self, cache: ViewerCache) -> Live:
        live = Live(cache.settings, cache)
        if self._loop is not None:
            live.start_in(self._loop)
        return live

    def _make_room(self, newest: _Key) -> None:
        for key in list(self._open):
            if self._is_room():
                return
            if key != newest and not self._open[key].live.listeners:
                del self._open[key]

    def _is_room(self) -> bool:
        caches = [viewer.cache for viewer in self._open.values()]
        # Viewers who see the same have one list.
        lists = {id(listed): listed for listed in (cache.listed for cache in caches) if listed}
        return (
            len(caches) <= _MOST_VIEWERS
            and sum(len(listed.sessions) for listed in lists.values()) <= _MOST_LISTED
            and sum(cache.size_bytes for cache in caches) <= _MOST_BYTES
        )

    def drop_idle_sessions(self) -> None:
        """Free the memory of sessions that nobody has read for some seconds."""
        for viewer in self._all():
            viewer.cache.drop_idle_sessions()

    def _all(self) -> list[OpenViewer]:
        with self._lock:
            return list(self._open.values())

    def _follow(self) -> None:
        """Notify open pages of changes until the server stops."""
        while not self._end.wait(_LOOK_SECONDS):
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 (the edge of a thread)
                explained = explain_error(self.location, error)
                _log.warning("changes are not announced: %s", explained or type(error).__name__)

    def _look(self) -> None:
        if time.monotonic() >= self._renew_at:
            self._renew_at = time.monotonic() + _STREAM_SECONDS
            self._renew_streams()
        with open_team(self.location) as team:
            numbers: dict[int, int] = dict(team.rows("archive_changes"))
            changed = [one for one, number in numbers.items() if self._numbers.get(one) != number]
            self._numbers = numbers
            for viewer in self._all() if changed else ():
                if viewer.live.listeners:
                    self._announce(team, viewer, changed)

    def _renew_streams(self) -> None:
        """End all streams: pages open new ones, for which it is looked up who they are."""
        with self._lock:
            for key, viewer in self._open.items():
                if viewer.live.listeners:
                    viewer.live.end()
                    self._open[key] = OpenViewer(viewer.cache, self._make_live(viewer.cache))

    def _drop(self, viewer: OpenViewer) -> None:
        """End the streams of a viewer; should they see the same again, they are a new one."""
        with self._lock:
            for key in [key for key, one in self._open.items() if one is viewer]:
                del self._open[key]
        viewer.live.end()

    def _announce(self, team: TeamDatabase, viewer: OpenViewer, owners: list[int]) -> None:
        """Tell a viewer which sessions changed, as long as they still see the same."""
        cache = viewer.cache
        if not _is_same_viewer(team, cache):
            self._drop(viewer)
            return
        names = tuple(cache.changed_names(owners))
        if names:
            viewer.live.announce(Change(sessions=names))


def _is_same_viewer(team: TeamDatabase, cache: ViewerCache) -> bool:
    """Tell whether a member still is who they were, and sees the same scopes."""
    principal = cache.principal
    values = {
        "member_id": principal.member_id,
        "device_id": principal.device_id,
        "role": principal.role,
    }
    is_let_in = team.record("still_let_in", values) is not None
    return is_let_in and scopes_of(team, principal) == cache.location.scopes
