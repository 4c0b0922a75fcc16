"""What becomes of a member's own sessions until they are shown."""

from typing import Any, Final

from litestar import Request, Response, get

from clew.figures import plural
from clew.render.site import TeamCell, TeamPage, TeamRow, TeamTable
from clew.server.account_links import PROCESSING
from clew.server.requests import principal_of, team_of
from clew.server.team_pages import respond_team

_MOST: Final = 200
_REFRESH_SECONDS: Final = "5"
_LINES: Final = [
    "Workers parse what you push: half a minute after a session grew, seconds after it ended.",
    "One that failed is parsed again when it grows, or when an administrator retries it.",
]


@get(PROCESSING, sync_to_thread=True, include_in_schema=False)
def processing_page(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Show which of a member's own sessions are not parsed yet, failed, or wait for a digest."""
    values = {"owner": principal_of(request).member_id, "most": _MOST}
    with team_of(request) as team:
        found = team.records("own_queue", values)
        counted = team.record("own_sessions_counted", values) or {}
    parsed, total = counted["parsed"], plural(counted["total"], "session")
    table = TeamTable(
        columns=("Session", "Received", "State"),
        rows=[_row(one) for one in found],
        empty="Nothing waits for a worker, and nothing failed.",
    )
    summarised = f" {counted['summarised']:,} summarised." if counted["summarised"] else ""
    lines = [f"{parsed:,} of {total} parsed.{summarised}", *_LINES]
    response = respond_team(request, TeamPage(title="Processing", lines=lines, tables=[table]))
    if any(one["failed_reason"] is None and not one["is_parsed"] for one in found):
        response.headers["refresh"] = _REFRESH_SECONDS
    return response


def _row(session: dict[str, Any]) -> TeamRow:
    name = session["session_id"]
    url = f"/sessions/{name}" if session["is_shown"] else ""
    received = TeamCell(session["grown_at"].isoformat(), "", "time")
    return TeamRow((TeamCell(name[:8], url), received, TeamCell(_state(session))))


def _state(session: dict[str, Any]) -> str:
    if session["failed_reason"] is not None:
        return f"failed: {session['failed_reason']}"
    if session["is_parsed"]:
        return _digest_state(session)
    if session["is_working"]:
        return "being parsed"
    if session["waiting_reason"] is not None:
        return f"is tried again: {session['waiting_reason']}"
    return "grew; the new part is not parsed yet" if session["is_shown"] else "not parsed yet"


def _digest_state(session: dict[str, Any]) -> str:
    """Say what a parsed session waits for."""
    if session["is_digesting"]:
        return "parsed; a model writes its digest"
    match session["digest_skip"]:
        case "budget":
            return "parsed; no digest: the budget of your organisation is spent for now"
        case "failed":
            return f"parsed; no digest: {session['digest_reason']}"
        case _ if session["digest_reason"]:
            return f"parsed; the digest is tried again: {session['digest_reason']}"
        case _:
            return "parsed; a digest follows when it has not grown for ten minutes"
