"""Guard of the team server: rejects requests that are not allowed before they reach the app.

Whoever makes a request must be known, unless its path is one of the few that are open: a device by
its token, a browser by its cookie. Who it is is looked up on every request.
"""

import asyncio
import ipaddress
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Self, TypeAlias

import msgspec

from clew.protocol import MAX_PACKED_BYTES
from clew.server.account_links import account_links
from clew.server.authenticate import authenticate
from clew.server.logs import REQUEST
from clew.server.principal import Principal
from clew.server.rate_limits import RateLimit
from clew.server.settings import TeamSettings
from clew.server.tokens import TokenKind
from clew.store import ArchiveUnavailableError, explain_error
from clew.store.postgres.team import open_team
from clew.web.guard import (
    LOGIN,
    MAX_BODY,
    MAX_URL,
    App,
    Headers,
    Message,
    Receive,
    Scope,
    Send,
    body_size,
    host_name,
    is_same_origin,
    is_sensitive,
    read_cookies,
    redirect_to_login,
    respond_refusal,
    run_limited,
    security_headers,
    url_size,
    wants_page,
    with_headers,
)

SHARED: Final = "/shared/"
"""Links to one session, which expire."""
PROBES: Final = ("/health", "/ready", "/metrics")
"""What machines ask, under whatever name; the last decides by itself who is let in."""
_OPEN: Final = frozenset(
    {*PROBES, LOGIN, f"{LOGIN}/oidc", f"{LOGIN}/oidc/callback", "/push/login", "/push/login/poll"}
)
_OPEN_BELOW: Final = ("/assets/", "/invite/", "/reset/", SHARED)
_PUSH: Final = "/push/"
_FRAMES: Final = "/push/frames/"
_MAX_PUSH: Final = 1 << 20
_UNAUTHORIZED: Final = 401
_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_MINUTE: Final = 60.0
_THREADS: Final = 4
_IPV6_NETWORK: Final = 64
_EVENTS: Final = "/events"
_SLOW_SECONDS: Final = 1.0
_log: Final = logging.getLogger(__name__)

OnResponse: TypeAlias = Callable[[str, str, int, float], None]
"""What is called with method, route, status and seconds of each request."""


def _ignore_response(_method: str, _route: str, _status: int, _seconds: float) -> None:
    """Count nothing."""


def _end_nothing() -> None:
    """Leave streams open: there are none."""


class Rejection(msgspec.Struct, frozen=True):
    """Why a request is rejected, and after how many seconds it may be made again."""

    status: int
    code: str
    message: str
    seconds: float = 0


_NOT_LET_IN: Final = Rejection(
    _UNAUTHORIZED, "login_needed", "log in: run `clew login`, or open /login in a browser"
)
_DEVICE_NEEDED: Final = Rejection(
    403, "device_needed", "only a device can push: run `clew login` there"
)


class Credential(msgspec.Struct, frozen=True):
    """What a request shows to be let in."""

    token: str
    kind: TokenKind


