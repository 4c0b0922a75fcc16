"""The follower's process: how the server starts and stops it."""

import subprocess
import sys
from typing import Final

import msgspec

from clew.store import address_of
from clew.web.follower_messages import FollowerSettings
from clew.web.settings import Settings

_STOP_SECONDS: Final = 10.0


def start_follower(settings: Settings) -> subprocess.Popen[bytes]:
    """Start the follower; it exits with us, or when it is stopped."""
    location = settings.location
    address = None if location is None else address_of(location)
    orders = FollowerSettings(address, tuple(str(root) for root in settings.roots))
    command = [sys.executable, "-m", "clew.web.follower"]
    # A signal to all processes of the terminal shall reach us only; we stop the follower.
    follower = subprocess.Popen(  # noqa: S603 (our own module)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    if follower.stdin is not None:
        follower.stdin.write(msgspec.json.encode(orders) + b"\n")
        follower.stdin.flush()
    return follower


def stop_follower(follower: subprocess.Popen[bytes]) -> None:
    """Stop the follower by closing its standard input."""
    if follower.stdin is not None:
        follower.stdin.close()
    try:
        follower.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        follower.kill()
