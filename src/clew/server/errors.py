"""Errors of the team server: as JSON for programs, and as a page for browsers."""

import logging
from typing import Any, Final

from litestar import Request, Response
from litestar.exceptions import HTTPException

from clew.errors import ClewError
from clew.server.device_login import DeviceRequestOverError, TooManyDevicesError
from clew.server.links import LinkOverError
from clew.server.oidc import OidcError
from clew.server.passwords import TooManyTriesError
from clew.server.requests import NotAllowedError, team_settings_of
from clew.store import explain_error
from clew.web.errors import ErrorAnswer, Fault, describe
from clew.web.page_response import respond_notice

_log: Final = logging.getLogger(__name__)
_SERVER_FAULT: Final = 500
_STATUSES: Final[tuple[tuple[type[Exception], int, str], ...]] = (
    (NotAllowedError, 403, "forbidden"),
    (OidcError, 403, "not_logged_in"),
    (LinkOverError, 410, "link_over"),
    (DeviceRequestOverError, 410, "login_over"),
    (TooManyTriesError, 429, "too_many_requests"),
    (TooManyDevicesError, 503, "busy"),
)
_TITLES: Final = {
    403: "Not allowed",
    404: "Not found",
    409: "Which session?",
    410: "No longer valid",
    429: "Too many requests",
    503: "The server is not available",
}


def respond_team_error(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Respond with an error: as a page to browsers, else as JSON."""
    error = explain_error(team_settings_of(request).location, error) or error
    status, fault = describe_team_error(error)
    if status >= _SERVER_FAULT and not isinstance(error, ClewError | HTTPException):
        _log.error("request %s failed", request.scope["state"]["request_id"], exc_info=error)
    response = _respond(request, status, fault)
    if isinstance(error, TooManyTriesError):
        response.headers["retry-after"] = str(int(error.seconds) + 1)
    return response


def describe_team_error(error: Exception) -> tuple[int, Fault]:
    """Return the status and message of an error."""
    for kind, status, code in _STATUSES:
        if isinstance(error, kind):
            return status, Fault(code, str(error))
    return describe(error)


def _respond(request: Request[Any, Any, Any], status: int, fault: Fault) -> Response[Any]:
    wants_page = "text/html" in request.headers.get("accept", "")
    if wants_page and not request.url.path.startswith(("/api/", "/push/")):
        text = f"{fault.message[:1].upper()}{fault.message[1:]}."
        title = _TITLES.get(status, "Bad request" if status < _SERVER_FAULT else "Error")
        links = [(one, f"/sessions/{one}") for one in fault.candidates]
        return respond_notice(request, title, text, status, links)
    return Response(ErrorAnswer(fault), status_code=status, media_type="application/json")
