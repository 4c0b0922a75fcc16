"""The common filters: parsed in one place into one struct, the same for every command."""

import datetime as dt
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import click

from clew.analytics import Filters, matches, matches_model
from clew.analytics import matches_project as is_project
from clew.api import whole_path
from clew.cli.zones import zone_of
from clew.clock import MOMENT_EXAMPLES, format_time, parse_since, parse_until

__all__ = [
    "Filters",
    "filter_options",
    "matches",
    "matches_model",
    "matches_project",
    "parse_since",
    "parse_until",
    "whole_path",
]


def filter_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the common filters, which it takes as one argument `filters`."""

    @wraps(function)
    def with_filters(*positional: Any, **named: Any) -> None:
        chosen = {name: named.pop(name) for name in Filters.__struct_fields__}
        function(*positional, filters=Filters(**chosen), **named)

    for option in reversed(_OPTIONS):
        option(with_filters)
    return with_filters


def matches_project(pattern: str | None, project: str) -> bool:
    """Tell whether a project is meant: by a path at or above it, or by a part of its own path."""
    return is_project(whole_path(pattern), project)


def _moment(
    parse: Callable[[str, dt.datetime], dt.datetime | None],
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    def read(context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
        if text is None:
            return None
        moment = parse(text, dt.datetime.now(zone_of(context)))
        try:
            return format_time(moment) if moment is not None else _refuse(text)
        except OverflowError:
            return _refuse(text)

    return read


def _project(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    return whole_path(text)


def _refuse(text: str) -> str:
    raise click.BadParameter(f"{text!r} is not a time; write it as {MOMENT_EXAMPLES}")


_OPTIONS: Final = (
    click.option(
        "--project",
        callback=_project,
        metavar="PATH",
        help="Only this project: a path, or part of one.",
    ),
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
