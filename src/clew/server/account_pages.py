"""A member's own account: who may read them, their devices, their password."""

import asyncio
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.params import PathParameter

from clew.render.site import AccountDevice, AccountPage, FormPage
from clew.server.account_links import ACCOUNT
from clew.server.account_responses import (
    log_browser_in,
    read_form,
    redirect,
    respond_account,
    respond_form,
)
from clew.server.accounts import get_member
from clew.server.devices import Device, NoSuchDeviceError, list_devices, revoke_device
from clew.server.passwords import (
    LoginThrottle,
    WeakPasswordError,
    check_password,
    require_strong,
    set_password,
)
from clew.server.readers import readers_of
from clew.server.requests import address_of, browser_of, team_of, team_settings_of

_BAD_REQUEST: Final = 400
_FORBIDDEN: Final = 403

AnyRequest = Request[Any, Any, Any]
DeviceId = Annotated[int, PathParameter(ge=1, le=2**62)]


@get(ACCOUNT, include_in_schema=False)
async def account_page(request: AnyRequest) -> Response[bytes]:
    """Show a member their account."""
    return await asyncio.to_thread(_show, request)


@post("/account/devices/{device_id:int}/revoke", status_code=303, include_in_schema=False)
async def revoke_own_device(request: AnyRequest, device_id: DeviceId) -> Response[bytes]:
    """Refuse a device of the member's own from now on."""
    return await asyncio.to_thread(_revoke, request, device_id)


@post("/account/password", status_code=303, include_in_schema=False)
async def change_password(request: AnyRequest) -> Response[bytes]:
    """Change the password; whoever only has the browser cannot."""
    form = await read_form(request)
    return await asyncio.to_thread(_change_password, request, form)


def _show(request: AnyRequest) -> Response[bytes]:
    principal = browser_of(request)
    settings = team_settings_of(request)
    with team_of(request) as team:
        member = get_member(team, principal.member_id)
        devices = list_devices(team, principal.organisation_id, principal.member_id)
        page = AccountPage(
            name=member.display_name or member.name,
            role=member.role,
            organisation=member.organisation,
            url=settings.url,
            readers=readers_of(team, principal),
            devices=[_to_shown(device) for device in devices if device.revoked_at is None],
            provider=settings.oidc.name if settings.oidc else "",
            has_identity=member.has_identity,
            has_password=member.has_password,
        )
    return respond_account(request, page)


def _revoke(request: AnyRequest, device_id: int) -> Response[bytes]:
    principal = browser_of(request)
    with team_of(request) as team:
        own = list_devices(team, principal.organisation_id, principal.member_id)
        if device_id not in {device.id for device in own}:
            raise NoSuchDeviceError(device_id)
        revoke_device(team, principal.organisation_id, device_id, by=principal.member_id)
    return redirect(ACCOUNT)


def is_own_password(request: AnyRequest, password: str) -> bool:
    """Return whether a member who is logged in has sent their password, if they have one.

    Raises:
        TooManyTriesError: They tried too often.
    """
    principal = browser_of(request)
    throttle: LoginThrottle = request.app.state.login_throttle
    throttle.count(principal.name, address_of(request))
    with team_of(request) as team:
        member = get_member(team, principal.member_id)
        is_right = (
            not member.has_password or check_password(team, member.name, password) == member.id
        )
    if is_right:
        throttle.forget(principal.name, address_of(request))
    return is_right


def _change_password(request: AnyRequest, form: dict[str, str]) -> Response[bytes]:
    principal = browser_of(request)
    password = form.get("password", "")
    if not is_own_password(request, form.get("current", "")):
        return _refuse(request, "Incorrect password.", _FORBIDDEN)
    try:
        require_strong(password)
    except WeakPasswordError as error:
        return _refuse(request, f"{error}.".capitalize(), _BAD_REQUEST)
    with team_of(request) as team:
        member = get_member(team, principal.member_id)
        if not member.has_password:
            # Otherwise whoever finds a browser logged in could stay.
            return _refuse(request, "Ask an administrator for a reset link.", _FORBIDDEN)
        set_password(team, member, password, by=member.id)
        # All browsers were logged out, this one too.
        return log_browser_in(request, team, member, "password", ACCOUNT)


def _refuse(request: AnyRequest, problem: str, status: int) -> Response[bytes]:
    form = FormPage(
        title="Password not changed", problem=problem, links=[(ACCOUNT, "Back to your account")]
    )
    return respond_form(request, form, status)


def _to_shown(device: Device) -> AccountDevice:
    seen = device.last_seen_at
    used = f"last used on {seen.day} {seen:%b %Y}" if seen else "not used yet"
    return AccountDevice(device.id, device.name, used)


HANDLERS: Final = [account_page, revoke_own_device, change_password]
