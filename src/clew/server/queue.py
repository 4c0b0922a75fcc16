"""Which session a worker takes next, and what becomes of it: the table of states is the queue.

A claim is a lease: whoever does not renew it loses it to another worker. An attempt is counted
before the work, so that a session that ends its workers is given up after some of them. Nothing is
written for a session without holding its claim until the end of the transaction.
"""

import secrets
from typing import Final

import msgspec

from clew.errors import ClewError
from clew.store.postgres.team import TeamDatabase
from clew.store.protocols import Parameters
from clew.store.session_tables import PARSER_VERSION

WORK_CHANNEL: Final = "clew_work"
"""Where it is announced that a session is due."""
MOST_ATTEMPTS: Final = 5
"""So many attempts at the same bytes with the same parser are made."""
LEASE_SECONDS: Final = 60.0
"""How long a worker has a session without a sign of life."""

_ENDED: Final = f"{MOST_ATTEMPTS} workers ended while they read it, perhaps because memory ran out"
_FIRST_PAUSE_SECONDS: Final = 5.0
_LONGEST_PAUSE_SECONDS: Final = 300.0


class ClaimedSession(msgspec.Struct, frozen=True):
    """A session that one worker has for a time; `head_seq` says how far it was then."""

    owner: int
    session_id: str
    claim: str
    head_seq: int
    attempts: int

    def values(self, **others: object) -> Parameters:
        """Return the parameters of statements about it."""
        own = {"owner": self.owner, "session": self.session_id, "claim": self.claim}
        return {**own, **others}


class LostClaimError(ClewError):
    """Another worker has the session, or it was deleted."""

    def __init__(self, session: ClaimedSession) -> None:
        super().__init__(f"session {session.session_id} was given to another worker or deleted")


def claim_next(
    team: TeamDatabase, worker_name: str, lease: float = LEASE_SECONDS, *, outdated: bool = True
) -> ClaimedSession | None:
    """Claim a session that is due, else one whose rows are outdated; None if there is neither."""
    values = {
        "claim": f"{worker_name}:{secrets.token_hex(8)}",
        "lease": lease,
        "parser": PARSER_VERSION,
        "most": MOST_ATTEMPTS,
    }
    for name in ("claim_received", "claim_outdated")[: 2 if outdated else 1]:
        if (found := team.record(name, values)) is not None:
            return msgspec.convert(found, ClaimedSession)
    return None


def fail_exhausted(team: TeamDatabase) -> int:
    """Give up sessions whose last attempt ended without a word; return how many."""
    values = {"reason": _ENDED, "most": MOST_ATTEMPTS, "parser": PARSER_VERSION}
    return team.run("fail_exhausted", values)


def renew(team: TeamDatabase, session: ClaimedSession, lease: float = LEASE_SECONDS) -> bool:
    """Keep a session for longer; return whether that was possible."""
    return team.run("renew_claim", session.values(lease=lease)) > 0


def hold(team: TeamDatabase, session: ClaimedSession) -> int:
    """Make sure that a session stays ours until the end of the transaction; return its scope.

    Raises:
        LostClaimError: It is not.
    """
    found = team.record("hold_claim", session.values())
    if found is None:
        raise LostClaimError(session)
    return int(found["scope_id"])


def finish(team: TeamDatabase, session: ClaimedSession) -> None:
    """Record that a session's rows are made, in the transaction that writes them.

    Raises:
        LostClaimError: It is not ours any more.
    """
    values = session.values(head_seq=session.head_seq, parser=PARSER_VERSION)
    if not team.run("finish_claim", values):
        raise LostClaimError(session)


def release(team: TeamDatabase, session: ClaimedSession) -> None:
    """Let others do it at once, as if nobody had tried."""
    team.run("release_claim", session.values())


def postpone(team: TeamDatabase, session: ClaimedSession, reason: str, seconds: float) -> None:
    """Try again later: something is missing, and the session is not to blame."""
    team.run("postpone_claim", session.values(reason=reason, seconds=seconds))


def fail(team: TeamDatabase, session: ClaimedSession, reason: str) -> bool:
    """Record that an attempt failed; return whether it was the last one."""
    pause = min(_FIRST_PAUSE_SECONDS * 4 ** (session.attempts - 1), _LONGEST_PAUSE_SECONDS)
    values = session.values(reason=reason, seconds=pause, most=MOST_ATTEMPTS)
    found = team.record("fail_claim", values)
    return found is not None and found["failed_reason"] is not None


def retry_session(team: TeamDatabase, owner: int, session_id: str) -> bool:
    """Try a session again that failed or waits; return whether it did."""
    with team.transaction():
        changed = team.run("retry_session", {"owner": owner, "session": session_id})
        team.notify(WORK_CHANNEL)
    return changed > 0


def retry_all(team: TeamDatabase) -> int:
    """Try all sessions again that failed; return how many."""
    with team.transaction():
        changed = team.run("retry_all")
        team.notify(WORK_CHANNEL)
    return changed
