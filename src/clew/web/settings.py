"""Settings: where the app listens, who may ask, and what it shows."""

import ipaddress
import socket
from pathlib import Path
from typing import Final

import msgspec

from clew.errors import UsageError

_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_SHORTEST_TOKEN: Final = 16


class ExposedError(UsageError):
    """Others on the network could read everything."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"listening on {host} lets others on the network read your sessions; "
            "give a --token of 16 characters or more, or leave --host away"
        )


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How the app runs.

    `home` is the archive's folder, by default the user's own. `roots` are followed for new lines
    unless `is_followed` is off. With a `token` everybody must show it first. The head of a request
    must be there within `request_seconds`, and so must its body.
    """

    host: str = "127.0.0.1"
    port: int = 8377
    token: str = ""
    home: Path | None = None
    roots: tuple[Path, ...] = ()
    is_followed: bool = True
    hosts: tuple[str, ...] = ()
    request_seconds: float = 20

    @property
    def names(self) -> frozenset[str]:
        """The host names under which the app may be asked for, without a port."""
        own = () if is_any(self.host) else (self.host.strip("[]"),)
        return frozenset(name.casefold() for name in (*_LOCAL_NAMES, *own, *self.hosts))

    def answers_to(self, name: str) -> bool:
        """Tell whether the app may be asked for under a name.

        Whoever listens for others has a token, and cannot know by which address they come, or how
        their network calls this machine: as itself, or as itself in some domain.
        """
        if name in self.names:
            return True
        if is_loopback(self.host):
            return False
        own = socket.gethostname().casefold().partition(".")[0]
        return is_address(name) or (bool(own) and name.partition(".")[0] == own)


def require_safe(settings: Settings) -> None:
    """Make sure that nobody listens beyond this machine without a token.

    Raises:
        ExposedError: It would.
    """
    if not is_loopback(settings.host) and len(settings.token) < _SHORTEST_TOKEN:
        raise ExposedError(settings.host)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_address(host: str) -> bool:
    """Tell whether a host is an address, which nobody can make lead elsewhere."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_any(host: str) -> bool:
    """Tell whether a host stands for all addresses of the machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False
