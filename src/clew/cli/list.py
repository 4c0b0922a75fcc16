"""`clew list`: what there is, as a table or as JSON."""

import datetime as dt
import sys
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from clew.cli.filters import Filters, filter_options
from clew.cli.options import json_option, root_option
from clew.cli.output import make_console, progress, write_json
from clew.cli.overview import SessionOverview, accepts
from clew.cli.places import choose_paths, no_transcripts
from clew.cli.reading import count_bytes, read_overviews
from clew.cli.session_table import print_sessions
from clew.clock import milliseconds
from clew.sessions import SessionFiles, group_sessions, list_files

SCHEMA: Final = "clew.sessions/1"
_FEW: Final = 20
_NANOSECONDS: Final = 1_000_000
_NEWEST: Final = "when"
_SLACK_MS: Final = 86_400_000
_SORTS: Final[dict[str, Callable[[SessionOverview], Any]]] = {
    "when": lambda session: session.ended_at or "",
    "title": lambda session: session.title.casefold(),
    "messages": lambda session: session.messages,
    "calls": lambda session: session.tool_calls,
    "tokens": lambda session: session.total_tokens,
    "cost": lambda session: session.cost_usd or 0,
    "duration": lambda session: session.duration_ms,
}
_HELP: Final = """\
List sessions: when, what about, how long, at what cost.

Reads the transcripts themselves; the session that ended last comes first. Costs are what the tokens
cost at the prices of the public API, whatever was paid; a session that goes on from another one is
not charged for what it inherited.

\b
Examples:
  clew list                              the latest sessions
  clew list --project . --since 7d       this project's, of the last seven days
  clew list --tool WebSearch --sort cost those that searched the web, dearest first
  clew list --json | jq .sessions[].id   all of them, for programs

\b
Exit codes:
  0  done, whether there are any or not
  2  wrong use
  3  no transcripts there
"""


class ListOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How many to list, in which order, and in which form."""

    limit: int | None
    sort: str
    is_all: bool
    as_json: bool

    @property
    def most(self) -> int | None:
        """How many to list: a screen of them on a terminal, unless a number was given."""
        if self.limit is None and not self.as_json and sys.stdout.isatty():
            return _FEW
        return self.limit or None


@click.command("list", help=_HELP)
@click.argument("what", default="sessions", type=click.Choice(["sessions"]), metavar="[sessions]")
@filter_options
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"How many at most; by default {_FEW} on a terminal, else all. 0 is all.",
)
@click.option(
    "--sort",
    type=click.Choice(list(_SORTS)),
    default=_NEWEST,
    show_default=True,
    help="What comes first: the latest, the most, titles by the alphabet.",
)
@click.option(
    "--all", "is_all", is_flag=True, help="Also list files in which nobody said anything."
)
@root_option
@json_option
def command(filters: Filters, roots: tuple[Path, ...], what: str, **chosen: Any) -> None:
    """List what was asked for."""
    options = ListOptions(**chosen)
    _LISTS[what](filters, roots, options)


def list_sessions(filters: Filters, roots: tuple[Path, ...], options: ListOptions) -> None:
    """List sessions."""
    paths = choose_paths((), roots)
    everyone = group_sessions(list_files(paths))
    if not everyone:
        raise no_transcripts(paths)
    _print(find_sessions(everyone, filters, options), options)


def find_sessions(
    everyone: Sequence[SessionFiles], filters: Filters, options: ListOptions
) -> list[SessionOverview]:
    """Read the sessions that may be meant, and give those that are, in order."""
    chosen = [session for session in everyone if _may_hold(session, filters)]
    with progress("Reading", count_bytes(chosen, everyone)) as advance:
        overviews = read_overviews(chosen, everyone, advance)
        found = list(_choose(overviews, chosen, filters, options))
    return sorted(found, key=_SORTS[options.sort], reverse=options.sort != "title")


def _may_hold(session: SessionFiles, filters: Filters) -> bool:
    """Leave out by name and by time of change what need not be read."""
    if not session.session_id.startswith(filters.session or ""):
        return False
    # Nothing is written into a file after it was last changed, give or take a clock.
    since = milliseconds(filters.since or "")
    return since is None or session.modified_ns // _NANOSECONDS >= since - _SLACK_MS


def _choose(
    overviews: Iterable[SessionOverview | None],
    chosen: Sequence[SessionFiles],
    filters: Filters,
    options: ListOptions,
) -> Iterator[SessionOverview]:
    """Give the sessions that are meant, and stop when no later file can hold a newer one."""
    ends: list[int] = []
    for number, overview in enumerate(overviews, start=1):
        if (
            overview is not None
            and (overview.is_talk or options.is_all)
            and accepts(filters, overview)
        ):
            insort(ends, milliseconds(overview.ended_at or "") or 0)
            yield overview
        if _is_enough(ends, chosen[number:], options):
            return


def _is_enough(ends: list[int], rest: Sequence[SessionFiles], options: ListOptions) -> bool:
    limit = options.most
    if options.sort != _NEWEST or limit is None or len(ends) <= limit or not rest:
        return False
    return ends[-limit] >= rest[0].modified_ns // _NANOSECONDS


def _print(found: Sequence[SessionOverview], options: ListOptions) -> None:
    shown = found[: options.most]
    if options.as_json:
        write_json({"schema": SCHEMA, "sessions": shown})
        return
    console = make_console()
    if shown:
        print_sessions(shown, console, dt.datetime.now().astimezone())
    else:
        click.echo("no session is as asked for", err=True)
    if len(found) > len(shown):
        click.echo(f"the first {len(shown)}; --limit 0 lists all", err=True)


_LISTS: Final = {"sessions": list_sessions}
