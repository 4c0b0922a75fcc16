"""What a session was doing at its last line, and the state that follows from it."""

import datetime as dt
from typing import Final, Literal, TypeAlias

import msgspec

from clew.insight.live.context_fill import ContextFill

Doing: TypeAlias = Literal[
    "answering", "calling", "may_ask", "asking", "may_be_over", "turn_over", "left"
]
State: TypeAlias = Literal["working", "waiting", "finished"]

LIVE_WINDOW: Final = dt.timedelta(hours=2)
"""Sessions whose last line is older are not running, unless a question is open."""
QUESTION_WINDOW: Final = dt.timedelta(days=7)
"""A question that has been open for longer is not waited for any more."""
LONGEST_ACTION: Final = 200
LONGEST_CALL_MS: Final = 120_000
"""Claude Code ends a command after this time, unless its input or the settings say otherwise."""


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """What a session was doing when its last line was written.

    - `answering`: the model has what it needs for its next answer.
    - `calling`: a tool runs, or a command of the person.
    - `may_ask`: a call that people are asked about has no result; nothing says that it runs.
    - `asking`: a question or a plan waits for an answer.
    - `may_be_over`: the last row is text, and does not say whether the answer goes on.
    - `turn_over`: the turn has ended.
    - `left`: the person has left the client, or the client ends with its turn.

    `action` is the last call, answer or prompt in one line, in the message `message_id`; `call_id`
    is set where it is a call, and `is_unsure` says that it may ask for permission: it has ended
    after `limit_ms` if it runs. `at` is when the last line was written.
    """

    doing: Doing
    reason: str
    at: str = ""
    action: str = ""
    message_id: str = ""
    call_id: str = ""
    context: ContextFill | None = None
    is_unsure: bool = False
    limit_ms: float = LONGEST_CALL_MS


class LiveState(msgspec.Struct, frozen=True):
    """The state of a session at some moment, why, and whether the rows alone do not prove it."""

    state: State
    reason: str
    is_inferred: bool = False
