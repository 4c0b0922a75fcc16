"""Guard: rejects requests that are not allowed before they reach the app.

Any web page may send requests to this machine, and any host name may be made to resolve to it. So
the host must be one of ours, requests that change something or open a stream must come from our own
pages, and with a token set every request must have it.
"""

import hmac
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping, Sequence
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from clew.web.live import Live
from clew.web.settings import Settings

COOKIE: Final = "clew_token"
RETURN_COOKIE: Final = "clew_place"
LOGIN: Final = "/login"
_SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
_SAME_ORIGIN: Final = ("same-origin", "none")
_UNAUTHORIZED: Final = 401
MAX_URL: Final = 8_192
MAX_BODY: Final = 65_536
_MAX_DIGITS: Final = 16
# Browsers reject cookies longer than 4,096 bytes.
_MAX_RETURN_URL: Final = 3_000
_TEN_MINUTES: Final = 600
_PUBLIC: Final = (LOGIN, "/assets/")

Headers: TypeAlias = dict[bytes, bytes]
Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]


class Guard:
    """Checks every request, and adds security headers to every response."""

    def __init__(self, app: App, settings: Settings, live: Live) -> None:
        self.app = app
        self.settings = settings
        self.live = live

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD" and not scope["path"].endswith("/events"):
            # The server sends no body for HEAD, whatever the response has.
            scope = {**scope, "method": "GET"}
        headers: Headers = dict(scope["headers"])
        nonce = secrets.token_urlsafe(18)
        scope.setdefault("state", {})["nonce"] = nonce
        refusal = self._refuse(scope, headers)
        if refusal is not None and refusal[0] == _UNAUTHORIZED and wants_page(scope, headers):
            await redirect_to_login(scope, with_headers(send, security_headers(nonce)))
            return
        if refusal is not None:
            await respond_refusal(with_headers(send, security_headers(nonce)), *refusal)
            return
        await run_limited(self.app, scope, receive, with_headers(send, security_headers(nonce)))

    def _refuse(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        """Return status, code and message for a request that is rejected."""
        if not self.settings.accepts_host(host_name(headers.get(b"host", b""))):
            return 421, "unknown_host", "unknown host name"
        if url_size(scope) > MAX_URL:
            return 414, "too_long", "the URL is too long"
        if body_size(headers) > MAX_BODY:
            return 413, "too_large", "the request is too large"
        if is_sensitive(scope, headers) and not is_same_origin(headers):
            return 403, "foreign_origin", "requests from other sites are not allowed"
        if not self._is_authorized(scope["path"], headers):
            return (
                _UNAUTHORIZED,
                "token_needed",
                f"token required: open {LOGIN}, or send it as a bearer token",
            )
        return None

    def _is_authorized(self, path: str, headers: Headers) -> bool:
        if not self.settings.token or path.startswith(_PUBLIC):
            return True
        return any(is_token(shown, self.settings.token) for shown in _sent_tokens(headers))


def host_name(host: bytes) -> str:
    """Return the name in a Host header, without its port."""
    text = host.decode("latin-1").strip().casefold()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.rpartition(":")[0] if text.count(":") == 1 else text


def is_same_origin(headers: Headers) -> bool:
    """Return whether a request comes from our own pages, or from no page at all."""
    site = headers.get(b"sec-fetch-site")
    if site is not None and site.decode("latin-1") not in _SAME_ORIGIN:
        return False
    origin = headers.get(b"origin")
    # Only browsers send Sec-Fetch-Site, and it is reliable. The origin may be hidden by the page's
    # referrer policy, and behind a TLS proxy it differs from our own.
    if origin is None or site == b"same-origin":
        return True
    own = headers.get(b"host", b"").decode("latin-1").strip().casefold()
    return urlsplit(origin.decode("latin-1")).netloc.casefold() == own


def is_token(shown: str, token: str) -> bool:
    """Compare two tokens in constant time."""
    return hmac.compare_digest(shown.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def read_cookies(header: bytes, name: str) -> Iterator[str]:
    """Return the values of the cookies of a name.

    Other apps on this machine set cookies too, in any format.
    """
    for piece in header.decode("latin-1").split(";"):
        found, _, value = piece.strip().partition("=")
        if found == name:
            yield unquote(value)


def content_policy(nonce: str) -> str:
    """Return the content security policy: only our own scripts, styles and images."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        "img-src 'self' data:; connect-src 'self'; font-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )


def wants_page(scope: Scope, headers: Headers) -> bool:
    """Return whether a request comes from a browser that shows the response."""
    is_page = b"text/html" in headers.get(b"accept", b"")
    return scope["method"] == "GET" and is_page and not scope["path"].startswith("/api/")


def is_sensitive(scope: Scope, headers: Headers) -> bool:
    """Return whether a request changes something, or opens a stream."""
    is_stream = b"text/event-stream" in headers.get(b"accept", b"")
    return scope["method"] not in _SAFE_METHODS or is_stream or scope["path"].endswith("/events")


def _sent_tokens(headers: Headers) -> Iterable[str]:
    kind, _, value = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if kind.casefold() == "bearer":
        yield value.strip()
    yield from read_cookies(headers.get(b"cookie", b""), COOKIE)


def body_size(headers: Headers) -> int:
    """Return how large a body is said to be; one of a size that makes no sense is too large."""
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() and len(length) < _MAX_DIGITS else sys.maxsize


def url_size(scope: Scope) -> int:
    """Return how long the URL of a request is."""
    return len(scope["raw_path"]) + len(scope["query_string"])


class _LimitedBody:
    """A request's body, which ends the request when it gets too large."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self.is_too_large = False
        self._receive = receive
        self._left = limit

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message["body"])
            self.is_too_large = self._left < 0
        return {"type": "http.disconnect"} if self.is_too_large else message


async def run_limited(
    app: App, scope: Scope, receive: Receive, send: Send, limit: int = MAX_BODY
) -> None:
    """Run a request; respond with 413 when its body is too large."""
    body = _LimitedBody(receive, limit)
    started = False

    async def checked(message: Message) -> None:
        nonlocal started
        if started or not body.is_too_large:
            started = True
            await send(message)

    try:
        await app(scope, body, checked)
    finally:
        if body.is_too_large and not started:
            await respond_refusal(send, 413, "too_large", "the request is too large")


def with_headers(send: Send, added: Sequence[tuple[bytes, bytes]]) -> Send:
    """Add headers to a response, unless it has them."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message["headers"])
            present = {name for name, _ in headers}
            headers.extend(pair for pair in added if pair[0] not in present)
            message["headers"] = headers
        await send(message)

    return send_with_headers


def security_headers(nonce: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that every response has."""
    return [
        (b"content-security-policy", content_policy(nonce).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cache-control", b"private, no-cache"),
    ]


async def redirect_to_login(scope: Scope, send: Send) -> None:
    """Redirect to the login page; a cookie remembers the requested URL."""
    headers = [(b"location", LOGIN.encode()), (b"content-length", b"0")]
    query = scope["query_string"]
    place = quote(scope["raw_path"] + (b"?" + query if query else b""), safe="")
    if len(place) <= _MAX_RETURN_URL:
        about = f"Path={LOGIN}; Max-Age={_TEN_MINUTES}; HttpOnly; SameSite=lax"
        headers.append((b"set-cookie", f"{RETURN_COOKIE}={place}; {about}".encode()))
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def respond_refusal(send: Send, status: int, code: str, text: str) -> None:
    """Respond that a request is rejected, and why."""
    body = f'{{"error":{{"code":"{code}","message":"{text}"}}}}'.encode()
    length = (b"content-length", str(len(body)).encode())
    headers = [(b"content-type", b"application/json"), length]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
