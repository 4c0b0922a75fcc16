"""What filled a session's context, with the requests as they were sent."""

from typing import Annotated
from urllib.parse import quote

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from clew.analytics import ContextSample
from clew.conversation import Conversation
from clew.errors import NotFoundError
from clew.insight import ContextReport
from clew.insight.context import message_text, part_costs, part_names, shown_parts
from clew.render.site import (
    ContextPage,
    PricedCacheBreak,
    RequestView,
    describe_run,
    render_context,
    view_messages,
)
from clew.web.api.context import answer_of, find_request, report_of
from clew.web.page_response import respond_page, session_shell
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.session_cache import OpenSession
from clew.web.state import session_of

Name = Annotated[str | None, QueryParameter(max_length=200)]
RequestName = Annotated[str | None, QueryParameter(name="request", max_length=200)]


@get("/sessions/{session_id:str}/context", sync_to_thread=True, include_in_schema=False)
def context_page(
    request: AppRequest, session_id: Id, run: Name = None, wanted: RequestName = None
) -> Response[bytes]:
    """Show what filled a session's context."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> str:
        report, conversation = report_of(cache, session), session.index.conversation
        page = _page(report, conversation, session_id, run or "")
        if wanted is not None:
            url = f"/api{cache.urls.session(session_id)}/context?request={quote(wanted, safe='')}"
            page = msgspec.structs.replace(page, request=_request(report, wanted, url))
        return render_context(page, session_shell(request, cache, session, "context"))

    return respond_page(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )


def _page(
    report: ContextReport, conversation: Conversation, session_id: str, run_id: str
) -> ContextPage:
    samples = _samples(report, run_id)
    is_own = {sample.message_id for sample in samples}
    breaks = [
        PricedCacheBreak(one.found, one.cost_nano_usd)
        for one in report.breaks
        if not run_id or one.found.message_id in is_own
    ]
    labels = {run.id: run.description or run.agent or run.id for run in conversation.agent_runs}
    return ContextPage(
        session_id=session_id,
        title=conversation.session.title or "(no title)",
        samples=samples,
        names=shown_parts(samples, part_names(report)),
        parts=part_costs(samples),
        items=() if run_id else report.items,
        breaks=breaks,
        compactions=() if run_id else report.compactions,
        requests=report.log.answers if report.log.requests else {},
        estimate_error=report.estimate_error,
        has_shapes=report.has_shapes,
        run_id=run_id,
        run_names=[
            (name, describe_run(labels.get(name, name), len(own)))
            for name, own in report.runs.items()
        ],
    )


def _samples(report: ContextReport, run_id: str) -> list[ContextSample]:
    """Return the samples of the main thread, or of a run.

    Raises:
        NotFoundError: The session has no such run.
    """
    if not run_id:
        return report.main
    if run_id not in report.runs:
        raise NotFoundError(f"no agent run {run_id[:80]!r} of the session has token counts")
    return report.runs[run_id]


def _request(report: ContextReport, name: str, url: str) -> RequestView:
    logged = find_request(report, name)
    rebuilt = report.log.rebuild_one(logged, answer_of(report, logged.id))
    params = msgspec.json.format(msgspec.json.encode(rebuilt.params), indent=2)
    return RequestView(
        id=rebuilt.id,
        message_id=rebuilt.message_id or "",
        proved=rebuilt.proved,
        missing=len(rebuilt.missing),
        is_cut=rebuilt.is_cut,
        params=params.decode("utf-8", "replace"),
        messages=list(view_messages(rebuilt.messages, list(map(message_text, rebuilt.messages)))),
        json_url=url,
    )
