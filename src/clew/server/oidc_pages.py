"""Logging in with an identity provider, and connecting an identity to a member.

Nobody joins by having an account at the provider: a member connects theirs with an invite, or on
their account page.
"""

import asyncio
import hmac
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.params import QueryParameter

from clew.errors import ClewError, UsageError
from clew.render.site import FormPage
from clew.server.account_links import ACCOUNT
from clew.server.account_pages import is_own_password
from clew.server.account_responses import log_browser_in, read_form, redirect, respond_form
from clew.server.accounts import Member, get_member
from clew.server.audit import write_audit
from clew.server.errors import respond_team_error
from clew.server.links import read_link, use_link
from clew.server.oidc import (
    OidcAttempt,
    OidcClient,
    OidcError,
    make_attempt,
    pack_attempt,
    unpack_attempt,
)
from clew.server.requests import NotAllowedError, browser_of, team_of, team_settings_of, visitor_of
from clew.server.settings import TeamSettings
from clew.server.tokens import TokenKind
from clew.store.postgres.team import TeamDatabase
from clew.web.guard import LOGIN, read_cookies
from clew.web.pages.login import requested_url

CALLBACK: Final = f"{LOGIN}/oidc/callback"
_TEN_MINUTES: Final = 600
_FORBIDDEN: Final = 403
_MAX_LENGTH: Final = 4_000

_WRONG_PASSWORD: Final = FormPage(
    title="Not connected",
    problem="Incorrect password.",
    links=[(ACCOUNT, "Back to your account")],
)

AnyRequest = Request[Any, Any, Any]
Text = Annotated[str, QueryParameter(max_length=_MAX_LENGTH)]


class NoProviderError(UsageError):
    """The server has no identity provider."""

    def __init__(self) -> None:
        super().__init__("this server has no identity provider; log in with a password")


class IdentityTakenError(UsageError):
    """An identity belongs to another member."""

    def __init__(self) -> None:
        super().__init__(
            "this account of the identity provider belongs to another member; use another one"
        )


def make_oidc_client(settings: TeamSettings) -> OidcClient | None:
    """Return a client of the provider that is set, if one is."""
    return OidcClient(settings.oidc, f"{settings.url}{CALLBACK}") if settings.oidc else None


@get(f"{LOGIN}/oidc", include_in_schema=False)
async def start_oidc(request: AnyRequest, invite: Text = "") -> Response[bytes]:
    """Send a browser to the provider; with an invite, to connect an identity."""
    client = _client_of(request)
    attempt = make_attempt(invite=invite)
    if invite:
        await asyncio.to_thread(_check_invite, request, invite)
    url = await asyncio.to_thread(lambda: client.start(attempt, asks_again=bool(invite)))
    return redirect(url, _attempt_cookie(request, pack_attempt(attempt), _TEN_MINUTES))


@get(CALLBACK, include_in_schema=False)
async def finish_oidc(
    request: AnyRequest,
    code: Text = "",
    shown_state: Annotated[str, QueryParameter(name="state", max_length=_MAX_LENGTH)] = "",
) -> Response[bytes]:
    """Check what the provider says, and log its member in."""
    try:
        response = await asyncio.to_thread(_finish, request, code, shown_state)
    except ClewError as error:
        response = respond_team_error(request, error)
    # What a browser comes back with is used once, also if it is wrong.
    response.cookies.append(_attempt_cookie(request, "", 0))
    return response


@post("/account/identity", status_code=200, include_in_schema=False)
async def connect_identity(request: AnyRequest) -> Response[bytes]:
    """Let a member who is logged in connect an identity.

    It starts with a form of ours, since another site could let a browser come here.
    """
    principal = browser_of(request)
    client = _client_of(request)
    form = await read_form(request)
    if not await asyncio.to_thread(is_own_password, request, form.get("current", "")):
        return respond_form(request, _WRONG_PASSWORD, _FORBIDDEN)
    attempt = make_attempt(member_id=principal.member_id)
    url = await asyncio.to_thread(lambda: client.start(attempt, asks_again=True))
    name = _provider_name(request)
    page = FormPage(
        title=f"Connect {name}",
        lines=[f"Log in to {name} with the account that you want to use here."],
        links=[(url, f"Continue to {name}")],
    )
    response = respond_form(request, page)
    response.cookies.append(_attempt_cookie(request, pack_attempt(attempt), _TEN_MINUTES))
    return response


