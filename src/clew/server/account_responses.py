"""Pages about accounts, the forms that they send, and the cookie of a browser that logs in."""

from typing import Any, Final
from urllib.parse import parse_qs

from litestar import Request, Response
from litestar.datastructures import Cookie

from clew.errors import UsageError
from clew.render.site import AccountPage, FormPage, render_account, render_form
from clew.server.accounts import Member
from clew.server.audit import write_audit
from clew.server.devices import issue_token, revoke_token
from clew.server.requests import team_settings_of
from clew.server.tokens import TokenKind
from clew.store.postgres.team import TeamDatabase
from clew.web.guard import LOGIN, RETURN_COOKIE, read_cookies
from clew.web.page_response import HTML, draw_for, shell_of

_MOST_FIELDS: Final = 20
_HOUR: Final = 3_600


class BadFormError(UsageError):
    """A form has more than a form of ours has."""

    def __init__(self) -> None:
        super().__init__("this form cannot be read; reload the page and try again")


async def read_form(request: Request[Any, Any, Any]) -> dict[str, str]:
    """Return the fields of a form.

    Raises:
        BadFormError: It is not a form of ours.
    """
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qs(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise BadFormError from None
    return {name: values[0] for name, values in fields.items()}


def respond_form(
    request: Request[Any, Any, Any], form: FormPage, status: int = 200
) -> Response[bytes]:
    """Respond with a page with a form."""
    page = render_form(form, shell_of(request))
    return Response(draw_for(request, page), media_type=HTML, status_code=status)


def respond_account(request: Request[Any, Any, Any], account: AccountPage) -> Response[bytes]:
    """Respond with the page about an account."""
    page = render_account(account, shell_of(request))
    return Response(draw_for(request, page), media_type=HTML)


def log_browser_in(
    request: Request[Any, Any, Any], team: TeamDatabase, member: Member, how: str, url: str
) -> Response[bytes]:
    """Give a browser a new token, whatever it had before, and redirect it."""
    settings = team_settings_of(request)
    with team.transaction():
        revoke_browser(request, team)
        hours = settings.session_hours
        token = issue_token(team, TokenKind.BROWSER, member.id, hours=hours)
        write_audit(
            team, member.organisation_id, "login", actor=member.id, owner=member.id, detail=how
        )
    cookie = browser_cookie(request, token, hours * _HOUR)
    over = Cookie(RETURN_COOKIE, path=LOGIN, value="", httponly=True, samesite="lax", max_age=0)
    return redirect(url, cookie, over)


def revoke_browser(request: Request[Any, Any, Any], team: TeamDatabase) -> None:
    """Refuse the token that a browser has."""
    header = request.headers.get("cookie", "").encode("latin-1", "replace")
    for token in read_cookies(header, team_settings_of(request).browser_cookie):
        revoke_token(team, token, TokenKind.BROWSER)


def browser_cookie(request: Request[Any, Any, Any], token: str, seconds: int) -> Cookie:
    """Return the cookie that logs a browser in: no script can read it."""
    settings = team_settings_of(request)
    # Links from other sites to a session shall work: reading changes nothing.
    return Cookie(
        settings.browser_cookie,
        path="/",
        value=token,
        httponly=True,
        samesite="lax",
        secure=settings.is_https,
        max_age=seconds,
    )


def redirect(url: str, *cookies: Cookie) -> Response[bytes]:
    """Redirect a browser to a page."""
    return Response(b"", status_code=303, headers={"location": url}, cookies=list(cookies))
