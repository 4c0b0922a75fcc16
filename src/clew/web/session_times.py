"""Which sessions are live: those that grew in the last minutes."""

import datetime as dt
from typing import Final

from clew.clock import format_time

_LIVE: Final = dt.timedelta(minutes=5)


def live_since(now: dt.datetime) -> str:
    """Return the moment since which a session must have grown to be live."""
    return format_time(now.astimezone(dt.UTC) - _LIVE)
