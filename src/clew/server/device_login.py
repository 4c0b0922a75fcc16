"""The login of a device: it shows a code, which its member confirms in a browser."""

import secrets
from typing import Final

from clew.errors import ClewError, NotFoundError
from clew.protocol import LoginDone, LoginStart
from clew.server.accounts import get_member
from clew.server.devices import register_device
from clew.server.names import label
from clew.server.tokens import hash_token, is_token_text, make_token
from clew.store.postgres.team import TeamDatabase

SECONDS: Final = 600
"""How long a code can be confirmed."""
_INTERVAL: Final = 5
_MOST_WAITING: Final = 10_000
# No vowels, so that there are no words, and nothing that looks like something else.
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
_HALF: Final = 4


class TooManyDevicesError(ClewError):
    """Too many devices wait to be confirmed."""

    def __init__(self) -> None:
        super().__init__("too many devices are logging in; try again in a few minutes")


class CodeOverError(NotFoundError):
    """No device waits with this code."""

    def __init__(self) -> None:
        super().__init__("no device is waiting with this code; run `clew login` again")


class DeviceRequestOverError(ClewError):
    """A device asked for too long, was refused, or has its token already."""

    def __init__(self) -> None:
        super().__init__("this login is over; run `clew login` again")


def start_device_login(team: TeamDatabase, device_name: str, url: str) -> LoginStart:
    """Let a device wait to be confirmed.

    Raises:
        BadNameError: The device's name cannot be used.
        TooManyDevicesError: Very many wait.
    """
    device_code, code = make_token(), _make_code()
    values = {"hash": hash_token(device_code), "code": code, "seconds": SECONDS}
    name = label(device_name, "device")
    team.run("delete_old_device_requests")
    if not team.run(
        "add_device_request", {**values, "device_name": name, "maximum": _MOST_WAITING}
    ):
        raise TooManyDevicesError
    return LoginStart(
        device_code=device_code,
        user_code=code,
        verification_url=f"{url}/device?code={code}",
        expires_in=SECONDS,
        interval=_INTERVAL,
    )


def find_waiting_device(team: TeamDatabase, code: str) -> str:
    """Return the name of the device that waits with a code.

    Raises:
        CodeOverError: There is none.
    """
    found = team.record("find_device_request", {"code": _normal(code)})
    if found is None:
        raise CodeOverError
    name: str = found["device_name"]
    return name


def confirm_device(team: TeamDatabase, code: str, member_id: int) -> None:
    """Let the device with a code in, as a device of a member.

    Raises:
        CodeOverError: There is none.
    """
    if not team.run("confirm_device_request", {"code": _normal(code), "member_id": member_id}):
        raise CodeOverError


def refuse_device(team: TeamDatabase, code: str) -> None:
    """Let no device with a code in."""
    team.run("refuse_device_request", {"code": _normal(code)})


def finish_device_login(team: TeamDatabase, device_code: str) -> LoginDone | None:
    """Return the token of a device once it is confirmed, and only once; None while it waits.

    Raises:
        DeviceRequestOverError: It need not ask again.
    """
    if not is_token_text(device_code):
        raise DeviceRequestOverError
    values = {"hash": hash_token(device_code)}
    with team.transaction():
        found = team.record("finish_device_request", values)
        if found is None:
            if not team.rows("waits_device_request", values):
                raise DeviceRequestOverError
            return None
        member = get_member(team, found["member_id"])
        issued = register_device(
            team, member.organisation_id, member.id, found["device_name"], by=member.id
        )
    return LoginDone(token=issued.token, member=member.name, organisation=member.organisation)


def _make_code() -> str:
    letters = "".join(secrets.choice(_LETTERS) for _ in range(2 * _HALF))
    return f"{letters[:_HALF]}-{letters[_HALF:]}"


def _normal(code: str) -> str:
    """Return a code as it was shown, however somebody typed it."""
    letters = "".join(letter for letter in code.upper() if letter in _LETTERS)
    return f"{letters[:_HALF]}-{letters[_HALF : 2 * _HALF]}"