class TeamGuard:
    """Checks every request, and adds an id and security headers to every response."""

    def __init__(
        self,
        app: App,
        settings: TeamSettings,
        on_response: OnResponse = _ignore_response,
        end_streams: Callable[[], None] = _end_nothing,
    ) -> None:
        self.app = app
        self.settings = settings
        self.end_streams = end_streams
        self._on_response = on_response
        limits = settings.limits
        self._reads = RateLimit(limits.reads, _MINUTE)
        self._pushes = RateLimit(limits.pushes, _MINUTE)
        self._logins = RateLimit(limits.logins, _MINUTE)
        self._failures = RateLimit(limits.failures, _MINUTE)
        self._threads = ThreadPoolExecutor(_THREADS, "clew-authenticate")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD" and not scope["path"].endswith(_EVENTS):
            # The server sends no body for HEAD, whatever the response has.
            scope = {**scope, "method": "GET"}
        headers: Headers = dict(scope["headers"])
        state = scope.setdefault("state", {})
        state["nonce"] = secrets.token_urlsafe(18)
        state["request_id"] = request_id(headers)
        state["address"] = client_address(scope, headers, self.settings)
        state["principal"] = None
        state["has_tabs"] = False
        send = with_headers(send, self._own_headers(state["nonce"], state["request_id"]))
        with _Timing(scope, self._on_response) as timing:
            await self._guarded(scope, headers, receive, timing.watch(send))

    async def _guarded(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        rejection = self._reject(scope, headers) or await self._let_in(scope, headers)
        if rejection is None:
            await self._run(scope, headers, receive, send)
        elif rejection.status == _UNAUTHORIZED and _is_page(scope, headers):
            await redirect_to_login(scope, send)
        else:
            if rejection.seconds:
                wait = str(int(rejection.seconds) + 1).encode()
                send = with_headers(send, [(b"retry-after", wait)])
            if rejection.status == _UNAUTHORIZED:
                send = with_headers(send, [(b"www-authenticate", b"Bearer")])
            await _respond(send, rejection)

    async def _run(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        """Run a request; whoever made it must still be let in when it takes its time."""
        found: Principal | None = scope["state"]["principal"]
        shown = shown_credential(headers, self.settings.browser_cookie)

        async def is_let_in() -> bool:
            return await self._is_still(shown, found)

        body = _LateBody(receive, is_let_in)
        if scope["path"].endswith(_EVENTS):
            send = _while_let_in(send, is_let_in)
        limit = body_limit(scope["path"])
        await run_limited(self.app, scope, body, body.unless_refused(send), limit)
        if body.is_refused:
            await _respond(send, _NOT_LET_IN)

    async def _is_still(self, shown: Credential | None, found: Principal | None) -> bool:
        """Return whether a credential still stands for the same member with the same role."""
        if shown is None or found is None:
            return True
        try:
            return await self._look_up(shown) == found
        except ArchiveUnavailableError:
            return False

    def _reject(self, scope: Scope, headers: Headers) -> Rejection | None:
        """Return why a request is rejected, whoever makes it."""
        name = host_name(headers.get(b"host", b""))
        if name not in self.settings.names and scope["path"] not in PROBES:
            return Rejection(421, "unknown_host", "unknown host name; use the server's public URL")
        if url_size(scope) > MAX_URL:
            return Rejection(414, "too_long", "the URL is too long")
        if body_size(headers) > body_limit(scope["path"]):
            return Rejection(413, "too_large", "the request is too large")
        # A browser sends cookies by itself, but never a bearer token.
        is_checked = is_sensitive(scope, headers) and b"authorization" not in headers
        if is_checked and not self._is_own_page(headers):
            return Rejection(403, "foreign_origin", "requests from other sites are not allowed")
        return None

    def _is_own_page(self, headers: Headers) -> bool:
        """Return whether a request comes from our pages: a proxy may change the host's name."""
        public = self.settings.origin.encode("latin-1", "replace")
        return is_same_origin(headers) or is_same_origin({**headers, b"host": public})

    async def _let_in(self, scope: Scope, headers: Headers) -> Rejection | None:
        """Find out who makes a request; return why they are rejected."""
        path, address = scope["path"], scope["state"]["address"]
        if path in PROBES or path.startswith("/assets/"):
            return None
        shown = shown_credential(headers, self.settings.browser_cookie)
        found: Principal | None = None
        if shown is not None:
            try:
                found = await self._look_up(shown)
            except ArchiveUnavailableError:
                return Rejection(503, "unavailable", "the database is not available", 5)
            # Whoever has a valid token is not stopped by others at the same address.
            wait = 0 if found else self._failures.count(address)
            if wait:
                return _too_many(wait)
        scope["state"]["principal"] = found
        if found is not None:
            scope["state"]["has_tabs"] = True
            scope["state"]["account"] = account_links(found, self.settings.url)
        if found is None and not is_open(path):
            return _NOT_LET_IN
        if found is not None and found.device_id is None and path.startswith(_PUSH):
            return None if is_open(path) else _DEVICE_NEEDED
        wait = self._count(path, address, found)
        return _too_many(wait) if wait else None

    async def _look_up(self, shown: Credential) -> Principal | None:
        """Return whom a credential stands for; threads that make pages may all be busy."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._authenticate, shown)

    def _authenticate(self, shown: Credential) -> Principal | None:
        location = self.settings.location
        try:
            with open_team(location) as team:
                return authenticate(team, shown.token, shown.kind)
        except Exception as error:
            raise explain_error(location, error) or error from error

    def _count(self, path: str, address: str, found: Principal | None) -> float:
        if found is None:
            return self._logins.count(address)
        limit = self._pushes if path.startswith(_PUSH) else self._reads
        return limit.count((found.member_id, found.device_id))

    def _own_headers(self, nonce: str, number: str) -> list[tuple[bytes, bytes]]:
        headers = [*security_headers(nonce), (b"x-request-id", number.encode())]
        if self.settings.is_https:
            headers.append((b"strict-transport-security", b"max-age=31536000"))
        return headers


def is_open(path: str) -> bool:
    """Return whether a path is for everybody: to log in, or what shows that the server runs."""
    return path in _OPEN or path.startswith(_OPEN_BELOW)


def body_limit(path: str) -> int:
    """Return how large the body of a request may be."""
    if path.startswith(_FRAMES):
        return MAX_PACKED_BYTES
    return _MAX_PUSH if path.startswith(_PUSH) and not is_open(path) else MAX_BODY


def request_id(headers: Headers) -> str:
    """Return the id of a request: the client's, if it is harmless, else a new one."""
    given = headers.get(b"x-request-id", b"")
    return given.decode() if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def client_address(scope: Scope, headers: Headers, settings: TeamSettings) -> str:
    """Return where a request comes from: what a trusted proxy added last, else the connection."""
    if settings.trusts_proxy:
        forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1")
        last = forwarded.rpartition(",")[2].strip()
        if last:
            return _network(last[:100])
    client = scope.get("client")
    return _network(str(client[0])) if client else ""


def _network(address: str) -> str:
    """Return the network of an address of which one client has very many."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4 or found.ipv4_mapped:  # noqa: PLR2004 (the version of IP)
        return address
    return str(ipaddress.ip_network((address, _IPV6_NETWORK), strict=False))


def shown_credential(headers: Headers, cookie: str) -> Credential | None:
    """Return what a request shows: the token of a device, or else the cookie of a browser."""
    if b"authorization" in headers:
        kind, _, value = headers[b"authorization"].decode("latin-1").partition(" ")
        return Credential(value.strip() if kind.casefold() == "bearer" else "", TokenKind.DEVICE)
    token = next(read_cookies(headers.get(b"cookie", b""), cookie), "")
    return Credential(token, TokenKind.BROWSER) if token else None


def _is_page(scope: Scope, headers: Headers) -> bool:
    return wants_page(scope, headers) and not scope["path"].startswith(_PUSH)


def _too_many(seconds: float) -> Rejection:
    return Rejection(429, "too_many_requests", "too many requests; try again later", seconds)


async def _respond(send: Send, rejection: Rejection) -> None:
    await respond_refusal(send, rejection.status, rejection.code, rejection.message)


class _LateBody:
    """The body of a request; whoever sends it slowly is checked again when it is complete."""

    def __init__(self, receive: Receive, is_let_in: Callable[[], Awaitable[bool]]) -> None:
        self.is_refused = False
        self._receive = receive
        self._is_let_in = is_let_in
        self._started = time.monotonic()

    async def __call__(self) -> Message:
        message = await self._receive()
        is_complete = message["type"] == "http.request" and not message.get("more_body")
        if is_complete and time.monotonic() - self._started > _SLOW_SECONDS:
            self.is_refused = not await self._is_let_in()
        return {"type": "http.disconnect"} if self.is_refused else message

    def unless_refused(self, send: Send) -> Send:
        """Send nothing of what an application says to a refused body."""

        async def checked(message: Message) -> None:
            if not self.is_refused:
                await send(message)

        return checked


def _while_let_in(send: Send, is_let_in: Callable[[], Awaitable[bool]]) -> Send:
    """End a stream before it sends something to whoever is no longer let in."""

    async def checked(message: Message) -> None:
        is_part = message["type"] == "http.response.body" and message.get("more_body")
        if is_part and not await is_let_in():
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await send(message)

    return checked


class _Timing:
    """Logs each request when it is done: by the shape of its path, which names nothing."""

    def __init__(self, scope: Scope, on_response: OnResponse) -> None:
        self._scope = scope
        self._on_response = on_response
        self._status = 0
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        state = self._scope["state"]
        found: Principal | None = state["principal"]
        method, route = self._scope["method"], str(self._scope.get("path_template", ""))
        seconds = time.monotonic() - self._started
        self._on_response(method, route, self._status, seconds)
        line = {
            "request_id": state["request_id"],
            "method": method,
            "route": route,
            "status": self._status,
            "ms": round(seconds * 1000, 1),
            "member_id": found.member_id if found else None,
            "device_id": found.device_id if found else None,
        }
        _log.info("request", extra={REQUEST: line})

    def watch(self, send: Send) -> Send:
        """Remember the status of the response."""

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
            await send(message)

        return watched
