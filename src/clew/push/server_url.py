"""The address of a team server, as it is written in files and shown to users."""

import ipaddress
from urllib.parse import urlsplit

from clew.errors import UsageError


class ServerAddressError(UsageError):
    """An address cannot be that of a team server."""


def normalise_server(address: str, *, is_insecure: bool = False) -> str:
    """Return the address of a server, always written in the same way.

    Raises:
        ServerAddressError: It is no address, or would send the token unencrypted.
    """
    text = address.strip()
    if "://" not in text:
        text = f"https://{text}"
    wrong = ServerAddressError(f"{address!r} is not the address of a server; use https://HOST")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if not host or not text.isprintable() or parts.scheme not in ("http", "https"):
        raise wrong
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ServerAddressError(
            "the address has more than a scheme, a host, a port and a path; use https://HOST"
        )
    if parts.scheme == "http" and not (is_insecure or is_loopback(host)):
        raise ServerAddressError(
            f"http://{host} would send your token and sessions unencrypted; use https://, or "
            "--insecure if you trust the whole network between"
        )
    shown = f"[{host}]" if ":" in host else host
    at = "" if port is None or port == _default_port(parts.scheme) else f":{port}"
    return f"{parts.scheme}://{shown}{at}{parts.path.rstrip('/')}"


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80
