"""Reading and printing times; everything is UTC inside."""

import datetime as dt
import re
from typing import Final

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND: Final = dt.timedelta(milliseconds=1)
_DAY: Final = dt.timedelta(days=1)
_NO_TIME: Final = dt.timedelta(0)
_AGO: Final = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks"}
_USUAL_LENGTH: Final = len("2026-11-15T08:35:38.063Z")
_DAYS_AGO: Final = {"today": 0, "yesterday": 1}

MOMENT_EXAMPLES: Final = "2026-11-14, 2026-11-14T09:00, today, yesterday, 12h, 7d or 2w"
"""What `parse_since` and `parse_until` understand, for messages."""


class LocalZone(dt.tzinfo):
    """The zone of this machine, with its summer time; the standard library has none of its own."""

    # `typing.override` comes with Python 3.12.
    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta | None:  # type: ignore[explicit-override]
        """Return the offset from UTC at that time."""
        return None if when is None else _local(when).utcoffset()

    def dst(self, when: dt.datetime | None) -> dt.timedelta | None:  # type: ignore[explicit-override]
        """Return how much of the offset is summer time."""
        return None if when is None else _local(when).dst()

    def tzname(self, when: dt.datetime | None) -> str | None:  # type: ignore[explicit-override]
        """Name the zone as the machine does."""
        return None if when is None else _local(when).tzname()

    def fromutc(self, when: dt.datetime) -> dt.datetime:  # type: ignore[explicit-override]
        """Return the local time of a moment in UTC."""
        moment = when.replace(tzinfo=dt.UTC).astimezone()
        local = moment.replace(tzinfo=self)
        # When clocks are set back an hour comes twice, and this may be the second.
        is_first = local.utcoffset() == moment.utcoffset()
        return local if is_first else local.replace(fold=1)


def parse_time(text: str) -> dt.datetime | None:
    """Read an ISO 8601 time; one without a zone is taken as UTC. None when it is not a time."""
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)
    except OverflowError:
        return None


def is_normal_time(text: str) -> bool:
    """Return whether a time is written as `format_time` does: such times compare as text."""
    return len(text) == _USUAL_LENGTH and text.endswith("Z")


def normal_time(text: str) -> str:
    """Return a time the way `format_time` prints it, so that times compare as text.

    Nearly all transcripts write it that way. What is not a time becomes an empty string.
    """
    if is_normal_time(text):
        return text
    moment = parse_time(text) if text else None
    return "" if moment is None else format_time(moment)


def milliseconds(text: str) -> int | None:
    """Read an ISO 8601 time as milliseconds since 1970, None when it is not one."""
    moment = parse_time(text)
    return None if moment is None else (moment - _EPOCH) // _MILLISECOND


def format_time(moment: dt.datetime) -> str:
    """Print a time as ISO 8601 UTC with milliseconds, the way transcripts do."""
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_since(text: str, now: dt.datetime) -> dt.datetime | None:
    """Read the first moment that counts: a day's start, a time, or so long ago."""
    found = _parse(text, now)
    return None if found is None else found[0]


def parse_until(text: str, now: dt.datetime) -> dt.datetime | None:
    """Read the first moment that does not count any more: a day counts to its end."""
    found = _parse(text, now)
    try:
        return None if found is None else found[0] + found[1]
    except OverflowError:  # the calendar's last day
        return None


def _parse(text: str, now: dt.datetime) -> tuple[dt.datetime, dt.timedelta] | None:
    """Return where a time begins and how long it lasts: a day, or no time at all."""
    word = text.strip().lower()
    ago = _AGO.fullmatch(word)
    try:
        if ago is not None:
            # Counted in UTC: a day on which the clocks change has no 24 hours.
            then = now.astimezone(dt.UTC) - dt.timedelta(**{_UNITS[ago[2]]: int(ago[1])})
            return then.astimezone(now.tzinfo), _NO_TIME
        if word in _DAYS_AGO:
            return _start_of(now.date() - _DAY * _DAYS_AGO[word], now), _DAY
        if len(word) == len("2026-11-14"):
            return _start_of(dt.date.fromisoformat(word), now), _DAY
        moment = dt.datetime.fromisoformat(word.upper())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
        moment.astimezone(dt.UTC)  # at the edges of the calendar, a time may have none in UTC
    except (ValueError, OverflowError):
        return None
    return moment, _NO_TIME


def _start_of(day: dt.date, now: dt.datetime) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), now.tzinfo)


def _local(when: dt.datetime) -> dt.datetime:
    return when.replace(tzinfo=None).astimezone()
