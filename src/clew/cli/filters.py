"""The common filters: parsed in one place into one struct, the same for every command."""

import datetime as dt
import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from clew.analytics import display_name
from clew.clock import format_time

_AGO: Final = re.compile(r"(\d{1,5})([hdw])")
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks"}
_DAYS_AGO: Final = {"today": 0, "yesterday": 1}
_DAY: Final = dt.timedelta(days=1)
_NO_TIME: Final = dt.timedelta(0)
_PATH_STARTS: Final = ("/", ".", "~")
_EXAMPLES: Final = "2026-11-14, 2026-11-14T09:00, today, yesterday, 12h, 7d or 2w"


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold of what is listed; None asks for nothing.

    `since` is the first moment that counts, `until` the first that does not any more, both in
    UTC as transcripts write it.
    """

    project: str | None = None
    branch: str | None = None
    model: str | None = None
    tool: str | None = None
    agent: str | None = None
    session: str | None = None
    since: str | None = None
    until: str | None = None


def filter_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the common filters, which it takes as one argument `filters`."""

    @wraps(function)
    def with_filters(*positional: Any, **named: Any) -> None:
        chosen = {name: named.pop(name) for name in Filters.__struct_fields__}
        function(*positional, filters=Filters(**chosen), **named)

    for option in reversed(_OPTIONS):
        option(with_filters)
    return with_filters


def parse_since(text: str, now: dt.datetime) -> dt.datetime | None:
    """Read the first moment that counts: a day's start, a time, or so long ago."""
    found = _parse(text, now)
    return None if found is None else found[0]


def parse_until(text: str, now: dt.datetime) -> dt.datetime | None:
    """Read the first moment that does not count any more: a day counts to its end."""
    found = _parse(text, now)
    return None if found is None else found[0] + found[1]


def matches(pattern: str | None, values: Iterable[str]) -> bool:
    """Tell whether a value is as the pattern says: `mcp__*`, in upper or lower case."""
    if pattern is None:
        return True
    wanted = pattern.casefold()
    return any(fnmatchcase(value.casefold(), wanted) for value in values)


def matches_model(pattern: str | None, models: Iterable[str]) -> bool:
    """Tell whether a model is meant: by a part of its id, or of its name for people."""
    if pattern is None:
        return True
    wanted = pattern.casefold()
    return any(wanted in f"{model}\n{display_name(model)}".casefold() for model in models)


def matches_project(pattern: str | None, project: str) -> bool:
    """Tell whether a project is meant: by a path at or above it, or by a part of its own path."""
    if pattern is None:
        return True
    if not pattern.startswith(_PATH_STARTS):
        return pattern.casefold() in project.casefold()
    folder = str(Path(pattern).expanduser().absolute().resolve())
    return project == folder or project.startswith(folder.rstrip("/\\") + "/")


def _parse(text: str, now: dt.datetime) -> tuple[dt.datetime, dt.timedelta] | None:
    """Give where a time begins and how long it lasts: a day, or no time at all."""
    word = text.strip().lower()
    ago = _AGO.fullmatch(word)
    try:
        if ago is not None:
            return now - dt.timedelta(**{_UNITS[ago[2]]: int(ago[1])}), _NO_TIME
        if word in _DAYS_AGO:
            return _start_of(now.date() - _DAY * _DAYS_AGO[word], now), _DAY
        if len(word) == len("2026-11-14"):
            return _start_of(dt.date.fromisoformat(word), now), _DAY
        moment = dt.datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo), _NO_TIME


def _start_of(day: dt.date, now: dt.datetime) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), now.tzinfo)


def _moment(
    parse: Callable[[str, dt.datetime], dt.datetime | None],
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    def read(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
        if text is None:
            return None
        moment = parse(text, dt.datetime.now().astimezone())
        try:
            return format_time(moment) if moment is not None else _refuse(text)
        except OverflowError:
            return _refuse(text)

    return read


def _refuse(text: str) -> str:
    raise click.BadParameter(f"{text!r} is not a time; write it as {_EXAMPLES}")


_OPTIONS: Final = (
    click.option("--project", metavar="PATH", help="Only this project: a path, or part of one."),
    click.option("--branch", metavar="NAME", help="Only this git branch; * is anything."),
    click.option("--model", metavar="NAME", help="Only with this model, as in opus."),
    click.option("--tool", metavar="NAME", help="Only with this tool, as in Bash or mcp__*."),
    click.option("--agent", metavar="NAME", help="Only with runs of this agent."),
    click.option("--session", metavar="ID", help="Only sessions whose id begins so."),
    click.option(
        "--since",
        callback=_moment(parse_since),
        metavar="WHEN",
        help="Only from then on: 2026-11-14, yesterday, 12h, 7d, 2w.",
    ),
    click.option(
        "--until",
        callback=_moment(parse_until),
        metavar="WHEN",
        help="Only up to then; a day counts to its end.",
    ),
)
