"""Guard: stands before everything else and turns away what may not ask.

A web page from anywhere may send requests to this machine, and a name may be made to lead here.
So the host must be one of ours, whoever changes something or listens to a stream must come from
our own pages, and with a token set everybody must show it.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from clew.web.live import Live
from clew.web.settings import Settings

COOKIE: Final = "clew_token"
PLACE: Final = "clew_place"
LOGIN: Final = "/login"
_SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
_FROM_HERE: Final = ("same-origin", "none")
_TOKEN_NEEDED: Final = 401
_LONGEST_ADDRESS: Final = 8_192
_LARGEST_BODY: Final = 65_536
# A browser keeps no cookie that is longer than 4,096 bytes.
_LONGEST_PLACE: Final = 3_000
_TEN_MINUTES: Final = 600
_OPEN: Final = (LOGIN, "/assets/")

Headers: TypeAlias = dict[bytes, bytes]
Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]


class Guard:
    """Checks every request, and puts the headers of safety on every answer."""

    def __init__(self, app: App, settings: Settings, live: Live) -> None:
        self.app = app
        self.settings = settings
        self.live = live

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD" and not scope["path"].endswith("/events"):
            # The server sends no body then, whatever is answered.
            scope = {**scope, "method": "GET"}
        headers: Headers = dict(scope["headers"])
        nonce = secrets.token_urlsafe(18)
        scope.setdefault("state", {})["nonce"] = nonce
        refusal = self._refuse(scope, headers)
        if refusal is not None and refusal[0] == _TOKEN_NEEDED and _wants_page(scope, headers):
            await _send_to_login(scope, send, nonce)
            return
        if refusal is not None:
            await _answer(send, *refusal, nonce)
            return
        await _answer_within(self.app, scope, receive, send, nonce)

    def _refuse(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        """Give status, code and words for a request that may not go on."""
        if not self.settings.answers_to(host_name(headers.get(b"host", b""))):
            return 421, "unknown_host", "this name does not belong to clew"
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_ADDRESS:
            return 414, "too_long", "the address is too long"
        if _size(headers) > _LARGEST_BODY:
            return 413, "too_large", "the request is too large"
        if _is_sensitive(scope, headers) and not is_from_here(headers):
            return 403, "foreign_origin", "another site may not ask for this"
        if not self._is_known(scope["path"], headers):
            return (
                _TOKEN_NEEDED,
                "token_needed",
                f"show the token: open {LOGIN}, or send it as a bearer",
            )
        return None

    def _is_known(self, path: str, headers: Headers) -> bool:
        if not self.settings.token or path.startswith(_OPEN):
            return True
        return any(is_token(shown, self.settings.token) for shown in _shown(headers))


def host_name(host: bytes) -> str:
    """Give the name in a Host header, without its port."""
    text = host.decode("latin-1").strip().casefold()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.rpartition(":")[0] if text.count(":") == 1 else text


def is_from_here(headers: Headers) -> bool:
    """Tell whether a request comes from our own pages, or from no page at all."""
    site = headers.get(b"sec-fetch-site")
    if site is not None and site.decode("latin-1") not in _FROM_HERE:
        return False
    origin = headers.get(b"origin")
    # Browsers alone say so, and they know. A page that keeps its address to itself has no origin
    # to tell, and behind something that encrypts it is another one than we know of.
    if origin is None or site == b"same-origin":
        return True
    own = headers.get(b"host", b"").decode("latin-1").strip().casefold()
    return urlsplit(origin.decode("latin-1")).netloc.casefold() == own


def is_token(shown: str, token: str) -> bool:
    """Compare two tokens in a time that tells nothing of where they differ."""
    return hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def read_cookies(header: bytes, name: str) -> Iterator[str]:
    """Give the values of the cookies of a name.

    Other apps on this machine have a part in the header, and may write what they like.
    """
    for piece in header.decode("latin-1").split(";"):
        found, _, value = piece.strip().partition("=")
        if found == name:
            yield unquote(value)


def content_policy(nonce: str) -> str:
    """Give the policy that lets nothing run or load but what we put on the page."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        "img-src 'self' data:; connect-src 'self'; font-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )


def _wants_page(scope: Scope, headers: Headers) -> bool:
    is_page = b"text/html" in headers.get(b"accept", b"")
    return scope["method"] == "GET" and is_page and not scope["path"].startswith("/api/")


def _is_sensitive(scope: Scope, headers: Headers) -> bool:
    is_stream = b"text/event-stream" in headers.get(b"accept", b"")
    return scope["method"] not in _SAFE_METHODS or is_stream or scope["path"].endswith("/events")


def _shown(headers: Headers) -> Iterable[str]:
    kind, _, value = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if kind.casefold() == "bearer":
        yield value.strip()
    yield from read_cookies(headers.get(b"cookie", b""), COOKIE)


def _size(headers: Headers) -> int:
    told = headers.get(b"content-length", b"0")
    return int(told) if told.isdigit() else _LARGEST_BODY + 1


class _Body:
    """A request's body as it comes in, which is cut off where it becomes too large."""

    def __init__(self, receive: Receive) -> None:
        self.is_too_large = False
        self._receive = receive
        self._left = _LARGEST_BODY

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message["body"])
            self.is_too_large = self._left < 0
        return {"type": "http.disconnect"} if self.is_too_large else message


async def _answer_within(app: App, scope: Scope, receive: Receive, send: Send, nonce: str) -> None:
    """Have a request answered; whatever becomes of one that is too large, it is told so."""
    body, safe_send = _Body(receive), _with_headers(send, nonce)
    started = False

    async def checked(message: Message) -> None:
        nonlocal started
        if started or not body.is_too_large:
            started = True
            await safe_send(message)

    try:
        await app(scope, body, checked)
    finally:
        if body.is_too_large and not started:
            await _answer(send, 413, "too_large", "the request is too large", nonce)


def _with_headers(send: Send, nonce: str) -> Send:
    safety = _safety(nonce)

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message["headers"])
            told = {name for name, _ in headers}
            headers.extend(pair for pair in safety if pair[0] not in told)
            message["headers"] = headers
        await send(message)

    return with_headers


def _safety(nonce: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-security-policy", content_policy(nonce).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cache-control", b"private, no-cache"),
    ]


async def _send_to_login(scope: Scope, send: Send, nonce: str) -> None:
    """Ask for the token first; the browser remembers what it is for."""
    headers = [(b"location", LOGIN.encode()), (b"content-length", b"0"), *_safety(nonce)]
    query = scope["query_string"]
    place = quote(scope["raw_path"] + (b"?" + query if query else b""), safe="")
    if len(place) <= _LONGEST_PLACE:
        about = f"Path={LOGIN}; Max-Age={_TEN_MINUTES}; HttpOnly; SameSite=lax"
        headers.append((b"set-cookie", f"{PLACE}={place}; {about}".encode()))
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _answer(send: Send, status: int, code: str, text: str, nonce: str) -> None:
    body = f'{{"error":{{"code":"{code}","message":"{text}"}}}}'.encode()
    length = (b"content-length", str(len(body)).encode())
    headers = [(b"content-type", b"application/json"), length, *_safety(nonce)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
