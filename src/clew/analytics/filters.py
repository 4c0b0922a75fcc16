"""Filters: one table for the command line, the API, the web app, Python and search.

To add a filter, add a row to `FILTERS`, a field to `FilterSet` and to `FilterValues`, and its SQL
to `store/sql/filters.sql`. If transcripts have the value in their rows, add it to `RowFacts`.
"""

import datetime as dt
import os
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final, TypedDict

import msgspec

from clew.analytics.groups import MAIN_THREAD
from clew.analytics.models import display_name
from clew.analytics.patterns import (
    matches_model,
    matches_name,
    matches_prefix,
    matches_project,
    matches_set_name,
)
from clew.analytics.sums import CallSum
from clew.analytics.transcript_facts import TranscriptFacts
from clew.clock import MOMENT_EXAMPLES, format_time, parse_since, parse_time, parse_until
from clew.errors import UsageError

_TIME_EXAMPLE: Final = "2026-11-14T09:00:00.000Z"
_TIMES: Final = ("since", "until")
OUTCOMES: Final = ("done", "partly", "abandoned", "unclear")
"""What may have come of a session; `clew.digest.Outcome` has the same."""
_FLAGS: Final = {"yes": "yes", "true": "yes", "1": "yes", "no": "no", "false": "no", "0": "no"}
_FLAG_WORDS: Final = {True: "yes", False: "no"}
_VERSION: Final = re.compile(r"v?[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.-]+)?")


class Thing(StrEnum):
    """What can be filtered. Projects are listed by their sessions, files by their changes."""

    SESSION = "session"
    TOOL_CALL = "tool_call"
    AGENT_RUN = "agent_run"
    FILE_CHANGE = "file_change"
    MODEL_CALL = "model_call"
    HIT = "hit"


class FilterSet(msgspec.Struct, frozen=True, kw_only=True):
    """The values of all filters; None means that a filter is not set.

    `since` is the first moment that matches, `until` the first one after those that match, both
    in UTC as transcripts write it.
    """

    project: str | None = None
    branch: str | None = None
    model: str | None = None
    tool: str | None = None
    agent: str | None = None
    session: str | None = None
    since: str | None = None
    until: str | None = None
    entrypoint: str | None = None
    client_version: str | None = None
    outcome: str | None = None
    starred: str | None = None
    tag: str | None = None
    hidden: str | None = None
    member: str | None = None

    def __post_init__(self) -> None:
        """Reject values that no row can match: they would select nothing without a reason.

        Raises:
            UsageError: A value is not text, or a time is not ISO 8601.
        """
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise UsageError(f"{name}={value!r} is not text")
        for name in _TIMES:
            text = getattr(self, name)
            if text is not None and parse_time(text) is None:
                raise UsageError(f"{name}={text!r} is not a time; write it as {_TIME_EXAMPLE}")


class FilterValues(TypedDict, total=False):
    """The values of filters as Python code may pass them."""

    project: str | os.PathLike[str] | None
    branch: str | None
    model: str | None
    tool: str | None
    agent: str | None
    session: str | None
    since: str | dt.date | None
    until: str | dt.date | None
    entrypoint: str | None
    client_version: str | None
    outcome: str | None
    starred: str | bool | None
    tag: str | None
    hidden: str | bool | None


class ReadContext(msgspec.Struct, frozen=True):
    """What the text of a value may refer to: the current time, and the working directory."""

    now: dt.datetime
    resolve: Callable[[str | os.PathLike[str]], str] = str


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """One filter.

    Attributes:
        name: Its name in Python and the API; options and queries write `-` for `_`.
        metavar: What its value is, in help.
        help: What it selects, in one line.
        read: Reads a value; raises a UsageError that says how to write it.
        matches: Compares a pattern with one value of a row or of a file.
        own: The things that have a value of their own. All others are selected by their session.
        reason: Why the others are selected by their session.
        of_call: The values of summed model calls. Without it, calls are selected before they are
            summed: by their own time, or by their session.
        of_session: The values of a session, as its transcripts have them.
        row_fields: The fields of transcript rows that `of_session` needs.
        has_values: Whether the values in the archive are listed (`known_NAME` in `filters.sql`):
            a pattern selects some of them, and they are offered as completions.
        label: How a value is shown to people.
        bare: What it means on the command line without a value.
        is_of_notes: Whether it is about what readers add, which only the archive has.
    """

    name: str
    metavar: str
    help: str
    read: Callable[[object, ReadContext], str]
    matches: Callable[[str, str], bool]
    own: frozenset[Thing] = frozenset()
    reason: str = ""
    of_call: Callable[[CallSum], Iterable[str]] | None = None
    of_session: Callable[[TranscriptFacts], Iterable[str]] | None = None
    row_fields: tuple[str, ...] = ()
    has_values: bool = True
    label: Callable[[str], str] = str
    bare: str | None = None
    is_of_notes: bool = False

    @property
    def word(self) -> str:
        """Its name on the command line and in queries."""
        return self.name.replace("_", "-")


