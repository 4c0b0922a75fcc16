"""Login: asks for the token once, and stores it in a cookie that scripts cannot read."""

import re
from typing import Final
from urllib.parse import parse_qs, quote

import msgspec
from litestar import Response, get, post
from litestar.datastructures import Cookie

from clew.render.site import render_login
from clew.web.guard import COOKIE, LOGIN, RETURN_COOKIE, is_token, read_cookies
from clew.web.page_response import HTML, shell
from clew.web.responses import AppRequest
from clew.web.state import cache_of, nonce_of

_MONTH: Final = 30 * 86_400
# A path of our own: with two slashes at its start it would be another host.
_OWN_URL: Final = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@get(LOGIN, sync_to_thread=False, include_in_schema=False)
def login_page(request: AppRequest) -> Response[bytes]:
    """Ask for the token."""
    return _login_page(request, 200, is_refused=False)


@post(LOGIN, status_code=303, include_in_schema=False)
async def log_in(request: AppRequest) -> Response[bytes]:
    """Check the token, and set the cookie."""
    form = parse_qs((await request.body()).decode("utf-8", "replace"))
    shown = form.get("token", [""])[0]
    token = cache_of(request).settings.token
    if not token or not is_token(shown, token):
        return _login_page(request, 403, is_refused=True)
    # Links from other sites to a session shall work: reading changes nothing.
    cookie = Cookie(
        COOKIE, path="/", value=quote(token, safe=""), httponly=True, samesite="lax", max_age=_MONTH
    )
    done = Cookie(RETURN_COOKIE, path=LOGIN, value="", httponly=True, samesite="lax", max_age=0)
    headers = {"location": requested_url(request)}
    return Response(b"", status_code=303, headers=headers, cookies=[cookie, done])


def requested_url(request: AppRequest) -> str:
    """Return the URL that was requested before the login."""
    header = request.headers.get("cookie", "").encode("latin-1", "replace")
    url = next(read_cookies(header, RETURN_COOKIE), "/")
    return url if _OWN_URL.fullmatch(url) else "/"


def _login_page(request: AppRequest, status: int, *, is_refused: bool) -> Response[bytes]:
    base = msgspec.structs.replace(shell(), has_tabs=False)
    page = render_login(base, is_refused=is_refused)
    body = page.replace(shell().nonce, nonce_of(request)).encode()
    return Response(body, media_type=HTML, status_code=status)
