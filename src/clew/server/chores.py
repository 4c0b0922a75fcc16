"""What workers do besides sessions: each chore in small steps, which several may do at once."""

import logging
import time
from collections.abc import Callable
from typing import Final

import msgspec

from clew.server.collect import (
    GRACE_HOURS,
    QUARANTINE_DAYS,
    collect_forgotten,
    delete_doomed,
    sweep_frames,
)
from clew.server.deletion import purge_deleted
from clew.server.devices import delete_old_credentials
from clew.server.digest_queue import wake_digests
from clew.server.retention import expire_sessions
from clew.server.seal import seal_idle_files
from clew.store.errors import ArchiveUnavailableError
from clew.store.location import translate_errors
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation

_log: Final = logging.getLogger(__name__)
_MINUTE: Final = 60.0
_DAY: Final = 86_400.0
# It finds what others left undone, which is rarely anything, among all frames there are.
_SWEEP_SECONDS: Final = 20.0
_STATISTICS_SECONDS: Final = 5.0


class Chore(msgspec.Struct, frozen=True):
    """One step of a chore, how often it is due, and how much it has done."""

    name: str
    seconds: float
    do: Callable[[], int]


class Chores:
    """The chores of one worker; one that found something to do is due again at once."""

    def __init__(
        self,
        location: PostgresLocation,
        quarantine_days: float = QUARANTINE_DAYS,
        grace_hours: float = GRACE_HOURS,
    ) -> None:
        self._location = location
        self._hours = grace_hours
        self._swept = 0
        self._chores = (
            Chore("purge", 0, lambda: purge_deleted(location)),
            Chore("expire", 10 * _MINUTE, lambda: expire_sessions(location)),
            Chore("seal", _MINUTE, lambda: seal_idle_files(location)),
            Chore("forget", 10 * _MINUTE, lambda: collect_forgotten(location, grace_hours)),
            Chore("sweep", _SWEEP_SECONDS, self._sweep),
            Chore("statistics", _STATISTICS_SECONDS, lambda: refresh_statistics(location)),
            Chore("digests", 10 * _MINUTE, self._wake_digests),
            Chore("logins", _DAY, lambda: delete_old_credentials(location)),
            Chore("delete", 10 * _MINUTE, lambda: delete_doomed(location, quarantine_days)),
        )
        self._due = {chore.name: 0.0 for chore in self._chores}
        self._pauses = dict(self._due)

    def do_due(self) -> dict[str, int]:
        """Do one step of each chore that is due; return how much each has done."""
        done: dict[str, int] = {}
        for chore in self._chores:
            if time.monotonic() >= self._due[chore.name]:
                done[chore.name] = self._do(chore)
                pause = 0 if done[chore.name] else max(chore.seconds, self._pauses[chore.name])
                self._due[chore.name] = time.monotonic() + pause
        return done

    def _do(self, chore: Chore) -> int:
        """Do a step; after one that failed, there is a pause."""
        self._pauses[chore.name] = 0.0
        try:
            with translate_errors(self._location):
                return chore.do()
        except ArchiveUnavailableError:
            raise
        except Exception:  # noqa: BLE001 (others are to be done, whatever one of them meets)
            _log.exception("chore %s failed", chore.name)
            self._pauses[chore.name] = _MINUTE
            return 0

    def _wake_digests(self) -> int:
        with open_team(self._location) as team:
            return wake_digests(team)

    def _sweep(self) -> int:
        """Look at the next frames, and say that nothing was found: there is no hurry."""
        self._swept = sweep_frames(self._location, self._swept, self._hours)
        return 0


def refresh_statistics(location: PostgresLocation) -> int:
    """Let the database count the rows of tables that have grown; say that there is no hurry."""
    with open_team(location) as team:
        team.run("refresh_statistics")
    return 0
