"""A worker: claims sessions that are due, derives or digests them, and waits for more.

Any number of workers run on any number of machines. One that has lost its database waits and goes
on; one that is told to stop finishes what it has begun.
"""

import logging
import os
import platform
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Final

import msgspec

from clew.errors import ClewError
from clew.server import queue
from clew.server.chores import Chores
from clew.server.collect import GRACE_HOURS, QUARANTINE_DAYS
from clew.server.derive import derive_session
from clew.server.digest_work import Digester
from clew.server.leases import renewing
from clew.server.logs import describe_failure
from clew.server.place import LostFramesError, mark_lost
from clew.server.queue import ClaimedSession, LostClaimError
from clew.server.work_report import WorkerReport
from clew.store.errors import ArchiveUnavailableError, WriteConflictError
from clew.store.location import translate_errors
from clew.store.postgres.listen import Listener
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation

if TYPE_CHECKING:
    from clew.store.postgres.known_words import WordMemory

_log: Final = logging.getLogger(__name__)
# A device sends what was lost at its next push; that makes the session due at once.
_LOST_PAUSE_SECONDS: Final = 300.0
_UNAVAILABLE_PAUSE_SECONDS: Final = 15.0
_CONFLICT_PAUSE_SECONDS: Final = 1.0


class WorkerSettings(msgspec.Struct, frozen=True):
    """How a worker works: its name, how long it may have a session, how often it looks for one.

    Objects that nothing refers to are deleted after `quarantine_days`, frames that no manifest
    names after `grace_hours`.
    """

    name: str = ""
    lease_seconds: float = queue.LEASE_SECONDS
    poll_seconds: float = 5.0
    quarantine_days: float = QUARANTINE_DAYS
    grace_hours: float = GRACE_HOURS

    @property
    def full_name(self) -> str:
        """What administrators see: the machine and the process, unless there is another name."""
        return self.name or f"{platform.node() or 'worker'}-{os.getpid()}"


class Worker:
    """Derives sessions one at a time, until it is stopped or nothing is due."""

    def __init__(
        self,
        location: PostgresLocation,
        settings: WorkerSettings | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.location = location
        self.settings = settings or WorkerSettings()
        self.stop = stop or threading.Event()
        self.report = WorkerReport()
        self._has_ended = threading.Event()
        self._digester = Digester(
            location, self.settings.full_name, self.settings.lease_seconds, self.report
        )
        self._abandoned: list[ClaimedSession] = []
        self._memory: WordMemory = {}
        chosen = self.settings
        self._chores = Chores(location, chosen.quarantine_days, chosen.grace_hours)

    def run_once(self) -> WorkerReport:
        """Derive and digest all that is due, do one round of chores, and stop.

        Raises:
            ArchiveUnavailableError: The database or the objects cannot be reached.
        """
        with translate_errors(self.location):
            while not self.stop.is_set() and (self.work() or self._digester.work()):
                pass
            self._do_chores()
        return self.report

    def run(self) -> WorkerReport:
        """Derive what is due, and wait for more, until somebody sets `stop`."""
        try:
            with self._digesting():
                return self._run()
        finally:
            # Whoever was interrupted gives back what it has begun, if that is possible.
            if self._abandoned:
                with (
                    suppress(ClewError),
                    translate_errors(self.location),
                    open_team(self.location) as team,
                ):
                    self._release_abandoned(team)

    def _run(self) -> WorkerReport:
        listener: Listener | None = None
        trouble = ""
        while not self.stop.is_set():
            try:
                with translate_errors(self.location):
                    listener = listener or Listener(self.location, queue.WORK_CHANNEL)
                    has_worked = self.work()
                    has_worked = self._do_chores() or has_worked
                    if not has_worked:
                        listener.wait(self.settings.poll_seconds)
                trouble = ""
            except ArchiveUnavailableError as error:
                if str(error) != trouble:
                    trouble = str(error)
                    _log.warning("waiting: %s", trouble)
                _close(listener)
                listener = None
                self.stop.wait(self.settings.poll_seconds)
        _close(listener)
        return self.report

    def work(self) -> bool:
        """Take one session if any is due; return whether there was one."""
        with open_team(self.location) as team:
            self._release_abandoned(team)
            queue.fail_exhausted(team)
            session = queue.claim_next(team, self.settings.full_name, self.settings.lease_seconds)
        if session is None:
            return False
        try:
            self._derive(session)
        except BaseException:
            # It is tried again as soon as the database can be told.
            self._abandoned.append(session)
            raise
        return True

    def _release_abandoned(self, team: TeamDatabase) -> None:
        while self._abandoned:
            queue.release(team, self._abandoned[-1])
            self._abandoned.pop()

    def _do_chores(self) -> bool:
        """Do a step of what else there is to do; return whether there was anything."""
        done = self._chores.do_due()
        self.report.sessions_deleted += done.get("purge", 0)
        self.report.objects_deleted += done.get("delete", 0)
        return any(done.values())

    def _derive(self, session: ClaimedSession) -> None:
        report = self.report
        try:
            with translate_errors(self.location), self._renewing(session):
                done = derive_session(self.location, session, self._memory)
        except LostClaimError:
            report.sessions_lost += 1
            _log.info("session %s: lost to another worker", session.session_id)
        except LostFramesError as error:
            with open_team(self.location) as team:
                mark_lost(team, error.frames)
            self._postpone(session, error, _LOST_PAUSE_SECONDS)
        except WriteConflictError as error:
            self._postpone(session, error, _CONFLICT_PAUSE_SECONDS)
        except ArchiveUnavailableError as error:
            self._postpone(session, error, _UNAVAILABLE_PAUSE_SECONDS)
            raise
        except Exception as error:  # noqa: BLE001 (whatever a session does, others are to be derived)
            self._fail(session, describe_failure(error))
        else:
            report.sessions_derived += 1
            report.bytes_read += done.bytes_read
            report.rows_written += done.rows_written
            _log.info("session %s: %d rows", session.session_id, done.rows_written)

    def _postpone(self, session: ClaimedSession, error: ClewError, seconds: float) -> None:
        self.report.sessions_waiting += 1
        _log.warning("session %s waits: %s", session.session_id, error)
        with open_team(self.location) as team:
            queue.postpone(team, session, str(error), seconds)

    def _fail(self, session: ClaimedSession, reason: str) -> None:
        with open_team(self.location) as team:
            is_last = queue.fail(team, session, reason)
        self.report.sessions_failed += is_last
        _log.error(
            "session %s failed (attempt %d): %s", session.session_id, session.attempts, reason
        )

    def _renewing(self, session: ClaimedSession) -> AbstractContextManager[None]:
        lease = self.settings.lease_seconds
        return renewing(self.location, lease, lambda team: queue.renew(team, session, lease))

    @contextmanager
    def _digesting(self) -> Iterator[None]:
        """Digest sessions beside the rest: a model may take minutes for its answer."""
        thread = threading.Thread(target=self._digest_until_stopped, name="digests", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._has_ended.set()
        # Whoever is interrupted waits for no model.
        thread.join()

    def _digest_until_stopped(self) -> None:
        while not (self.stop.is_set() or self._has_ended.is_set()):
            try:
                has_worked = self._digester.work()
            except ArchiveUnavailableError:
                # The other thread says so.
                has_worked = False
            except Exception:  # noqa: BLE001 (sessions are derived, whatever happens here)
                _log.exception("digests failed")
                has_worked = False
            if not has_worked:
                self._has_ended.wait(self.settings.poll_seconds)


def _close(listener: Listener | None) -> None:
    if listener is not None:
        listener.close()
