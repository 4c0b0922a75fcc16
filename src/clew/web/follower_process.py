"""The follower's process: how the server starts and stops it."""

import subprocess
import sys
from typing import Final

import msgspec

from clew.web.follower_messages import FollowerSettings
from clew.web.settings import Settings

_STOP_SECONDS: Final = 10.0


def start_follower(settings: Settings) -> subprocess.Popen[bytes]:
    """Start the follower; it exits with us, or when it is stopped."""
    home = None if settings.home is None else str(settings.home)
    orders = FollowerSettings(home, tuple(str(root) for root in settings.roots))
    command = [sys.executable, "-m", "clew.web.follower", msgspec.json.encode(orders).decode()]
    # A signal to all processes of the terminal shall reach us only; we stop the follower.
    return subprocess.Popen(  # noqa: S603 (our own module)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def stop_follower(follower: subprocess.Popen[bytes]) -> None:
    """Stop the follower by closing its standard input."""
    if follower.stdin is not None:
        follower.stdin.close()
    try:
        follower.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        follower.kill()
