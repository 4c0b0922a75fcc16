"""Keys of groups: the local day, week, month, hour or 5-hour block of a call, or what made it."""

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Final

from clew.analytics.models import normalise
from clew.analytics.sums import HOUR, CallSum, WorkCall
from clew.clock import parse_time

GROUPS: Final = ("day", "week", "month", "session", "project", "model", "agent", "block")
WORK_GROUPS: Final = ("commit", "pr", "branch")
"""What came of the work: groups that only the archive knows."""
TIMES: Final = ("day", "week", "month", "block")
MAIN_THREAD: Final = "(main thread)"
NO_PROJECT: Final = "(no project)"
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
BLOCK_HOURS: Final = 5

_BLOCK: Final = dt.timedelta(hours=BLOCK_HOURS)
_NO_TIME: Final = "(no time)"
_MINUTE: Final = len("2026-11-15T08:35")
# Near the first and the last year that there is, a time may have none in a zone.
_NOT_LOCAL: Final = (OverflowError, ValueError, OSError)


def find_key(
    by: str, zone: dt.tzinfo, given: list[CallSum], hours: Iterable[str] = ()
) -> Callable[[CallSum], str]:
    """Return the function from calls to their group; blocks depend on all calls.

    `by` is one of `GROUPS` or `WORK_GROUPS`, or `hour`, which is one of the week: `mon-14`.
    `hours` are those of calls that are not given (see `hours_of`).
    """
    match by:
        case "session":
            return lambda calls: calls.session_id
        case "project":
            return lambda calls: calls.project or NO_PROJECT
        case "model":
            return lambda calls: normalise(calls.model)
        case "agent":
            return lambda calls: calls.agent or MAIN_THREAD
        case "commit" | "pr" | "branch":
            return lambda calls: _work_key(calls) or f"(no {by})"
        case "block":
            return _block_key(hours_of(given).union(hours), zone)
        case _:
            return _time_key(by, zone)


def _work_key(calls: CallSum) -> str:
    return calls.group if isinstance(calls, WorkCall) else ""


def bucket_letters(zone: dt.tzinfo) -> int:
    """Return how many letters of a time are enough to sum by the days of a zone.

    Nearly all zones are whole hours away from UTC, and blocks begin at full hours.
    """
    moments = [
        dt.datetime(year, month, 1, tzinfo=zone) for year in (2023, 2026) for month in (1, 7)
    ]
    offsets = [moment.utcoffset() or dt.timedelta(0) for moment in moments]
    return HOUR if all(not offset % dt.timedelta(hours=1) for offset in offsets) else _MINUTE


def hours_of(sums: Iterable[CallSum]) -> set[str]:
    """Return the hours in which calls were made, in UTC as calls have them."""
    return {calls.at[:HOUR] for calls in sums}


def _time_key(by: str, zone: dt.tzinfo) -> Callable[[CallSum], str]:
    """Group by the local time at which an answer came."""
    known: dict[str, str] = {}

    def key(calls: CallSum) -> str:
        minute = calls.at[:_MINUTE]
        if minute not in known:
            known[minute] = _period(calls.at, by, zone)
        return known[minute]

    return key


def _period(at: str, by: str, zone: dt.tzinfo) -> str:
    moment = parse_time(at)
    try:
        return _NO_TIME if moment is None else _named(moment.astimezone(zone), by)
    except _NOT_LOCAL:
        return _NO_TIME


def _named(local: dt.datetime, by: str) -> str:
    match by:
        case "hour":
            return f"{WEEKDAYS[local.weekday()]}-{local.hour:02}"
        case "week":
            return (local.date() - dt.timedelta(days=local.weekday())).isoformat()
        case "month":
            return local.date().isoformat()[: len("2026-11")]
        case _:
            return local.date().isoformat()


def _block_key(hours: Iterable[str], zone: dt.tzinfo) -> Callable[[CallSum], str]:
    """Five-hour blocks: each begins at the full hour of the first call after the one before."""
    names: dict[str, str] = {}
    end: dt.datetime | None = None
    name = _NO_TIME
    for hour in sorted(hours):
        moment = parse_time(f"{hour}:00:00Z")
        if moment is not None and (end is None or moment >= end):
            try:
                end = moment + _BLOCK
                name = moment.astimezone(zone).isoformat(timespec="minutes")
            except _NOT_LOCAL:
                moment = None
        names[hour] = _NO_TIME if moment is None else name
    return lambda calls: names[calls.at[:HOUR]]