def read_text(value: object, _context: ReadContext) -> str:
    """Read a text as it is."""
    if not isinstance(value, str):
        raise UsageError(f"{value!r} is not text")
    return value


def read_project(value: object, context: ReadContext) -> str:
    """Read a project: part of its path, or a path, which may be relative."""
    if isinstance(value, os.PathLike):
        return context.resolve(value)
    return context.resolve(read_text(value, context))


def read_since(value: object, context: ReadContext) -> str:
    """Read the first moment that matches."""
    return _read_moment(value, context, parse_since)


def read_until(value: object, context: ReadContext) -> str:
    """Read the first moment that does not match any more: a day counts to its end."""
    return _read_moment(value, context, parse_until)


def read_version(value: object, context: ReadContext) -> str:
    """Read a version of the client, or the beginning of one."""
    text = read_text(value, context)
    if _VERSION.fullmatch(text) is None:
        raise UsageError(f"{value!r} is not a version; write it as 2.1.47 or 2.1")
    return text.lstrip("v")


def read_outcome(value: object, context: ReadContext) -> str:
    """Read what came of sessions."""
    text = read_text(value, context).lower()
    if text not in OUTCOMES:
        *others, last = OUTCOMES
        raise UsageError(f"{value!r} is no outcome; write it as {', '.join(others)} or {last}")
    return text


def read_flag(value: object, context: ReadContext) -> str:
    """Read whether something is so: yes or no."""
    text = _FLAG_WORDS[value] if isinstance(value, bool) else read_text(value, context).lower()
    if text not in _FLAGS:
        raise UsageError(f"{value!r} is neither yes nor no; write it as yes or no")
    return _FLAGS[text]


def matches_version(pattern: str, version: str) -> bool:
    """Tell whether a version is the one of a pattern, or begins with all of its numbers."""
    return version == pattern or version.startswith((f"{pattern}.", f"{pattern}-"))


def _read_moment(
    value: object,
    context: ReadContext,
    parse: Callable[[str, dt.datetime], dt.datetime | None],
) -> str:
    """Read a time; a `datetime` is a `date`, and both print as ISO 8601."""
    text = value.isoformat() if isinstance(value, dt.date) else value
    moment = parse(text, context.now) if isinstance(text, str) else None
    try:
        if moment is not None:
            return format_time(moment)
    except OverflowError:
        pass
    raise UsageError(f"{value!r} is not a time; write it as {MOMENT_EXAMPLES}")


_EVERY_THING: Final = frozenset(Thing)
_SESSION_FACT: Final = "a session has one value for everything in it"

