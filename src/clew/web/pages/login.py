"""Login: the token is shown once, and kept by the browser in a cookie that scripts cannot read."""

from typing import Final
from urllib.parse import parse_qs

from litestar import Response, get, post
from litestar.datastructures import Cookie

from clew.render.site import render_login
from clew.web.answers import Asked
from clew.web.drawing import HTML, shell
from clew.web.guard import COOKIE, LOGIN, is_token
from clew.web.state import nonce_of, shelf_of

_MONTH: Final = 30 * 86_400


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
    cookie = Cookie(COOKIE, path="/", value=token, httponly=True, samesite="strict", max_age=_MONTH)
    return Response(b"", status_code=303, headers={"location": "/"}, cookies=[cookie])


def _door(request: Asked, status: int, *, is_refused: bool) -> Response[bytes]:
    page = render_login(shell(), is_refused=is_refused)
    body = page.replace(shell().nonce, nonce_of(request)).encode()
    return Response(body, media_type=HTML, status_code=status)
