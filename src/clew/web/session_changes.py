"""What a session changed, for its page and the API."""

from typing import Annotated, TypeAlias

from litestar.params import QueryParameter

from clew.errors import NotFoundError
from clew.replay import SessionChanges, find_changes
from clew.web.session_cache import OpenSession

TurnParam: TypeAlias = Annotated[
    int | None, QueryParameter(ge=0, description="Only what this turn changed; by default all.")
]

RunParam: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        name="run", max_length=200, description="Only what this agent run changed; by default all."
    ),
]


def changes_of(session: OpenSession, turn: int | None, run_id: str | None = None) -> SessionChanges:
    """Find what a session changed.

    Raises:
        NotFoundError: It has no such turn, or no such run.
    """
    conversation = session.index.conversation
    if turn is not None and all(each.index != turn for each in conversation.turns):
        raise NotFoundError(f"no turn {turn}: the session has {len(conversation.turns)}")
    if run_id is not None and all(run.id != run_id for run in conversation.agent_runs):
        raise NotFoundError(f"the session has no agent run {run_id[:80]!r}")
    return find_changes(conversation, session.replay, turn, run_id)
