"""Settings of the team server: where it listens, what it is called, and how people log in."""

from typing import Final
from urllib.parse import urlsplit

import msgspec

from clew.errors import UsageError
from clew.store.postgres_location import PostgresLocation
from clew.web.settings import is_any, is_loopback

_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")


class BadPublicUrlError(UsageError):
    """The public URL cannot be used."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{url[:200]!r} is not the URL of a server; use https://HOST or http://HOST:PORT"
        )


class OidcSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An identity provider; `name` is what the login page calls it."""

    issuer: str
    client_id: str
    client_secret: str = ""
    name: str = "single sign-on"


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How many requests are allowed in a minute, by a device or browser, or from an address."""

    reads: int = 1_200
    pushes: int = 6_000
    logins: int = 240
    failures: int = 120


class TeamSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the team server runs.

    `public_url` is how members reach it; links that the server makes start with it. With
    `trusts_proxy`, a reverse proxy says where requests come from. A browser is logged in for
    `session_hours`. Whoever reads the metrics shows `metrics_token`; without one, they are for this
    machine only. With `blobs_public_url`, browsers reach the bucket's server by that. The head of a
    request must arrive within `request_seconds`, and so must its body.
    """

    location: PostgresLocation
    host: str = "127.0.0.1"
    port: int = 8378
    public_url: str = ""
    hosts: tuple[str, ...] = ()
    trusts_proxy: bool = False
    oidc: OidcSettings | None = None
    session_hours: int = 14 * 24
    metrics_token: str = ""
    blobs_public_url: str = ""
    request_seconds: float = 60
    limits: RequestLimits = RequestLimits()

    @property
    def url(self) -> str:
        """The URL that members use, without a slash at its end."""
        if self.public_url:
            return self.public_url.rstrip("/")
        name = "localhost" if is_any(self.host) else self.host.strip("[]")
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}"

    @property
    def is_https(self) -> bool:
        """Whether browsers use an encrypted connection."""
        return self.url.startswith("https://")

    @property
    def is_private(self) -> bool:
        """Whether nobody on the network can read what members send."""
        return self.is_https or is_loopback(urlsplit(self.url).hostname or "")

    @property
    def browser_cookie(self) -> str:
        """The name of the cookie of a browser; with https, no other host can set it."""
        return "__Host-clew_session" if self.is_https else "clew_session"

    @property
    def origin(self) -> str:
        """The host and port that pages of this server come from."""
        return urlsplit(self.url).netloc.casefold()

    @property
    def names(self) -> frozenset[str]:
        """The host names that requests may use, without a port."""
        own = () if is_any(self.host) else (self.host.strip("[]"),)
        public = urlsplit(self.url).hostname or ""
        names = (*_LOCAL_NAMES, *own, public, *self.hosts)
        return frozenset(name.casefold() for name in names if name)


def require_public_url(url: str) -> str:
    """Return a public URL that can be used.

    Raises:
        BadPublicUrlError: It has no host, or more than a host.
    """
    try:
        parts = urlsplit(url)
        is_right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise BadPublicUrlError(url) from None
    extra = parts.path.rstrip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if not is_right or extra or not url.isprintable() or " " in url:
        raise BadPublicUrlError(url)
    return url.rstrip("/")
