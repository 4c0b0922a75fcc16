"""The address of a database → what a connection is made with."""

import os
import re
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from clew.errors import UsageError
from clew.settings import hide_password

_CONNECT_SECONDS: Final = 10
_DEFAULTS: Final = {
    "client_encoding": "UTF8",
    "fallback_application_name": "clew",
    # A network that is gone says nothing: without these, a request waits for hours.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_PORTS: Final = re.compile(r"[0-9]*(,[0-9]*)*").fullmatch


class BadUrlError(UsageError):
    """The address of a database cannot be understood.

    What the library says is not repeated: it may quote a part of the password.
    """

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{hide_password(url)} is not a valid address; use "
            "postgresql://USER@HOST:PORT/DATABASE, and write special characters in a name or "
            "password as %XX (@ is %40, / is %2F)"
        )


def connection_options(url: str) -> dict[str, Any]:
    """Return what an address says, and what we add where it says nothing.

    Raises:
        BadUrlError: It cannot be understood.
    """
    try:
        found = conninfo_to_dict(url)
    except (psycopg.Error, ValueError) as error:
        raise BadUrlError(url) from error
    # Somebody forgot to escape an @ or a slash in a password: a part of it became a name.
    names = f"{found.get('host', '')}{found.get('dbname', '')}"
    if "@" in names or not _PORTS(str(found.get("port", ""))):
        raise BadUrlError(url)
    if "PGCONNECT_TIMEOUT" not in os.environ:
        found.setdefault("connect_timeout", _CONNECT_SECONDS)
    return {**_DEFAULTS, **found}
