"""Reads of others' sessions, written to the audit log before anything of them is sent."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from clew.server.audit import audit_read, write_audit
from clew.server.principal import Principal
from clew.server.sharing import SharedSession
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from clew.web.cache import RAW

FOUND: Final = "session.found"
LISTED: Final = "session.listed"
LINK_READ: Final = "link.read"
TITLES: Final = "titles.listed"
_ONCE_IN_SECONDS: Final = 600.0
_MOST_REMEMBERED: Final = 20_000


class ReadLog:
    """Notes each read; the same session by the same member once in ten minutes.

    A page is read in many requests, and none of them waits for more than the first line. Whole
    files are noted every time.
    """

    def __init__(self, location: PostgresLocation) -> None:
        self._location = location
        self._noted: OrderedDict[tuple[int, str, int, str], float] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, principal: Principal, action: str, owner: int, session_id: str) -> None:
        """Note that a member reads a session, unless it is their own."""
        self.note_all(principal, action, [(owner, session_id)])

    def note_all(
        self, principal: Principal, action: str, sessions: Iterable[tuple[int, str]]
    ) -> None:
        """Note that a member reads sessions, given by owner and id, that are not their own.

        One transaction notes all of them: each waits for the disk.
        """
        keys = dict.fromkeys(
            (principal.member_id, action, owner, session_id)
            for owner, session_id in sessions
            if owner != principal.member_id
        )
        new = [key for key in keys if action == RAW or not self._is_noted(key)]
        if not new:
            return
        with open_team(self._location) as team, team.transaction():
            for _, _, owner, session_id in new:
                audit_read(team, principal, action, owner, session_id)
        for key in new:
            self._remember(key)

    def _remember(self, key: tuple[int, str, int, str]) -> None:
        with self._lock:
            self._noted[key] = time.monotonic()
            self._noted.move_to_end(key)
            while len(self._noted) > _MOST_REMEMBERED:
                self._noted.popitem(last=False)

    def note_titles(self, principal: Principal, owners: Iterable[int]) -> None:
        """Note that a member sees titles of others' sessions; once in ten minutes for each."""
        keys = [
            (principal.member_id, TITLES, owner, "")
            for owner in sorted(owners)
            if owner != principal.member_id
        ]
        new = [key for key in keys if not self._is_noted(key)]
        if not new:
            return
        with open_team(self._location) as team, team.transaction():
            for _, action, owner, _ in new:
                audit_read(team, principal, action, owner, None)
        for key in new:
            self._remember(key)

    def note_link(self, link: SharedSession) -> None:
        """Note that somebody reads a session by a link."""
        key = (0, LINK_READ, link.owner, str(link.id))
        if self._is_noted(key):
            return
        with open_team(self._location) as team:
            write_audit(
                team,
                link.organisation_id,
                LINK_READ,
                owner=link.owner,
                session_id=link.session_id,
                detail=f"link {link.id}",
            )
        self._remember(key)

    def _is_noted(self, key: tuple[int, str, int, str]) -> bool:
        with self._lock:
            return time.monotonic() - self._noted.get(key, float("-inf")) < _ONCE_IN_SECONDS
