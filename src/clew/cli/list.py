"""`clew list`: what there is, as a table, JSON or CSV."""

import datetime as dt
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from rich.console import Console

from clew.api import absolute_path
from clew.archive import Archive, FilterSet, Order
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.list_formats import csv_columns, csv_row, write_csv, write_json_list
from clew.cli.list_tables import (
    print_agent_runs,
    print_file_uses,
    print_files,
    print_projects,
    print_tool_calls,
)
from clew.cli.options import json_option, root_option
from clew.cli.output import make_console
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.session_table import print_sessions
from clew.errors import UsageError
from clew.figures import plural
from clew.store import (
    SORTS,
    AgentRunOverview,
    FileOverview,
    FileUse,
    ProjectOverview,
    SessionOverview,
    ToolCallOverview,
)

_FEW: Final = 20
_NEWEST: Final = "when"
_WORDS: Final = tuple(dict.fromkeys(word for words in SORTS.values() for word in words))
_HELP: Final = """\
List sessions, projects, tool calls, agent runs or files.

Files are those that were read or changed; with --path, the sessions that did it. What is new is
taken into the archive first. A filter holds of what is listed or of something in it: sessions in
which Bash was called, calls that Haiku made.

Costs are what the tokens cost at the prices of the public API, whatever was paid. A cost with ≥ is
a lower bound, since some answers were recorded before they ended or some prices are not known;
`inherited` means that another session made all calls, and `unpriced` that no price is known.

\b
Examples:
  clew list                              the latest sessions
  clew list --project . --since 7d       this project's, of the last week
  clew list --tool WebSearch --sort cost with web searches, dearest first
  clew list files --path src/app.py      which sessions read or changed a file
  clew list tool-calls --tool Bash --sort duration
  clew list agent-runs --csv > runs.csv  for a sheet
  clew list --json | jq .sessions[].id   for programs

\b
What comes first with --sort (else the latest; the most, or names A to Z):
  sessions    title, messages, calls, tokens, cost, duration
  projects    name, sessions, calls, tokens, cost, duration
  tool-calls  name, duration, size
  agent-runs  name, messages, tokens, cost
  files       name, sessions, changes, lines

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
    path: str | None
    as_json: bool
    as_csv: bool

    @property
    def most(self) -> int | None:
        """How many to list: a screen of them on a terminal, unless a number was given."""
        if self.limit is None and not (self.as_json or self.as_csv) and sys.stdout.isatty():
            return _FEW
        return self.limit or None


class ListKind(msgspec.Struct, frozen=True):
    """A thing that can be listed: how it is found, and how it looks."""

    schema: str
    key: str
    nouns: str
    row: type[msgspec.Struct]
    find: Callable[[Archive, FilterSet, Order, str | None], Iterator[Any]]
    print: Callable[[Sequence[Any], Console, dt.datetime], None]
    hidden: Callable[[Archive, FilterSet], int] | None = None


_KINDS: Final = {
    "sessions": ListKind(
        "clew.sessions/1",
        "sessions",
        "session",
        SessionOverview,
        lambda archive, filters, order, _: archive.sessions(filters, order),
        print_sessions,
        lambda archive, filters: archive.hidden_sessions(filters),
    ),
    "projects": ListKind(
        "clew.projects/1",
        "projects",
        "project",
        ProjectOverview,
        lambda archive, filters, order, _: archive.projects(filters, order),
        print_projects,
    ),
    "tool-calls": ListKind(
        "clew.tool_calls/1",
        "tool_calls",
        "tool call",
        ToolCallOverview,
        lambda archive, filters, order, _: archive.tool_calls(filters, order),
        print_tool_calls,
    ),
    "agent-runs": ListKind(
        "clew.agent_runs/1",
        "agent_runs",
        "agent run",
        AgentRunOverview,
        lambda archive, filters, order, _: archive.agent_runs(filters, order),
        print_agent_runs,
    ),
    "files": ListKind(
        "clew.files/1",
        "files",
        "file",
        FileOverview,
        lambda archive, filters, order, _: archive.files(filters, order),
        print_files,
    ),
}
# What `files` lists when a path is given.
_FILE_USES: Final = ListKind(
    "clew.file_uses/1",
    "file_uses",
    "session",
    FileUse,
    lambda archive, filters, order, path: archive.file_uses(path or "", filters, order),
    print_file_uses,
)


@click.command("list", cls=FilteredCommand, help=_HELP)
@click.argument("what", default="sessions", type=click.Choice(list(_KINDS)), metavar="[WHAT]")
@filter_options
@click.option(
    "--path", metavar="FILE", help="For files: who read or changed this one; * is anything."
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"How many at most; by default {_FEW} on a terminal, else all. 0 is all.",
)
@click.option(
    "--sort",
    type=click.Choice(_WORDS),
    metavar="BY",
    default=_NEWEST,
    show_default=True,
    help="What comes first; see above.",
)
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Also list sessions without a conversation, and agents' warm-ups.",
)
@root_option
@no_sync_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with a line of names.")
def command(
    what: str, filters: FilterSet, roots: tuple[Path, ...], *, no_sync: bool, **chosen: Any
) -> None:
    """List what was asked for."""
    options = ListOptions(**chosen)
    kind = _choose_kind(what, options)
    with fresh_archive(roots, no_sync=no_sync) as archive:
        _write(kind, archive, filters, options)


def _choose_kind(what: str, options: ListOptions) -> ListKind:
    kind = _KINDS[what]
    if options.path is not None:
        if what != "files":
            raise UsageError("--path is for files: clew list files --path FILE")
        kind = _FILE_USES
    if options.sort not in SORTS[_KINDS[what].key]:
        words = ", ".join(SORTS[_KINDS[what].key])
        raise click.BadParameter(f"{what} are sorted by {words}", param_hint="'--sort'")
    if options.as_json and options.as_csv:
        raise UsageError("--json and --csv are two forms of one list; give one of them")
    return kind


def _write(kind: ListKind, archive: Archive, filters: FilterSet, options: ListOptions) -> None:
    limit = options.most
    # One more than is shown tells whether there are more.
    order = Order(options.sort, None if limit is None else limit + 1, options.is_all)
    path = None if options.path is None else absolute_path(options.path)
    found = kind.find(archive, filters, order, path)
    hidden = 0 if options.is_all or kind.hidden is None else kind.hidden(archive, filters)
    if options.as_json:
        more = {} if kind.hidden is None else {"hidden": hidden}
        write_json_list(kind.schema, kind.key, islice(found, limit), more)
    elif options.as_csv:
        write_csv(csv_columns(kind.row), map(csv_row, islice(found, limit)))
    else:
        _print(kind, list(found), limit, hidden)


def _print(kind: ListKind, found: list[Any], limit: int | None, hidden: int) -> None:
    shown = found[:limit]
    if shown:
        kind.print(shown, make_console(), dt.datetime.now().astimezone())
    else:
        click.echo(f"no {kind.nouns} is as asked for", err=True)
    if len(found) > len(shown):
        click.echo(f"the first {len(shown)}; --limit 0 lists all", err=True)
    if hidden:
        left_out = f"{plural(hidden, kind.nouns)} without a conversation hidden"
        click.echo(f"{left_out}; --all lists {'it' if hidden == 1 else 'them'}", err=True)
