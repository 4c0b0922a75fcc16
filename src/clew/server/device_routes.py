"""The login of devices: the routes that `clew login`, `logout` and others use."""

from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.params import JSONBody

from clew.protocol import LoginDone, LoginPoll, LoginRequest, LoginStart, Whoami
from clew.server.device_login import finish_device_login, start_device_login
from clew.server.devices import revoke_device
from clew.server.passwords import TooManyTriesError
from clew.server.rate_limits import RateLimit
from clew.server.readers import readers_of
from clew.server.requests import address_of, principal_of, team_of, team_settings_of

_PENDING: Final = 202
_STARTS: Final = 20
_MINUTE: Final = 60.0


def make_device_limit() -> RateLimit:
    """Return how often devices of one address may start to log in."""
    return RateLimit(_STARTS, _MINUTE)


@post("/push/login", status_code=200, sync_to_thread=True, tags=["login"])
def start_login(request: Request[Any, Any, Any], data: JSONBody[LoginRequest]) -> LoginStart:
    """Let a device wait until its member confirms it in a browser."""
    limit: RateLimit = request.app.state.device_limit
    wait = limit.count(address_of(request))
    if wait:
        raise TooManyTriesError(wait)
    with team_of(request) as team:
        return start_device_login(team, data.device_name, team_settings_of(request).url)


@post("/push/login/poll", status_code=200, sync_to_thread=True, tags=["login"])
def poll_login(
    request: Request[Any, Any, Any], data: JSONBody[LoginPoll]
) -> Response[LoginDone | None]:
    """Get the token of a device once: 202 while nobody has confirmed it, 410 when it is over."""
    with team_of(request) as team:
        done = finish_device_login(team, data.device_code)
    status = _PENDING if done is None else 200
    return Response(done, status_code=status, headers={"cache-control": "no-store"})


@get("/push/whoami", sync_to_thread=True, tags=["login"])
def whoami(request: Request[Any, Any, Any]) -> Whoami:
    """Get whom a token stands for, and who may read what they push."""
    principal = principal_of(request)
    with team_of(request) as team:
        device = team.record("get_device_name", {"device_id": principal.device_id})
        return Whoami(
            member=principal.name,
            organisation=principal.organisation,
            role=principal.role,
            device=device["name"] if device else None,
            may_be_read_by=readers_of(team, principal),
        )


@post("/push/logout", status_code=204, sync_to_thread=True, tags=["login"])
def log_device_out(request: Request[Any, Any, Any]) -> None:
    """Revoke the device that asks."""
    principal = principal_of(request)
    if principal.device_id is not None:
        with team_of(request) as team:
            revoke_device(
                team, principal.organisation_id, principal.device_id, by=principal.member_id
            )


HANDLERS: Final = [start_login, poll_login, whoami, log_device_out]
