"""Which parsed session a model reads next, and what becomes of it.

As for parsing, a claim is a lease, an attempt is counted before the work, and nothing is written
without holding the claim. It is a claim of its own: a session that grows is parsed meanwhile.
"""

import secrets
from typing import Final

import msgspec

from clew.digest_models import PAUSE
from clew.errors import ClewError
from clew.server.queue import LEASE_SECONDS, MOST_ATTEMPTS
from clew.store.postgres.team import TeamDatabase
from clew.store.protocols import Parameters

OVER_BUDGET: Final = "budget"
"""Why a session has no digest until there is budget again."""
EMPTY: Final = "empty"
"""Why a session in which nobody said anything has none."""

_ENDED: Final = f"{MOST_ATTEMPTS} workers ended while they digested it"
# Each attempt may cost something, and what is wrong with a model takes its time to be repaired.
_FIRST_PAUSE_SECONDS: Final = 300.0
_MOST_WOKEN: Final = 1_000


class ClaimedDigest(msgspec.Struct, frozen=True):
    """A session that one worker has for a time; `derived_seq` says how far it was parsed then."""

    owner: int
    session_id: str
    organisation_id: int
    claim: str
    derived_seq: int
    attempts: int

    def values(self, **others: object) -> Parameters:
        """Return the parameters of statements about it."""
        own = {"owner": self.owner, "session": self.session_id, "claim": self.claim}
        return {**own, **others}


class LostDigestError(ClewError):
    """Another worker has the session, it was deleted, or nobody wants its digest any more."""

    def __init__(self, session: ClaimedDigest) -> None:
        super().__init__(
            f"session {session.session_id} was given to another worker, deleted, or is not to be "
            "digested any more"
        )


def claim_digest(
    team: TeamDatabase, worker_name: str, lease: float = LEASE_SECONDS
) -> ClaimedDigest | None:
    """Claim a session that is idle and has no digest of what it has now; None if there is none."""
    team.run("fail_exhausted_digests", {"reason": _ENDED, "most": MOST_ATTEMPTS})
    team.run("skip_over_budget")
    values = {
        "claim": f"{worker_name}:{secrets.token_hex(8)}",
        "lease": lease,
        "most": MOST_ATTEMPTS,
    }
    found = team.record("claim_digest", values)
    return None if found is None else msgspec.convert(found, ClaimedDigest)


def renew_digest(team: TeamDatabase, session: ClaimedDigest, lease: float) -> bool:
    """Keep a session for longer; return whether that was possible."""
    return team.run("renew_digest", session.values(lease=lease)) > 0


def hold_digest(team: TeamDatabase, session: ClaimedDigest) -> None:
    """Make sure that a digest may be written, until the end of the transaction.

    Raises:
        LostDigestError: It may not.
    """
    if not team.rows("hold_digest", session.values()):
        raise LostDigestError(session)


def finish_digest(team: TeamDatabase, session: ClaimedDigest) -> None:
    """Record that there is a digest; the next one is made in six hours at the earliest."""
    seconds = PAUSE.total_seconds()
    team.run("finish_digest", session.values(derived_seq=session.derived_seq, seconds=seconds))


def postpone_digest(
    team: TeamDatabase,
    session: ClaimedDigest,
    seconds: float,
    reason: str | None = None,
    skip: str | None = None,
) -> None:
    """Try again later: the session is not to blame. `skip` is why there is no digest until then."""
    team.run("postpone_digest", session.values(seconds=seconds, reason=reason, skip=skip))


def fail_digest(team: TeamDatabase, session: ClaimedDigest, reason: str) -> bool:
    """Record that an attempt failed; return whether it was the last one."""
    pause = _FIRST_PAUSE_SECONDS * 4 ** (session.attempts - 1)
    values = session.values(reason=reason, seconds=pause, most=MOST_ATTEMPTS)
    found = team.record("fail_digest", values)
    return found is not None and bool(found["is_last"])


def pause_digests(
    team: TeamDatabase,
    organisation_id: int,
    seconds: float,
    reason: str,
    *,
    is_over_budget: bool = False,
) -> None:
    """Ask no model for an organisation for a while: all of its sessions would meet the same."""
    values = {"organisation_id": organisation_id, "seconds": seconds, "reason": reason}
    team.run("pause_digests", {**values, "is_over_budget": is_over_budget})


def resume_digests(team: TeamDatabase, organisation_id: int) -> None:
    """Forget what an organisation waited for: a model has answered."""
    team.run("resume_digests", {"organisation_id": organisation_id})


def wake_digests(team: TeamDatabase) -> int:
    """Let sessions have digests that a worker of an earlier version has marked; return how many."""
    return team.run("wake_digests", {"most": _MOST_WOKEN})
