"""Errors: what went wrong, as one shape of JSON for programs and one page for people."""

import logging
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from clew.archive import NoArchiveError
from clew.errors import ClewError, NotFoundError, UsageError
from clew.search import QueryError
from clew.web.drawing import answer_notice

_log: Final = logging.getLogger(__name__)
_STATUSES: Final[tuple[tuple[type[Exception], int, str], ...]] = (
    (QueryError, 400, "bad_query"),
    (NoArchiveError, 503, "no_archive"),
    (NotFoundError, 404, "not_found"),
    (UsageError, 400, "bad_request"),
    (ClewError, 500, "failed"),
)
_SERVER_FAULT: Final = 500
_TITLES: Final = {400: "That cannot be understood", 404: "Not there", 503: "Nothing here yet"}


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong; `position` points into a query."""

    code: str
    message: str
    position: int | None = None


class ErrorAnswer(msgspec.Struct, frozen=True):
    """The body of every answer that is not a success."""

    error: Fault


def describe(error: Exception) -> tuple[int, Fault]:
    """Give status and words for anything that a request ran into."""
    for kind, status, code in _STATUSES:
        if isinstance(error, kind):
            position = error.position if isinstance(error, QueryError) else None
            return status, Fault(code, str(error), position)
    if isinstance(error, HTTPException):
        return error.status_code, Fault(_code(error.status_code), _words(error))
    return _SERVER_FAULT, Fault("failed", "clew could not do this; its log says more")


def answer_error(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer a request that cannot be met: with a page where one was asked for, else with JSON."""
    status, fault = describe(error)
    if status >= _SERVER_FAULT and not isinstance(error, ClewError | HTTPException):
        _log.error("a request failed", exc_info=error)
    wants_page = "text/html" in request.headers.get("accept", "")
    if wants_page and not request.url.path.startswith("/api/"):
        return answer_notice(
            request, _TITLES.get(status, "That did not work"), fault.message, status
        )
    return Response(ErrorAnswer(fault), status_code=status, media_type="application/json")


def _code(status: int) -> str:
    codes = {400: "bad_request", 404: "not_found", 405: "not_allowed", 413: "too_large"}
    return codes.get(status, "failed" if status >= _SERVER_FAULT else "bad_request")


def _words(error: HTTPException) -> str:
    # The framework tells of each value that does not fit in `extra`.
    extra = error.extra
    if isinstance(extra, list):
        told = [f"{one.get('key', '')}: {one.get('message', '')}" for one in extra if one]
        return "; ".join(told) or error.detail
    return error.detail
