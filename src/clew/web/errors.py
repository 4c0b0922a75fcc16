"""Errors: what went wrong, as one shape of JSON for programs and one page for people."""

import logging
import re
from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from clew.archive import NoArchiveError
from clew.errors import ClewError, NotFoundError, SessionNotFoundError, UsageError
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
# What the framework says of a value that does not fit, and of one that is not there.
_UNFIT: Final = re.compile(
    r"Expected `(?P<kind>\w+)(?: \| null)?`(?P<text> of length)?"
    r"(?: (?P<bound>[<>]=) (?P<limit>\d+)(?:\.0)?|, got .*)"
)
_MISSING: Final = re.compile(r"Missing required query parameter '(?P<name>\w+)'.*")
_KINDS: Final = {"int": "a whole number", "float": "a number", "bool": "true or false"}
_BOUNDS: Final = {"<=": "at most", ">=": "at least"}
_PLAIN: Final = {404: "there is nothing at this address", 405: "this address can only be read"}
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
    if isinstance(error, SessionNotFoundError):
        return 404, Fault("not_found", f"no session with the id {error.prefix[:80]!r} is kept here")
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
        told = [_unfit(one.get("key", ""), one.get("message", "")) for one in extra if one]
        return "; ".join(told) or error.detail
    missing = _MISSING.fullmatch(error.detail)
    if missing is not None:
        return f"the address does not say which {missing['name']}"
    return _PLAIN.get(error.status_code, error.detail)


def _unfit(name: str, message: str) -> str:
    """Say for people what a value should be."""
    found = _UNFIT.fullmatch(message)
    if found is None or (found["bound"] is None and found["kind"] not in _KINDS):
        return f"{name}: {message}"
    if found["bound"] is None:
        return f"{name} must be {_KINDS[found['kind']]}"
    unit = " characters" if found["text"] else ""
    return f"{name} must be {_BOUNDS[found['bound']]} {int(found['limit']):,}{unit}"
