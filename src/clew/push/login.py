"""Logging in to a team server: a code that the user confirms in a browser, or a token."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from clew.protocol import LoginDone, LoginPoll, LoginRequest, LoginStart, Whoami
from clew.push.logins import Logins, ServerLogin
from clew.push.push_errors import (
    LoginExpiredError,
    LoginRefusedError,
    ServerRefusedError,
    ServerUnreachableError,
)
from clew.push.team_client import FEW_TRIES, TeamClient

_LEAST_PAUSE: Final = 1
_LONGEST_NAME: Final = 80
_CHECK: Final = "check the address, and whether the server runs"


class LoginOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Who is logged in where, and whether the keyring has the token."""

    schema: str = "clew.login/1"
    server: str
    member: str
    organisation: str
    is_in_keyring: bool
    may_be_read_by: list[str] = []


def log_in(
    logins: Logins,
    server: str,
    *,
    on_code: Callable[[LoginStart], object],
    device_name: str = "",
    is_insecure: bool = False,
) -> LoginOutcome:
    """Log in with a code: `on_code` shows it to the user, who confirms it in a browser.

    Raises:
        LoginExpiredError: Nobody did in time.
    """
    name = (device_name or socket.gethostname() or "laptop")[:_LONGEST_NAME]
    with _first_contact(), TeamClient(server, most_tries=FEW_TRIES) as client:
        start = client.post("/push/login", LoginRequest(device_name=name), LoginStart)
        on_code(start)
        done = _wait(client, start)
    return log_in_with_token(logins, server, done.token, is_insecure=is_insecure)


def log_in_with_token(
    logins: Logins, server: str, token: str, *, is_insecure: bool = False
) -> LoginOutcome:
    """Log in with a token, if the server accepts it.

    Raises:
        LoginRefusedError: It does not.
    """
    with _first_contact(), TeamClient(server, token, most_tries=FEW_TRIES) as client:
        who = client.get("/push/whoami", Whoami)
    login = ServerLogin(
        server=server,
        member=who.member,
        organisation=who.organisation,
        is_insecure=is_insecure,
    )
    return LoginOutcome(
        server=server,
        member=who.member,
        organisation=who.organisation,
        is_in_keyring=logins.add(login, token),
        may_be_read_by=who.may_be_read_by,
    )


def log_out(logins: Logins, login: ServerLogin) -> str:
    """Revoke the token of this device and forget it; return why it could not be revoked, if so."""
    problem = ""
    try:
        with TeamClient(login.server, logins.token_of(login), most_tries=FEW_TRIES) as client:
            client.call("POST", "/push/logout")
    except LoginRefusedError:
        # It is not valid any longer.
        pass
    except ServerUnreachableError as error:
        problem = error.problem
    except ServerRefusedError as error:
        problem = str(error)
    logins.remove(login)
    return problem


@contextmanager
def _first_contact() -> Iterator[None]:
    """Say of a server that cannot be reached what to do before anything was sent to it."""
    try:
        yield
    except ServerUnreachableError as error:
        raise ServerUnreachableError(error.server, error.reason, _CHECK) from error


def _wait(client: TeamClient, start: LoginStart) -> LoginDone:
    """Ask until the user has confirmed the code."""
    deadline = time.monotonic() + start.expires_in
    while time.monotonic() < deadline:
        time.sleep(max(start.interval, _LEAST_PAUSE))
        try:
            done = client.poll(
                "/push/login/poll", LoginPoll(device_code=start.device_code), LoginDone
            )
        except ServerRefusedError as error:
            raise LoginExpiredError(client.server) from error
        if done is not None:
            return done
    raise LoginExpiredError(client.server)
