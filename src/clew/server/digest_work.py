"""A parsed, idle session → its digest, within the budget of its organisation.

What a session cannot help (the budget, a key, a server that is busy) makes its organisation wait;
what is about the session itself is tried again some times, and then given up with its reason.
"""

import datetime as dt
import logging
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final

import msgspec

from clew.archive import Archive
from clew.clock import parse_time
from clew.digest import DigestError, DigestModel
from clew.digest_models import (
    NANO,
    PAUSE,
    Budget,
    BudgetError,
    DigestRun,
    ModelAnswerCutError,
    ModelAnswerTooLargeError,
    ModelBadRequestError,
    ModelDeclinedError,
    ModelError,
    ModelInterruptedError,
    ModelTimeoutError,
    NoModelKeyError,
    NothingSaidError,
    TooSoonError,
    choose_model,
)
from clew.errors import ClewError
from clew.server import digest_queue as queue
from clew.server.digest_queue import ClaimedDigest, LostDigestError
from clew.server.digest_settings import OrganisationDigests, read_digest_settings
from clew.server.leases import renewing
from clew.server.logs import describe_failure
from clew.server.work_report import WorkerReport
from clew.settings import DigestSettings, SettingsFile
from clew.store import KeptDigest, write_digest
from clew.store.errors import ArchiveUnavailableError, WriteConflictError
from clew.store.location import translate_errors
from clew.store.postgres.database import PostgresDatabase, open_owner_database
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation

_log: Final = logging.getLogger(__name__)
# After these the next session may go well; after other errors of a model it would not.
_OF_ONE_SESSION: Final = (
    DigestError,
    ModelAnswerCutError,
    ModelAnswerTooLargeError,
    ModelBadRequestError,
    ModelDeclinedError,
    ModelInterruptedError,
    ModelTimeoutError,
)
_PAUSE_SECONDS: Final = 300.0
# Reading a session to find that it cannot be paid is not to be repeated often: what was spent 24
# hours ago counts no longer, so there may be a little budget at any time.
_BUDGET_PAUSE_SECONDS: Final = 600.0
_BUDGET_RETRY_SECONDS: Final = 3_600.0
_TOO_DEAR_SECONDS: Final = 86_400.0
_UNAVAILABLE_SECONDS: Final = 15.0
_WRITES: Final = 5
_NO_KEY: Final = "no key for the API is set; set ANTHROPIC_API_KEY where workers run"


