"""Errors between a laptop and a team server, each with what to do.

PushError                        1
├── PushPackagesMissingError     1   httpx is not installed
├── NotLoggedInError             1   no token for the server
├── LoginRefusedError            1   the server does not accept the token
├── LoginExpiredError            1   nobody confirmed the code in time
├── PushBusyError                1   another process pushes or pulls
├── ServerUnreachableError       1   no answer, or none that can be used
└── ServerRefusedError           1   the server understood and refused
"""

from typing import Final

from clew.errors import ClewError
from clew.protocol import PushRefusal

_LATER: Final = "nothing is lost, the next `clew push` sends what is missing"


class PushError(ClewError):
    """A laptop and a team server cannot work together at the moment."""


class PushPackagesMissingError(PushError):
    """The packages for team servers are not installed."""

    def __init__(self) -> None:
        super().__init__(
            "team servers require httpx; install it with `uv sync --extra push` or "
            "`pip install 'clew[push]'`"
        )


class NotLoggedInError(PushError):
    """There is no token for a server."""

    def __init__(self, server: str = "") -> None:
        place = f" to {server}" if server else " to a team server"
        super().__init__(f"you are not logged in{place}; run `clew login {server or 'URL'}`")


class LoginRefusedError(PushError):
    """A server does not accept a token."""

    def __init__(self, server: str) -> None:
        super().__init__(
            f"{server} does not accept the token of this device: it may have been revoked or have "
            f"expired; run `clew login {server}`"
        )


class LoginExpiredError(PushError):
    """Nobody has confirmed a device in time."""

    def __init__(self, server: str) -> None:
        super().__init__(f"nobody confirmed the code in time; run `clew login {server}` again")


class PushBusyError(PushError):
    """Another process of this laptop pushes or pulls."""

    def __init__(self) -> None:
        super().__init__("another `clew push` or `clew pull` is running; run this again later")


class ServerUnreachableError(PushError):
    """A server does not answer, or not as a team server does."""

    def __init__(self, server: str, reason: str, advice: str = _LATER) -> None:
        self.problem = f"{server} cannot be reached ({reason})"
        super().__init__(f"{self.problem}; {advice}")
        self.server = server
        self.reason = reason


class ServerRefusedError(PushError):
    """A server has understood a request, and refuses it."""

    def __init__(self, server: str, refusal: PushRefusal) -> None:
        super().__init__(f"{server}: {refusal.error.message}")
        self.refusal = refusal

    @property
    def code(self) -> str:
        """Why, in a word for programs."""
        return self.refusal.error.code
