"""Drilldown: the sessions behind a number of the usage."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from clew.analytics.filters import FilterSet, accepts_calls
from clew.analytics.groups import BLOCK_HOURS, find_key
from clew.analytics.models import display_name, normalise
from clew.analytics.sums import HOUR, NO_MODEL, CallSum
from clew.clock import format_time, parse_time

CALL_GROUPS: Final = ("day", "hour", "block", "model", "project", "agent")
TOOL_GROUPS: Final = ("tool", "failed", "denied")
ANY: Final = "any"


class UsageGroup(msgspec.Struct, frozen=True):
    """What is counted together: by what, and which of these.

    Model calls are grouped by `CALL_GROUPS`, tool calls by `TOOL_GROUPS`: all calls of a tool, the
    failed ones, the denied ones. `any` means all model calls.
    """

    by: str
    key: str = ""


def read_group(text: str) -> UsageGroup | None:
    """Read a group as addresses write it: `hour:mon-14`, `model:Opus 4.5`, `any`."""
    by, mark, key = text.partition(":")
    if text == ANY:
        return UsageGroup(ANY)
    return UsageGroup(by, key) if mark and by in (*CALL_GROUPS, *TOOL_GROUPS) else None


def sessions_in_groups(
    sums: Iterable[CallSum], groups: Sequence[UsageGroup], zone: dt.tzinfo, filters: FilterSet
) -> frozenset[str]:
    """Return the ids of the sessions with calls that all of these groups count."""
    tests = [_test(group, zone) for group in groups if group.by in CALL_GROUPS]
    return frozenset(
        calls.session_id
        for calls in sums
        if all(test(calls) for test in tests) and accepts_calls(filters, calls)
    )


def _test(group: UsageGroup, zone: dt.tzinfo) -> Callable[[CallSum], bool]:
    wanted = group.key
    match group.by:
        case "model":
            return lambda calls: wanted in (normalise(calls.model), display_name(calls.model))
        case "hour":
            # Hours are those of calls that are known.
            hour = find_key("hour", zone, [])
            return lambda calls: calls.model != NO_MODEL and hour(calls) == wanted
        case "block":
            hours = _hours_of_block(wanted)
            return lambda calls: calls.at[:HOUR] in hours
        case by:
            key = find_key(by, zone, [])
            return lambda calls: key(calls) == wanted


def _hours_of_block(start: str) -> frozenset[str]:
    """Return the hours of a block, in UTC as calls have them."""
    moment = parse_time(start)
    if moment is None:
        return frozenset()
    try:
        times = [moment + dt.timedelta(hours=number) for number in range(BLOCK_HOURS)]
    except OverflowError:
        return frozenset()
    return frozenset(format_time(time)[:HOUR] for time in times)
