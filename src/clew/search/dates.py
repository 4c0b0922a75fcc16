"""Days and lengths of time, as `before:` and `after:` take them."""

import datetime as dt
import re
from typing import Final

EXAMPLES: Final = "2026-11-14, 2026-11-14T09:00, today, yesterday, 12h, 7d or 2w"
_AGO: Final = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks"}
_DAYS_AGO: Final = {"today": 0, "yesterday": 1}
_DAY_LENGTH: Final = len("2026-11-14")


def parse_moment(text: str, now: dt.datetime) -> dt.datetime | None:
    """Read a day's start in the zone of `now`, a time, or so long ago; None if it is neither."""
    word = text.strip().lower()
    ago = _AGO.fullmatch(word)
    try:
        if ago is not None:
            moment = now - dt.timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        elif word in _DAYS_AGO:
            moment = _start_of(now.date() - dt.timedelta(days=_DAYS_AGO[word]), now)
        elif len(word) == _DAY_LENGTH:
            moment = _start_of(dt.date.fromisoformat(word), now)
        else:
            moment = dt.datetime.fromisoformat(word.upper())
        aware = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
        return aware.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None


def _start_of(day: dt.date, now: dt.datetime) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), now.tzinfo)
