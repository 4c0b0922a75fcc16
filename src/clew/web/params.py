"""Request parameters that several routes have in common, validated before use."""

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

# Ids are not used in paths; still, nothing that could be part of one is accepted.
_ID: Final = re.compile(r"[^\x00-\x20/\\\x7f]{1,200}")
_MAX_LENGTH: Final = 200
# Names may be long: that of a project is a path.
_MAX_WORD: Final = 4_096
_MAX_GROUPS: Final = 8
_MAX_START: Final = 10_000_000
DEFAULT_LIMIT: Final = 100
MOST: Final = 1_000

Id: TypeAlias = Annotated[str, PathParameter(max_length=_MAX_LENGTH)]
Flag: TypeAlias = Annotated[bool, QueryParameter()]
Word: TypeAlias = Annotated[str | None, QueryParameter(max_length=_MAX_WORD)]
Limit: TypeAlias = Annotated[
    int, QueryParameter(ge=1, le=MOST, description="Maximum number of results.")
]
Cursor: TypeAlias = Annotated[
    str | None,
    QueryParameter(max_length=_MAX_LENGTH, description="The `next_cursor` of the previous page."),
]
Counted: TypeAlias = Annotated[
    list[str] | None,
    QueryParameter(
        max_items=_MAX_GROUPS,
        description=(
            "Only sessions behind a number of the usage report: with model calls (`any`, "
            "`hour:mon-14`, `day:2026-11-14`, `block:…`, `model:…`, `project:…`, `agent:…`) or "
            "tool calls (`tool:…`, `failed:…`, `denied:…`). Filters then apply to the calls."
        ),
    ),
]
Zone: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        max_length=_MAX_LENGTH,
        description="Time zone of days and hours, such as Europe/Paris; default: the server's.",
    ),
]
Moment: TypeAlias = Annotated[
    str | None, QueryParameter(max_length=_MAX_LENGTH, description=f"A time: {MOMENT_EXAMPLES}.")
]


class Counting(msgspec.Struct, frozen=True):
    """Numbers of the usage report whose sessions to list, and the time zone of their days."""

    groups: tuple[UsageGroup, ...] = ()
    tz: str | None = None


class Times(msgspec.Struct, frozen=True):
    """The start and end of a period."""

    since: str | None = None
    until: str | None = None


class Page(msgspec.Struct, frozen=True):
    """One page of a list."""

    start: int
    limit: int

    def order(self, sort: str = "when", *, with_hidden: bool = False) -> Order:
        """Request one more item than the page has, to see whether there is another page."""
        return Order(sort, self.start + self.limit + 1, with_hidden)

    def take(self, items: Iterable[T]) -> tuple[tuple[T, ...], str | None]:
        """Return the items of the page, and the cursor of the next page, if there is one."""
        found = items if isinstance(items, Sequence) else tuple(items)
        page = tuple(found[self.start : self.start + self.limit])
        end = self.start + len(page)
        return page, make_cursor(end) if end < len(found) else None


def read_page(cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> Page:
    """Read the cursor and limit of a list.

    Raises:
        UsageError: The cursor is invalid.
    """
    if not cursor:
        return Page(0, limit)
    try:
        start = int(base64.urlsafe_b64decode(cursor.encode()).decode())
    except (ValueError, binascii.Error) as error:
        raise UsageError("invalid cursor; use the `next_cursor` of the previous page") from error
    if not 0 <= start <= _MAX_START:
        raise UsageError("invalid cursor; use the `next_cursor` of the previous page")
    return Page(start, limit)


def make_cursor(start: int) -> str:
    """Make the cursor of a page."""
    return base64.urlsafe_b64encode(str(start).encode()).decode()


def require_id(text: str) -> str:
    """Check that a text can be an id.

    Raises:
        SessionNotFoundError: It cannot.
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
    """Read the period; days are those of the requested time zone.

    Raises:
        UsageError: A time or the time zone is invalid.
    """
    now = dt.datetime.now(read_zone(tz))
    return Times(
        since=_moment(parse_since(since, now), since) if since else None,
        until=_moment(parse_until(until, now), until) if until else None,
    )


def read_counting(counted: Counted = None, tz: Zone = None) -> Counting:
    """Read the numbers whose sessions to list.

    Raises:
        UsageError: A number or the time zone is invalid.
    """
    read_zone(tz)
    found = []
    for text in counted or ():
        group = read_group(text)
        if group is None:
            kinds = ", ".join(f"{kind}:…" for kind in (*CALL_GROUPS, *TOOL_GROUPS))
            raise UsageError(f"invalid value {text[:80]!r} for counted; use {ANY} or {kinds}")
        found.append(group)
    return Counting(tuple(found), tz or None)


def read_zone(name: str | None) -> dt.tzinfo:
    """Read a time zone's name; the default is the server's.

    Raises:
        UsageError: There is no such time zone.
    """
    if not name:
        return LocalZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"unknown time zone {name!r}; use a name such as Europe/Paris") from error


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
PageParam: TypeAlias = NamedDependency[SkipValidation[Page]]

PROVIDED: Final = {
    "times": Provide(read_times, sync_to_thread=False),
    "filters": Provide(read_filters, sync_to_thread=False),
    "counting": Provide(read_counting, sync_to_thread=False),
    "page": Provide(read_page, sync_to_thread=False),
}
"""Parameters that a route gets by declaring an argument of this name."""