class Digester:
    """Digests sessions one at a time; keys come from the environment or the settings file."""

    def __init__(
        self,
        location: PostgresLocation,
        worker_name: str,
        lease_seconds: float,
        report: WorkerReport,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.location = location
        self.report = report
        self._name = worker_name
        self._lease = lease_seconds
        self._environ = os.environ if environ is None else environ

    def work(self) -> bool:
        """Take one session if any is to be digested; return whether there was one.

        Raises:
            ArchiveUnavailableError: The database or the files cannot be reached.
        """
        with translate_errors(self.location):
            with open_team(self.location) as team:
                session = queue.claim_digest(team, self._name, self._lease)
                if session is None:
                    return False
                settings = read_digest_settings(team, session.organisation_id)
            try:
                self._try(session, settings)
            except BaseException:
                self._give_back(session)
                raise
        return True

    def _give_back(self, session: ClaimedDigest) -> None:
        """Let others do it soon, if the database can be told; else its lease ends."""
        with (
            suppress(ClewError),
            translate_errors(self.location),
            open_team(self.location) as team,
        ):
            queue.postpone_digest(team, session, _UNAVAILABLE_SECONDS)

    def _renewing(self, session: ClaimedDigest) -> AbstractContextManager[None]:
        lease = self._lease
        return renewing(self.location, lease, lambda team: queue.renew_digest(team, session, lease))

    def _try(self, session: ClaimedDigest, settings: OrganisationDigests) -> None:
        name = session.session_id
        try:
            with translate_errors(self.location), self._renewing(session):
                self._digest(session, settings)
        except LostDigestError as error:
            _log.info("%s", error)
        except BudgetError as error:
            self._wait_for_budget(session, settings, error)
        except TooSoonError as error:
            self._postpone(session, _seconds_until_next(error.kept))
        except NothingSaidError as error:
            _log.info("%s", error)
            self._postpone(session, 0, skip=queue.EMPTY)
        except _OF_ONE_SESSION as error:
            self._fail(session, str(error))
        except ModelError as error:
            self._wait_for_model(session, error)
        except ArchiveUnavailableError as error:
            _log.warning("session %s is digested later: %s", name, error)
            raise
        except Exception as error:  # noqa: BLE001 (whatever a session does, others are to be digested)
            self._fail(session, describe_failure(error))
        else:
            self.report.sessions_digested += 1
            _log.info("session %s: digested", name)

    def _digest(self, session: ClaimedDigest, settings: OrganisationDigests) -> None:
        """Let a model write the digest of a session, and keep it while the claim is held."""
        own = msgspec.structs.replace(self.location, owner=session.owner, scopes=None)
        values = SettingsFile(self._environ, Path.home()).values.digest
        model = self._choose(settings.model, values)
        database = open_owner_database(own.database_url, own.owner)
        archive = Archive(own)
        try:
            team = TeamDatabase(database.connection)
            owners = team.rows("organisation_owners", {"organisation_id": session.organisation_id})
            run = DigestRun(
                archive,
                database,
                model,
                _budget(settings, [int(row[0]) for row in owners]),
                redact=values.redact,
                clock=lambda: _server_time(team),
                keep=lambda kept: _keep(database, session, kept),
            )
            if run.find_current(session.session_id) is None:
                _require_budget(run, session, settings, _server_time(team))
                run.digest(session.session_id)
            else:
                queue.finish_digest(team, session)
        finally:
            archive.close()
            database.close()

    def _choose(self, name: str, values: DigestSettings) -> DigestModel:
        return choose_model(name, values, self._environ, Path.home())

    def _wait_for_budget(
        self, session: ClaimedDigest, settings: OrganisationDigests, error: BudgetError
    ) -> None:
        """Mark a session as skipped; others wait until there may be budget again."""
        is_too_dear = error.highest_nano_usd > settings.day_nano_usd
        seconds = _TOO_DEAR_SECONDS if is_too_dear else _BUDGET_RETRY_SECONDS
        self._postpone(session, seconds, str(error), queue.OVER_BUDGET)
        if not is_too_dear:
            self._pause(session, _BUDGET_PAUSE_SECONDS, str(error), is_over_budget=True)

    def _wait_for_model(self, session: ClaimedDigest, error: ModelError) -> None:
        reason = _NO_KEY if isinstance(error, NoModelKeyError) else str(error)
        _log.warning("organisation %d waits: %s", session.organisation_id, reason)
        self._postpone(session, _PAUSE_SECONDS, reason)
        self._pause(session, _PAUSE_SECONDS, reason)

    def _pause(
        self, session: ClaimedDigest, seconds: float, reason: str, *, is_over_budget: bool = False
    ) -> None:
        with open_team(self.location) as team:
            queue.pause_digests(
                team, session.organisation_id, seconds, reason, is_over_budget=is_over_budget
            )

    def _postpone(
        self,
        session: ClaimedDigest,
        seconds: float,
        reason: str | None = None,
        skip: str | None = None,
    ) -> None:
        self.report.digests_postponed += 1
        with open_team(self.location) as team:
            queue.postpone_digest(team, session, seconds, reason, skip)

    def _fail(self, session: ClaimedDigest, reason: str) -> None:
        with open_team(self.location) as team:
            is_last = queue.fail_digest(team, session, reason)
        self.report.digests_failed += is_last
        _log.error(
            "session %s: no digest (attempt %d): %s", session.session_id, session.attempts, reason
        )


def _budget(settings: OrganisationDigests, owners: list[int]) -> Budget:
    day = settings.day_nano_usd
    return Budget(run_nano_usd=day, day_nano_usd=day, owners=tuple(owners))


def _require_budget(
    run: DigestRun, session: ClaimedDigest, settings: OrganisationDigests, now: dt.datetime
) -> None:
    """Make sure that all parts of a session can be paid, before the first one is.

    Raises:
        BudgetError: They cannot.
        NothingSaidError: There is nothing to digest.
    """
    highest = run.plan(session.session_id).highest_nano_usd
    if run.ledger.spent_today(now) + highest > settings.day_nano_usd:
        advice = "it is digested when there is budget again"
        if highest > settings.day_nano_usd:
            advice = f"raise the budget above ${highest / NANO:.2f} to have it digested"
        raise BudgetError("per day", settings.day_nano_usd, highest, advice)


def _keep(database: PostgresDatabase, session: ClaimedDigest, kept: KeptDigest) -> None:
    """Keep a digest if the session is still ours; it is paid, so a conflict does not end it."""
    for left in reversed(range(_WRITES)):
        try:
            _keep_once(database, session, kept)
        except WriteConflictError:
            if not left:
                raise
        else:
            return


def _keep_once(database: PostgresDatabase, session: ClaimedDigest, kept: KeptDigest) -> None:
    team = TeamDatabase(database.connection)
    with database.transaction():
        queue.hold_digest(team, session)
        write_digest(database, kept)
        queue.finish_digest(team, session)
    queue.resume_digests(team, session.organisation_id)


def _server_time(team: TeamDatabase) -> dt.datetime:
    """Return the time of the database: clocks of workers may differ."""
    now: dt.datetime = team.rows("server_now")[0][0]
    return now


def _seconds_until_next(kept: KeptDigest) -> float:
    made_at = parse_time(kept.made_at)
    if made_at is None:
        return PAUSE.total_seconds()
    return max((made_at + PAUSE - dt.datetime.now(dt.UTC)).total_seconds(), 1)
