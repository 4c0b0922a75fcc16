"""What filled a session's context, and the requests as they were sent."""

from typing import Annotated, Any

import msgspec
from litestar import Response
from litestar.params import QueryParameter

from clew.errors import NotFoundError
from clew.insight import ContextReport, make_context
from clew.insight.context import LoggedRequest, context_json, request_json
from clew.web.api.routes import json_route
from clew.web.cache import ArchiveCache
from clew.web.params import Id
from clew.web.responses import AppRequest, respond
from clew.web.session_cache import OpenSession
from clew.web.state import session_of

Turn = Annotated[int | None, QueryParameter(ge=1, description="Only this turn.")]
RequestId = Annotated[
    str | None,
    QueryParameter(name="request", max_length=200, description="Also this request, as sent."),
]


@json_route(
    "/api/sessions/{session_id:str}/context",
    "context",
    "sessions",
    dict[str, Any],
    "clew.context/1",
)
def session_context(
    request: AppRequest, session_id: Id, turn: Turn = None, wanted: RequestId = None
) -> Response[bytes]:
    """Get what filled the context at each request, cache breaks and compactions."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> bytes:
        report = report_of(cache, session)
        found: dict[str, Any] = context_json(report, turn)
        if wanted is not None:
            logged = find_request(report, wanted)
            rebuilt = report.log.rebuild_one(logged, answer_of(report, logged.id))
            found["requests"] = [msgspec.Raw(request_json(rebuilt))]
            found["shapes"] = {
                name: shape
                for name, shape in report.log.shapes.items()
                if name == logged.shape_hash
            }
        return msgspec.json.encode(found)

    return respond(request, cache, version, lambda: cache.with_session(session_id, version, make))


def report_of(cache: ArchiveCache, session: OpenSession) -> ContextReport:
    """Find out what filled a session's context."""
    return make_context(session.index.conversation, cache.material(session.id))


def find_request(report: ContextReport, name: str) -> LoggedRequest:
    """Return a request by its id.

    Raises:
        NotFoundError: The session has no such request.
    """
    found = report.log.requests.get(name)
    if found is None:
        raise NotFoundError(f"the session has no request {name[:80]!r}")
    return found


def answer_of(report: ContextReport, request_id: str) -> str | None:
    """Return the answer that a request led to, if any."""
    answers = (name for name, request in report.log.answers.items() if request == request_id)
    return next(answers, None)