def _finish(request: AnyRequest, code: str, state: str) -> Response[bytes]:
    client = _client_of(request)
    attempt = _read_attempt(request)
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), state.encode()):
        raise OidcError("it belongs to another login")
    if not code:
        raise OidcError("it did not let you in")
    subject = client.finish(attempt, code)
    with team_of(request) as team:
        member = _find_member(request, team, attempt, subject)
        if member is None:
            return respond_form(request, _unknown_page(request), _FORBIDDEN)
        how = _provider_name(request)
        return log_browser_in(request, team, member, how, requested_url(request))


def _find_member(
    request: AnyRequest, team: TeamDatabase, attempt: OidcAttempt, subject: str
) -> Member | None:
    """Return the member of an identity, which may be connected only now."""
    if attempt.invite:
        with team.transaction():
            member = use_link(team, TokenKind.INVITE, attempt.invite)
            _connect(request, team, member, subject)
        return member
    if attempt.member_id is not None:
        visitor = visitor_of(request)
        if visitor is None or visitor.member_id != attempt.member_id:
            raise NotAllowedError("log in first, then connect your account")
        member = get_member(team, attempt.member_id)
        _connect(request, team, member, subject)
        return member
    values = {"issuer": _issuer(request), "subject": subject}
    found = team.record("find_identity", values)
    return get_member(team, found["id"]) if found else None


def _connect(request: AnyRequest, team: TeamDatabase, member: Member, subject: str) -> None:
    values = {"id": member.id, "issuer": _issuer(request), "subject": subject}
    with team.transaction():
        if not team.run("set_identity", values):
            raise IdentityTakenError
        write_audit(
            team, member.organisation_id, "member.identity", actor=member.id, owner=member.id
        )


def _check_invite(request: AnyRequest, invite: str) -> None:
    with team_of(request) as team:
        read_link(team, TokenKind.INVITE, invite)


def _client_of(request: AnyRequest) -> OidcClient:
    client: OidcClient | None = request.app.state.oidc_client
    if client is None:
        raise NoProviderError
    return client


def _read_attempt(request: AnyRequest) -> OidcAttempt | None:
    header = request.headers.get("cookie", "").encode("latin-1", "replace")
    text = next(read_cookies(header, _cookie_name(request)), "")
    return unpack_attempt(text[:_MAX_LENGTH])


def _attempt_cookie(request: AnyRequest, value: str, seconds: int) -> Cookie:
    return Cookie(
        _cookie_name(request),
        path=LOGIN,
        value=value,
        httponly=True,
        samesite="lax",
        secure=team_settings_of(request).is_https,
        max_age=seconds,
    )


def _cookie_name(request: AnyRequest) -> str:
    return "__Secure-clew_oidc" if team_settings_of(request).is_https else "clew_oidc"


def _provider_name(request: AnyRequest) -> str:
    oidc = team_settings_of(request).oidc
    return oidc.name if oidc else ""


def _issuer(request: AnyRequest) -> str:
    oidc = team_settings_of(request).oidc
    return oidc.issuer if oidc else ""


def _unknown_page(request: AnyRequest) -> FormPage:
    return FormPage(
        title="Not a member yet",
        lines=[
            f"{_provider_name(request)} knows you, but this account belongs to no member here.",
            "Ask an administrator for an invite, or for a reset link if you are a member.",
            "With a password, members can connect their account on their account page.",
        ],
        links=[(LOGIN, "Log in with a password"), (ACCOUNT, "Account")],
    )


HANDLERS: Final = [start_oidc, finish_oidc, connect_identity]
