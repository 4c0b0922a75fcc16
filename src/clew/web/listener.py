"""The socket that the server listens on."""

import errno
import socket
from typing import Final

from clew.errors import ClewError
from clew.web.settings import Settings

_PORTS_TRIED: Final = 20


class PortTakenError(ClewError):
    """The port is in use, we may not bind to it, or the host is not this machine."""

    def __init__(self, host: str, port: int, why: OSError | None) -> None:
        is_host = isinstance(why, socket.gaierror) or (why and why.errno == errno.EADDRNOTAVAIL)
        other = "--host" if is_host else "--port"
        reason = "" if why is None else why.strerror or str(why)
        super().__init__(f"cannot bind to {host}:{port}: {reason}; choose another {other}")


def open_socket(settings: Settings, *, any_port: bool) -> socket.socket:
    """Bind to the port, or with `any_port` to the first free one after it.

    Raises:
        PortTakenError: No port could be bound.
    """
    tries = range(settings.port, settings.port + (_PORTS_TRIED if any_port else 1))
    problem: OSError | None = None
    for port in tries:
        try:
            return _bind(settings.host, port)
        except OSError as error:
            problem = error
    raise PortTakenError(settings.host, settings.port, problem) from problem


def _bind(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    # Without the protocol's number, asyncio does not set TCP_NODELAY.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(512)
    except OSError:
        listener.close()
        raise
    return listener
