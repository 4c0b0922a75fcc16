"""Which of several sessions made an answer that all of them contain."""

from collections.abc import Iterable
from typing import Final

import msgspec

from clew.entries import Body, Marker, Row

_LATER_THAN_ANY_TIME: Final = "~"


class SessionClaim(msgspec.Struct, frozen=True, order=True):
    """What a session brings to every claim of its own: smaller is stronger.

    A fork copies answers with their times, but says that it is a fork, or began to write its own
    markers later.
    """

    is_fork: bool
    first_marker_at: str
    session_id: str

    @property
    def text(self) -> str:
        """Return it as the archive stores it: times with this text appended sort as claims do."""
        return f"|{int(self.is_fork)}|{self.first_marker_at}|{self.session_id}"

    def on_answer(self, at: str) -> "Claim":
        """Return the claim on an answer that the session has at a time; none is the weakest."""
        return Claim(at or _LATER_THAN_ANY_TIME, self)


class Claim(msgspec.Struct, frozen=True, order=True):
    """A session's claim to have made an answer; of several claims the smallest is right.

    The copy in a resumed session is later than the answer itself.
    """

    at: str
    session: SessionClaim


def session_claim(session_id: str, bodies: Iterable[Body]) -> SessionClaim:
    """Read a session's claim from the bodies of its own transcripts."""
    is_fork, first = False, _LATER_THAN_ANY_TIME
    for body in bodies:
        if isinstance(body, Row):
            is_fork = is_fork or body.forked_from is not None
        elif isinstance(body, Marker) and body.timestamp:
            first = min(first, body.timestamp)
    return SessionClaim(is_fork, first, session_id)
