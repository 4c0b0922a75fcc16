"""What may be asked for: the parameters that addresses share, checked before anything is done."""

import base64
import binascii
import datetime as dt
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, TypeAlias, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter, QueryParameter, SkipValidation

from clew.analytics import ANY, CALL_GROUPS, TOOL_GROUPS, UsageGroup, read_group
from clew.archive import Filters, Order
from clew.clock import MOMENT_EXAMPLES, LocalZone, format_time, parse_since, parse_until
from clew.errors import SessionNotFoundError, UsageError

T = TypeVar("T")

# Ids reach no path, and yet nothing that could be part of one is let through.
_ID: Final = re.compile(r"[^\x00-\x20/\\\x7f]{1,200}")
_LONGEST: Final = 200
# Names may be long: that of a project is a path.
_LONGEST_WORD: Final = 4_096
_MOST_GROUPS: Final = 8
_FARTHEST: Final = 10_000_000
DEFAULT_LIMIT: Final = 100
MOST: Final = 1_000

Id: TypeAlias = Annotated[str, PathParameter(max_length=_LONGEST)]
Flag: TypeAlias = Annotated[bool, QueryParameter()]
Word: TypeAlias = Annotated[str | None, QueryParameter(max_length=_LONGEST_WORD)]
Limit: TypeAlias = Annotated[int, QueryParameter(ge=1, le=MOST, description="How many at most.")]
Cursor: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        max_length=_LONGEST, description="Where to go on: `next_cursor` of the page before."
    ),
]
Counted: TypeAlias = Annotated[
    list[str] | None,
    QueryParameter(
        max_items=_MOST_GROUPS,
        description=(
            "Only sessions that a number of the usage counts: those with model calls, `any` or in "
            "`hour:mon-14`, `day:2026-11-14`, `block:…`, `model:…`, `project:…`, `agent:…`, or "
            "with tool calls, `tool:…`, `failed:…`, `denied:…`. Filters then hold for the calls."
        ),
    ),
]
Zone: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        max_length=_LONGEST,
        description="Whose days and hours: a name as Europe/Paris; by default those of the server.",
    ),
]
Moment: TypeAlias = Annotated[
    str | None, QueryParameter(max_length=_LONGEST, description=f"A time: {MOMENT_EXAMPLES}.")
]


class Counting(msgspec.Struct, frozen=True):
    """Numbers of the usage whose sessions are asked for, and whose days and hours they count."""

    groups: tuple[UsageGroup, ...] = ()
    tz: str | None = None


class Times(msgspec.Struct, frozen=True):
    """From when, and until when."""

    since: str | None = None
    until: str | None = None


class Cut(msgspec.Struct, frozen=True):
    """One page of many things, and where the next one begins."""

    start: int
    limit: int

    def order(self, sort: str = "when", *, with_hidden: bool = False) -> Order:
        """Ask for one more than the page takes, which tells whether there is another page."""
        return Order(sort, self.start + self.limit + 1, with_hidden)

    def take(self, things: Iterable[T]) -> tuple[tuple[T, ...], str | None]:
        """Give the things of the page, and the cursor of the next; they may be one too many."""
        given = things if isinstance(things, Sequence) else tuple(things)
        page = tuple(given[self.start : self.start + self.limit])
        end = self.start + len(page)
        return page, make_cursor(end) if end < len(given) else None


def read_cut(cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Cut:
    """Read which page of a list is asked for.

    Raises:
        UsageError: It is none of ours.
    """
    if not cursor:
        return Cut(0, limit)
    try:
        start = int(base64.urlsafe_b64decode(cursor.encode()).decode())
    except (ValueError, binascii.Error) as error:
        raise UsageError("the cursor is none; take `next_cursor` of the page before") from error
    if not 0 <= start <= _FARTHEST:
        raise UsageError("the cursor is none; take `next_cursor` of the page before")
    return Cut(start, limit)


def make_cursor(start: int) -> str:
    """Write down where a page begins."""
    return base64.urlsafe_b64encode(str(start).encode()).decode()


def require_id(text: str) -> str:
    """Give an id that is one.

    Raises:
        SessionNotFoundError: Nothing can have such an id.
    """
    if _ID.fullmatch(text) is None:
        raise SessionNotFoundError(text[:40])
    return text


def read_filters(
    times: NamedDependency[SkipValidation[Times]],
    project: Word = None,
    branch: Word = None,
    model: Word = None,
    tool: Word = None,
    agent: Word = None,
    session: Word = None,
) -> Filters:
    """Read the common filters."""
    return Filters(
        project=project or None,
        branch=branch or None,
        model=model or None,
        tool=tool or None,
        agent=agent or None,
        session=session or None,
        since=times.since,
        until=times.until,
    )


def read_times(since: Moment = None, until: Moment = None, tz: Zone = None) -> Times:
    """Read from when and until when; days are those of the zone that is asked for.

    Raises:
        UsageError: A time cannot be read, or there is no such time zone.
    """
    now = dt.datetime.now(read_zone(tz))
    return Times(
        since=_moment(parse_since(since, now), since) if since else None,
        until=_moment(parse_until(until, now), until) if until else None,
    )


def read_counting(counted: Counted = None, tz: Zone = None) -> Counting:
    """Read which numbers are meant.

    Raises:
        UsageError: There is none of that kind, or no such time zone.
    """
    read_zone(tz)
    found = []
    for text in counted or ():
        group = read_group(text)
        if group is None:
            kinds = ", ".join(f"{kind}:…" for kind in (*CALL_GROUPS, *TOOL_GROUPS))
            raise UsageError(f"{text[:80]!r} counts nothing; it is {ANY}, or one of {kinds}")
        found.append(group)
    return Counting(tuple(found), tz or None)


def read_zone(name: str | None) -> dt.tzinfo:
    """Read a time zone's name; none means that of this machine.

    Raises:
        UsageError: There is none of that name.
    """
    if not name:
        return LocalZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"there is no time zone {name!r}; write it as Europe/Paris") from error


def _moment(moment: dt.datetime | None, text: str) -> str:
    try:
        told = None if moment is None else format_time(moment)
    except OverflowError:
        told = None
    if told is None:
        raise UsageError(f"{text!r} is not a time; write it as {MOMENT_EXAMPLES}")
    return told


TheFilters: TypeAlias = NamedDependency[SkipValidation[Filters]]
TheCounting: TypeAlias = NamedDependency[SkipValidation[Counting]]
TheCut: TypeAlias = NamedDependency[SkipValidation[Cut]]

PROVIDED: Final = {
    "times": Provide(read_times, sync_to_thread=False),
    "filters": Provide(read_filters, sync_to_thread=False),
    "counting": Provide(read_counting, sync_to_thread=False),
    "cut": Provide(read_cut, sync_to_thread=False),
}
"""What handlers may ask for by name: the common filters, numbers, the page of a list."""
