"""Settings: the address the app listens on, who has access, and what it shows."""

import ipaddress
import socket
from pathlib import Path
from typing import Final

import msgspec

from clew.errors import UsageError
from clew.store import Location

_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_MIN_TOKEN: Final = 16


class ExposedError(UsageError):
    """Other machines could read everything without a token."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"--host {host} lets other machines read your sessions; set a --token of at least 16 "
            "characters, or omit --host"
        )


class CacheLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How many bytes of memory the app may use for what it has made, by kind.

    A session whose transcripts have at least `long_session` bytes is in memory only while no other
    long one is.
    """

    sessions: int = 64_000_000
    responses: int = 32_000_000
    shapes: int = 8_000_000
    long_session: int = 8_000_000


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How the app runs.

    `location` is where the archive is, by default the user's own. `roots` are synced while the app
    runs if `is_followed`. With a `token`, every request must have it. The head of a request must
    arrive within `request_seconds`, and so must its body. `cache` limits the memory. With
    `opens_terminal`, readers on this machine may resume a session in a terminal.
    """

    host: str = "127.0.0.1"
    port: int = 8377
    token: str = ""
    location: Location | None = None
    roots: tuple[Path, ...] = ()
    is_followed: bool = True
    hosts: tuple[str, ...] = ()
    request_seconds: float = 20
    cache: CacheLimits = CacheLimits()
    opens_terminal: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The host names that requests may use, without a port."""
        own = () if is_any(self.host) else (self.host.strip("[]"),)
        return frozenset(name.casefold() for name in (*_LOCAL_NAMES, *own, *self.hosts))

    def accepts_host(self, name: str) -> bool:
        """Return whether requests may use a host name.

        An app that other machines can reach has a token. It accepts any IP address and this
        machine's own name in any domain, since it cannot know what its network calls it.
        """
        if name in self.names:
            return True
        if is_loopback(self.host):
            return False
        own = socket.gethostname().casefold().partition(".")[0]
        return is_address(name) or (bool(own) and name.partition(".")[0] == own)


def require_safe(settings: Settings) -> None:
    """Refuse to be reachable from other machines without a token.

    Raises:
        ExposedError: The app would be.
    """
    if not is_loopback(settings.host) and len(settings.token) < _MIN_TOKEN:
        raise ExposedError(settings.host)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_address(host: str) -> bool:
    """Return whether a host is an IP address, which DNS cannot redirect."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_any(host: str) -> bool:
    """Return whether a host means all addresses of the machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False
