"""The state of a session at some moment: what it was doing, and for how long nothing has come."""

import datetime as dt
from typing import Final

from clew.clock import parse_time
from clew.insight.live.model import Activity, LiveState

# An edit or a read takes less: whoever is silent for longer asks a person.
_ASKED_AFTER: Final = dt.timedelta(seconds=3)
# Between two parts of one answer there may be a long call, which arrives as a whole.
_OVER_AFTER: Final = dt.timedelta(seconds=10)
# Commands may take ten minutes; who does not answer for this long is doing something else.
_GONE_AFTER: Final = dt.timedelta(minutes=30)
# What a call may take beyond its limit, until its result is written.
_LATE: Final = dt.timedelta(seconds=5)
_DAY_MS: Final = 86_400_000
_QUIET: Final = "nothing new for 30 minutes"


def state_at(activity: Activity, now: dt.datetime) -> LiveState:
    """Return the state of a session at a moment."""
    quiet = _quiet(activity.at, now)
    match activity.doing:
        case "left":
            return LiveState("finished", activity.reason)
        case "asking":
            return LiveState("waiting", activity.reason)
        case "may_ask" if quiet >= _ASKED_AFTER:
            return LiveState("waiting", activity.reason, is_inferred=True)
        case "turn_over" if quiet >= _GONE_AFTER and activity.action.endswith("?"):
            return LiveState("waiting", "the last answer ends with a question", is_inferred=True)
        case _ if quiet >= _GONE_AFTER:
            return LiveState("finished", _QUIET, is_inferred=True)
        case "turn_over":
            return LiveState("waiting", activity.reason)
        case "may_be_over" if quiet >= _OVER_AFTER:
            return LiveState("waiting", activity.reason, is_inferred=True)
        case "calling" if activity.is_unsure and quiet >= _limit(activity) + _LATE:
            return LiveState("waiting", activity.reason, is_inferred=True)
        case "calling":
            return LiveState("working", activity.reason)
        case _:
            return LiveState("working", "the model is answering")


def state_by_time(at: str, now: dt.datetime) -> LiveState:
    """Return the state of a session of which only the time of its last line is known."""
    if _quiet(at, now) >= _GONE_AFTER:
        return LiveState("finished", _QUIET, is_inferred=True)
    return LiveState("working", "new lines in the last 30 minutes", is_inferred=True)


def _limit(activity: Activity) -> dt.timedelta:
    """Return how long a call may run; a damaged input may say anything."""
    return min(dt.timedelta(milliseconds=min(max(activity.limit_ms, 0), _DAY_MS)), _GONE_AFTER)


def _quiet(at: str, now: dt.datetime) -> dt.timedelta:
    """Return for how long nothing has come."""
    moment = parse_time(at)
    return _GONE_AFTER if moment is None else now - moment
