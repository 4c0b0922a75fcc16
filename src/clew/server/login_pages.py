"""Logging in with a browser: name and password, invites and resets, and logging out."""

import asyncio
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.params import PathParameter

from clew.render.site import FormField, FormPage
from clew.server.account_responses import (
    browser_cookie,
    log_browser_in,
    read_form,
    redirect,
    respond_form,
    revoke_browser,
)
from clew.server.accounts import Member, get_member
from clew.server.links import read_link, use_link
from clew.server.passwords import (
    MIN_PASSWORD,
    LoginThrottle,
    WeakPasswordError,
    check_password,
    require_strong,
    set_password,
)
from clew.server.requests import address_of, team_of, team_settings_of, visitor_of
from clew.server.tokens import TokenKind
from clew.web.guard import LOGIN
from clew.web.pages.login import requested_url

_MAX_NAME: Final = 200
_FORBIDDEN: Final = 403
_BAD_REQUEST: Final = 400

AnyRequest = Request[Any, Any, Any]
LinkToken = Annotated[str, PathParameter(max_length=200)]


@get(LOGIN, sync_to_thread=False, include_in_schema=False)
def team_login_page(request: AnyRequest) -> Response[bytes]:
    """Ask for name and password, or offer the identity provider."""
    if visitor_of(request) is not None:
        return redirect(requested_url(request))
    return respond_form(request, _login_form(request))


@post(LOGIN, status_code=303, include_in_schema=False)
async def log_member_in(request: AnyRequest) -> Response[bytes]:
    """Check name and password."""
    form = await read_form(request)
    return await asyncio.to_thread(_check_login, request, form)


@post("/logout", status_code=303, sync_to_thread=True, include_in_schema=False)
def log_member_out(request: AnyRequest) -> Response[bytes]:
    """Refuse the browser's token from now on."""
    with team_of(request) as team:
        revoke_browser(request, team)
    return redirect(LOGIN, browser_cookie(request, "", 0))


@get(["/invite/{token:str}", "/reset/{token:str}"], include_in_schema=False)
async def link_page(request: AnyRequest, token: LinkToken) -> Response[bytes]:
    """Ask for a new password; looking at a link does not use it."""
    return await asyncio.to_thread(_show_link, request, token)


@post(["/invite/{token:str}", "/reset/{token:str}"], status_code=303, include_in_schema=False)
async def use_link_page(request: AnyRequest, token: LinkToken) -> Response[bytes]:
    """Set the password and log in; the link is used up."""
    form = await read_form(request)
    return await asyncio.to_thread(_use_link, request, token, form.get("password", ""))


def _check_login(request: AnyRequest, form: dict[str, str]) -> Response[bytes]:
    name = form.get("name", "")[:_MAX_NAME].strip().lower()
    throttle: LoginThrottle = request.app.state.login_throttle
    throttle.count(name, address_of(request))
    with team_of(request) as team:
        member_id = check_password(team, name, form.get("password", ""))
        if member_id is None:
            problem = "Incorrect name or password."
            return respond_form(request, _login_form(request, problem), _FORBIDDEN)
        throttle.forget(name, address_of(request))
        member = get_member(team, member_id)
        return log_browser_in(request, team, member, "password", requested_url(request))


def _show_link(request: AnyRequest, token: str) -> Response[bytes]:
    kind = _kind_of(request)
    with team_of(request) as team:
        member = read_link(team, kind, token)
    return respond_form(request, _link_form(request, member, kind, token))


def _use_link(request: AnyRequest, token: str, password: str) -> Response[bytes]:
    kind = _kind_of(request)
    with team_of(request) as team:
        member = read_link(team, kind, token)
        try:
            require_strong(password)
        except WeakPasswordError as error:
            form = _link_form(request, member, kind, token, f"{error}.".capitalize())
            return respond_form(request, form, _BAD_REQUEST)
        with team.transaction():
            member = use_link(team, kind, token)
            set_password(team, member, password, by=member.id)
        return log_browser_in(request, team, member, kind, "/")


def _kind_of(request: AnyRequest) -> TokenKind:
    return TokenKind.INVITE if request.scope["path"].startswith("/invite/") else TokenKind.RESET


def _login_form(request: AnyRequest, problem: str = "") -> FormPage:
    oidc = team_settings_of(request).oidc
    # Sent to its own address, the form keeps the fragment of the link that led here.
    return FormPage(
        title="Log in",
        problem=problem,
        fields=[
            FormField(name="name", label="Name", autocomplete="username"),
            FormField(
                name="password",
                label="Password",
                kind="password",
                autocomplete="current-password",
            ),
        ],
        buttons=[("login", "Log in")],
        links=[(f"{LOGIN}/oidc", f"Log in with {oidc.name}")] if oidc else [],
    )


def _link_form(
    request: AnyRequest, member: Member, kind: TokenKind, token: str, problem: str = ""
) -> FormPage:
    oidc = team_settings_of(request).oidc
    is_invite = kind is TokenKind.INVITE
    links = []
    if oidc and is_invite:
        links = [(f"{LOGIN}/oidc?invite={token}", f"Log in with {oidc.name} instead")]
    return FormPage(
        title=f"Join {member.organisation}" if is_invite else "Choose a new password",
        lines=[
            f"Your name is {member.name}.",
            f"Choose a password of at least {MIN_PASSWORD} characters.",
        ],
        problem=problem,
        fields=[
            FormField(
                name="password", label="Password", kind="password", autocomplete="new-password"
            )
        ],
        buttons=[("set", "Set password")],
        links=links,
    )


HANDLERS: Final = [team_login_page, log_member_in, log_member_out, link_page, use_link_page]
