"""Login: the token is shown once, and kept by the browser in a cookie that scripts cannot read."""

import re
from typing import Final
from urllib.parse import parse_qs, quote

from litestar import Response, get, post
from litestar.datastructures import Cookie

from clew.render.site import render_login
from clew.web.answers import Asked
from clew.web.drawing import HTML, shell
from clew.web.guard import COOKIE, LOGIN, PLACE, is_token, read_cookies
from clew.web.state import nonce_of, shelf_of

_MONTH: Final = 30 * 86_400
# A path of our own: two slashes at its beginning would lead to another host.
_OWN_PLACE: Final = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@get(LOGIN, sync_to_thread=False, include_in_schema=False)
def ask_token(request: Asked) -> Response[bytes]:
    """Ask for the token."""
    return _door(request, 200, is_refused=False)


@post(LOGIN, status_code=303, include_in_schema=False)
async def take_token(request: Asked) -> Response[bytes]:
    """Look at the token, and let the browser in."""
    form = parse_qs((await request.body()).decode("utf-8", "replace"))
    shown = form.get("token", [""])[0]
    token = shelf_of(request).settings.token
    if not token or not is_token(shown, token):
        return _door(request, 403, is_refused=True)
    # A link from elsewhere to a session shall open it too: nothing that is read that way does harm.
    cookie = Cookie(
        COOKIE, path="/", value=quote(token, safe=""), httponly=True, samesite="lax", max_age=_MONTH
    )
    done = Cookie(PLACE, path=LOGIN, value="", httponly=True, samesite="lax", max_age=0)
    headers = {"location": _wanted(request)}
    return Response(b"", status_code=303, headers=headers, cookies=[cookie, done])


def _wanted(request: Asked) -> str:
    """Give the place that was asked for before the token was."""
    told = request.headers.get("cookie", "").encode("latin-1", "replace")
    place = next(read_cookies(told, PLACE), "/")
    return place if _OWN_PLACE.fullmatch(place) else "/"


def _door(request: Asked, status: int, *, is_refused: bool) -> Response[bytes]:
    page = render_login(shell(), is_refused=is_refused)
    body = page.replace(shell().nonce, nonce_of(request)).encode()
    return Response(body, media_type=HTML, status_code=status)
