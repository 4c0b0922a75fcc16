"""Errors: as JSON for programs, and as a page for browsers."""

import logging
import re
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from clew.archive import NoArchiveError
from clew.errors import (
    AmbiguousSessionError,
    ClewError,
    NotFoundError,
    SessionNotFoundError,
    UsageError,
)
from clew.render.site import APP
from clew.search import QueryError
from clew.store import ArchiveUnavailableError, explain_error
from clew.web.cache import NotArchivedYetError
from clew.web.page_response import respond_notice
from clew.web.state import cache_of
from clew.web.terminal import NotResumableError, TerminalError, TerminalForbiddenError

_log: Final = logging.getLogger(__name__)
_STATUSES: Final[tuple[tuple[type[Exception], int, str], ...]] = (
    (QueryError, 400, "bad_query"),
    (NoArchiveError, 503, "no_archive"),
    (NotArchivedYetError, 503, "not_archived"),
    (ArchiveUnavailableError, 503, "unavailable"),
    (AmbiguousSessionError, 409, "ambiguous"),
    (TerminalForbiddenError, 403, "forbidden"),
    (TerminalError, 409, "no_terminal"),
    (NotResumableError, 409, "not_resumable"),
    (NotFoundError, 404, "not_found"),
    (UsageError, 400, "bad_request"),
    (ClewError, 500, "failed"),
)
_SERVER_FAULT: Final = 500
_MOST_CANDIDATES: Final = 20
# The framework's messages about a value that is invalid or missing.
_INVALID: Final = re.compile(
    r"Expected `(?P<kind>\w+)(?: \| null)?`(?P<text> of length)?"
    r"(?: (?P<bound>[<>]=) (?P<limit>\d+)(?:\.0)?|, got .*)"
)
_MISSING: Final = re.compile(r"Missing required query parameter '(?P<name>\w+)'.*")
_KINDS: Final = {"int": "a whole number", "float": "a number", "bool": "true or false"}
_BOUNDS: Final = {"<=": "at most", ">=": "at least"}
_PLAIN: Final = {404: "page not found", 405: "method not allowed; use GET"}
_TITLES: Final = {
    "ambiguous": "Which session?",
    "bad_query": "Bad request",
    "bad_request": "Bad request",
    "no_archive": "Not archived yet",
    "not_archived": "Not archived yet",
    "not_found": "Not found",
    "unavailable": "The archive is not available",
}


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong.

    `position` is a character of the query; `candidates` are the sessions that may be meant.
    """

    code: str
    message: str
    position: int | None = None
    candidates: tuple[str, ...] = ()


class ErrorAnswer(msgspec.Struct, frozen=True):
    """The body of every error response."""

    error: Fault


def describe(error: Exception) -> tuple[int, Fault]:
    """Return the status and message of an error."""
    if isinstance(error, SessionNotFoundError) and error.matches:
        return 409, Fault("ambiguous", str(error), None, tuple(error.matches[:_MOST_CANDIDATES]))
    if isinstance(error, SessionNotFoundError):
        return 404, Fault("not_found", f"no session has the id {error.prefix[:80]!r}")
    for kind, status, code in _STATUSES:
        if isinstance(error, kind):
            position = error.position if isinstance(error, QueryError) else None
            candidates = error.candidates if isinstance(error, AmbiguousSessionError) else ()
            return status, Fault(code, str(error), position, candidates)
    if isinstance(error, HTTPException):
        return error.status_code, Fault(_code(error.status_code), _message(error))
    return _SERVER_FAULT, Fault("failed", "internal error; see the server's log")


def respond_error(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Respond with an error: as a page to browsers, else as JSON."""
    error = explain_error(cache_of(request).archive.location, error) or error
    status, fault = describe(error)
    if status >= _SERVER_FAULT and not isinstance(error, ClewError | HTTPException):
        _log.error("request failed", exc_info=error)
    wants_page = "text/html" in request.headers.get("accept", "")
    if wants_page and not request.url.path.startswith("/api/"):
        title = _TITLES.get(fault.code, "Something went wrong")
        links = [(one, APP.session(one)) for one in fault.candidates]
        return respond_notice(request, title, _sentence(fault.message), status, links)
    return Response(ErrorAnswer(fault), status_code=status, media_type="application/json")


def _sentence(message: str) -> str:
    return f"{message[:1].upper()}{message[1:]}."


def _code(status: int) -> str:
    codes = {400: "bad_request", 404: "not_found", 405: "not_allowed", 413: "too_large"}
    return codes.get(status, "failed" if status >= _SERVER_FAULT else "bad_request")


def _message(error: HTTPException) -> str:
    # The framework lists each invalid value in `extra`.
    extra = error.extra
    if isinstance(extra, list):
        messages = [
            _describe_invalid(one.get("key", ""), one.get("message", "")) for one in extra if one
        ]
        return "; ".join(messages) or error.detail
    missing = _MISSING.fullmatch(error.detail)
    if missing is not None:
        return f"missing query parameter {missing['name']!r}"
    return _PLAIN.get(error.status_code, error.detail)


def _describe_invalid(name: str, message: str) -> str:
    """Describe what a value should be."""
    found = _INVALID.fullmatch(message)
    if found is None or (found["bound"] is None and found["kind"] not in _KINDS):
        return f"{name}: {message}"
    if found["bound"] is None:
        return f"{name} must be {_KINDS[found['kind']]}"
    unit = " characters" if found["text"] else ""
    return f"{name} must be {_BOUNDS[found['bound']]} {int(found['limit']):,}{unit}"