FILTERS: Final[tuple[Filter, ...]] = (
    Filter(
        name="project",
        metavar="PATH",
        help="Only this project: a path, or part of one.",
        read=read_project,
        matches=matches_project,
        reason=_SESSION_FACT,
        of_call=lambda calls: [calls.project],
    ),
    Filter(
        name="branch",
        metavar="NAME",
        help="Only this git branch; * matches anything.",
        read=read_text,
        matches=matches_set_name,
        reason=_SESSION_FACT,
        of_call=lambda calls: [calls.branch],
        row_fields=("git_branch",),
    ),
    Filter(
        name="model",
        metavar="NAME",
        help="Only this model, by part of its name, such as opus.",
        read=read_text,
        matches=matches_model,
        own=_EVERY_THING,
        of_call=lambda calls: [calls.model],
        label=display_name,
    ),
    Filter(
        name="tool",
        metavar="NAME",
        help="Only with this tool, such as Bash or mcp__*.",
        read=read_text,
        matches=matches_name,
        own=_EVERY_THING - {Thing.MODEL_CALL},
        reason="a model call may use several tools, or none",
        of_session=lambda session: session.tools,
    ),
    Filter(
        name="agent",
        metavar="NAME",
        help="Only with this agent, such as Explore.",
        read=read_text,
        matches=matches_name,
        own=_EVERY_THING,
        of_call=lambda calls: [calls.agent or MAIN_THREAD],
    ),
    Filter(
        name="session",
        metavar="ID",
        help="Only sessions whose id starts with this.",
        read=read_text,
        matches=matches_prefix,
        reason=_SESSION_FACT,
        of_call=lambda calls: [calls.session_id],
        has_values=False,
    ),
    Filter(
        name="since",
        metavar="WHEN",
        help="Only on or after: 2026-11-14, yesterday, 12h, 7d, 2w.",
        read=read_since,
        matches=lambda since, at: at >= since,
        own=_EVERY_THING,
        has_values=False,
    ),
    Filter(
        name="until",
        metavar="WHEN",
        help="Only on or before; a date includes the whole day.",
        read=read_until,
        matches=lambda until, at: at < until,
        own=_EVERY_THING,
        has_values=False,
    ),
    Filter(
        name="entrypoint",
        metavar="NAME",
        help="Only sessions started this way, such as cli or sdk-*.",
        read=read_text,
        matches=matches_set_name,
        reason=_SESSION_FACT,
        of_session=lambda session: session.first("entrypoint") or [""],
        row_fields=("entrypoint",),
    ),
    Filter(
        name="client_version",
        metavar="VERSION",
        help="Only sessions of this Claude Code version: 2.1.47, or 2.1 for all of 2.1.",
        read=read_version,
        matches=matches_version,
        reason="a session lists the versions that wrote it, and few of its parts name one",
        of_session=lambda session: session.rows.get("version", []),
        row_fields=("version",),
    ),
    Filter(
        name="outcome",
        metavar="OUTCOME",
        help="Only sessions with this outcome: done, partly, abandoned or unclear.",
        read=read_outcome,
        matches=lambda wanted, outcome: wanted == outcome,
        reason=_SESSION_FACT,
        of_session=lambda session: [session.outcome],
    ),
    Filter(
        name="starred",
        metavar="[yes|no]",
        help="Only sessions that you have starred, or with `no` all others.",
        read=read_flag,
        matches=lambda wanted, found: wanted == found,
        reason=_SESSION_FACT,
        of_session=lambda _: ["no"],
        has_values=False,
        bare="yes",
        is_of_notes=True,
    ),
    Filter(
        name="tag",
        metavar="TAG",
        help="Only sessions with this tag of yours; * matches anything.",
        read=read_text,
        matches=matches_name,
        reason=_SESSION_FACT,
        of_session=lambda _: [],
        is_of_notes=True,
    ),
    Filter(
        name="hidden",
        metavar="[yes|no]",
        help="Only sessions that you have hidden, or with `no` all others.",
        read=read_flag,
        matches=lambda wanted, found: wanted == found,
        reason=_SESSION_FACT,
        of_session=lambda _: ["no"],
        has_values=False,
        bare="yes",
        is_of_notes=True,
    ),
)

TEAM_FILTERS: Final[tuple[Filter, ...]] = (
    Filter(
        name="member",
        metavar="NAME",
        help="Only sessions of this member, on a team's server.",
        read=read_text,
        matches=matches_set_name,
        reason=_SESSION_FACT,
    ),
)
"""Filters of an archive with sessions of several people, which the command line does not have."""
ALL_FILTERS: Final = (*FILTERS, *TEAM_FILTERS)


def read_filter(name: str, value: object, context: ReadContext) -> str:
    """Read the value of one filter.

    Raises:
        UsageError: It cannot be read; the message says how to write it.
    """
    try:
        return _BY_NAME[name].read(value, context)
    except UsageError as error:
        raise UsageError(f"{name}={error}") from error


def find_filter(name: str) -> Filter:
    """Return the filter of a name."""
    return _BY_NAME[name]


def given_filters(filters: FilterSet) -> list[tuple[Filter, str]]:
    """Return the filters that are set, each with its value."""
    values = ((each, getattr(filters, each.name)) for each in ALL_FILTERS)
    return [(each, value) for each, value in values if value is not None]


def accepts_calls(filters: FilterSet, calls: CallSum) -> bool:
    """Tell whether model calls match the filters that calls have values for."""
    return all(
        each.of_call is None or any(each.matches(value, text) for text in each.of_call(calls))
        for each, value in given_filters(filters)
    )


def accepts_session(filters: FilterSet, session: TranscriptFacts) -> bool:
    """Tell whether a session matches the filters that only its transcripts have values for."""
    return all(
        each.of_session is None or any(each.matches(value, t) for t in each.of_session(session))
        for each, value in given_filters(filters)
    )


def narrows_calls(filters: FilterSet) -> bool:
    """Tell whether some calls are left out before they are summed."""
    return any(each.of_call is None for each, _ in given_filters(filters))


_BY_NAME: Final = {each.name: each for each in ALL_FILTERS}
