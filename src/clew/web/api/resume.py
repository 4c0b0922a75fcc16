"""Going on with a session: the command, and a terminal with it where that is allowed."""

from typing import Final

import msgspec
from litestar import Response, post
from litestar.openapi.datastructures import ResponseSpec

from clew.web.api.routes import documented, json_route
from clew.web.errors import ErrorAnswer
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.resuming import find_resume_state, plan_for
from clew.web.state import session_of
from clew.web.terminal import (
    NotResumableError,
    TerminalError,
    TerminalForbiddenError,
    open_terminal,
)

_SESSION: Final = "/api/sessions/{session_id:str}"
_JSON: Final = "application/json"
_FORBIDDEN: Final = 403
_CONFLICT: Final = 409


class ResumeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How to go on with a session.

    `reason` says why it cannot be resumed, `note` what to know before. `can_open` tells whether
    the app may open a terminal for this reader.
    """

    schema: str = "clew.resume/1"
    session_id: str
    can_resume: bool
    command: str = ""
    reason: str = ""
    note: str = ""
    can_open: bool = False


class OpenedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A terminal was opened."""

    schema: str = "clew.resume-opened/1"
    session_id: str
    command: str


@json_route(f"{_SESSION}/resume", "resume", "sessions", ResumeAnswer, "How to resume a session")
def resume(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get the command that goes on with a session, or the reason why there is none."""
    cache, version = session_of(request, session_id)
    found = cache.with_session(session_id, version, lambda one: one.index.conversation.session)
    state = find_resume_state(request, cache, session_id)
    plan = plan_for(state, found, cache)
    answer = ResumeAnswer(
        session_id=session_id,
        can_resume=plan.can_resume,
        command=plan.command,
        reason=plan.reason,
        note=plan.note,
        can_open=plan.can_resume and state.may_open,
    )
    # A transcript may be deleted while the session stays as it is: there is nothing to cache.
    return Response(
        msgspec.json.encode(answer), media_type=_JSON, headers={"cache-control": "no-store"}
    )


@post(
    f"{_SESSION}/terminal",
    sync_to_thread=True,
    status_code=200,
    tags=["sessions"],
    operation_id="openTerminal",
    responses={
        **documented(OpenedAnswer, "A terminal was opened"),
        _FORBIDDEN: ResponseSpec(ErrorAnswer, description="Not allowed", generate_examples=False),
        _CONFLICT: ResponseSpec(ErrorAnswer, description="Not possible", generate_examples=False),
    },
)
def open_resumed(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Open a terminal in which the session goes on.

    Only for readers on this machine, if the app was started with `--terminal`.
    """
    cache, version = session_of(request, session_id)
    state = find_resume_state(request, cache, session_id)
    if not state.may_open:
        raise TerminalForbiddenError(
            "the app opens terminals only for readers on this machine, if started with --terminal"
        )
    found = cache.with_session(session_id, version, lambda one: one.index.conversation.session)
    plan = plan_for(state, found, cache)
    if not plan.can_resume:
        raise NotResumableError(plan.reason)
    if plan.note:
        raise TerminalError(plan.note)
    open_terminal(plan.arguments, plan.cwd)
    answer = OpenedAnswer(session_id=session_id, command=plan.command)
    return Response(msgspec.json.encode(answer), media_type=_JSON)
