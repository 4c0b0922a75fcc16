"""Request parameters that several routes have in common, validated before use."""

import base64
import binascii
import datetime as dt
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter, QueryParameter, SkipValidation

from clew.analytics import (
    ALL_FILTERS,
    ANY,
    CALL_GROUPS,
    TOOL_GROUPS,
    ReadContext,
    UsageGroup,
    read_filter,
    read_group,
)
from clew.archive import FilterSet, Order
from clew.clock import LocalZone
from clew.errors import SessionNotFoundError, UsageError

T = TypeVar("T")

# Ids are not used in paths; still, nothing that could be part of one is accepted.
_ID: Final = re.compile(r"[^\x00-\x20/\\\x7f]{1,200}")
_MAX_LENGTH: Final = 200
# Names may be long: that of a project is a path.
_MAX_WORD: Final = 4_096
_TO: Final = ".."
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


class Counting(msgspec.Struct, frozen=True):
    """Numbers of the usage report whose sessions to list, and the time zone of their days."""

    groups: tuple[UsageGroup, ...] = ()
    tz: str | None = None


class PageRange(msgspec.Struct, frozen=True):
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


def read_page(cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT) -> PageRange:
    """Read the cursor and limit of a list.

    Raises:
        UsageError: The cursor is invalid.
    """
    if not cursor:
        return PageRange(0, limit)
    try:
        start = int(base64.urlsafe_b64decode(cursor.encode()).decode())
    except (ValueError, binascii.Error) as error:
        raise UsageError("invalid cursor; use the `next_cursor` of the previous page") from error
    if not 0 <= start <= _MAX_START:
        raise UsageError("invalid cursor; use the `next_cursor` of the previous page")
    return PageRange(start, limit)


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


def read_filters(tz: str | None = None, **values: str | None) -> FilterSet:
    """Read the filters; days are those of the requested time zone.

    `since` may be a period: its beginning and its end, as in `yesterday..yesterday`.

    Raises:
        UsageError: A value or the time zone is invalid.
    """
    context = ReadContext(dt.datetime.now(read_zone(tz)))
    since, between, until = (values.get("since") or "").partition(_TO)
    if between:
        values = {**values, "since": since, "until": values.get("until") or until}
    given = {name: read_filter(name, text, context) for name, text in values.items() if text}
    return FilterSet(**given)


def _with_filter_parameters(read: Callable[..., FilterSet]) -> Callable[..., FilterSet]:
    """Declare one query parameter for each filter of the table."""
    types: dict[str, Any] = {
        each.name: Annotated[
            str | None, QueryParameter(max_length=_MAX_WORD, description=each.help)
        ]
        for each in ALL_FILTERS
    }
    types["tz"] = Zone
    # litestar reads the types of parameters from the annotations, all else from the signature.
    kind = inspect.Parameter.KEYWORD_ONLY
    read.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind, default=None) for name in types]
    )
    read.__annotations__ = {**types, "return": FilterSet}
    return read


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


TheFilters: TypeAlias = NamedDependency[SkipValidation[FilterSet]]
TheCounting: TypeAlias = NamedDependency[SkipValidation[Counting]]
PageParam: TypeAlias = NamedDependency[SkipValidation[PageRange]]

PROVIDED: Final = {
    "filters": Provide(_with_filter_parameters(read_filters), sync_to_thread=False),
    "counting": Provide(read_counting, sync_to_thread=False),
    "page": Provide(read_page, sync_to_thread=False),
}
"""Parameters that a route gets by declaring an argument of this name."""
