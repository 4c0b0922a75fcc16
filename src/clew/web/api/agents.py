"""The agent runs of a session, as a tree."""

from typing import Final

import msgspec
from litestar import Response

from clew.view import RunSummary
from clew.web.api.routes import json_route
from clew.web.api.session import respond_from
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.session_cache import OpenSession

_SESSION: Final = "/api/sessions/{session_id:str}"


class AgentsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The agent runs of a session, each after the run that started it and one deeper.

    `hidden` are those that the client started by itself, to warm up or to suggest a prompt.
    """

    schema: str = "clew.agents/1"
    session_id: str
    runs: tuple[RunSummary, ...] = ()
    hidden: tuple[RunSummary, ...] = ()


@json_route(f"{_SESSION}/agents", "agents", "sessions", AgentsAnswer, "Agent runs as a tree")
def agents(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get the agent runs of a session as a tree, with status, duration, calls, tokens and cost."""

    def make(session: OpenSession, _version: str) -> AgentsAnswer:
        tree = session.run_tree
        return AgentsAnswer(session_id=session.id, runs=tree.runs, hidden=tree.hidden)

    return respond_from(request, session_id, make)
