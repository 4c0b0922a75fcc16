"""`clew list`: sessions, projects, tool calls, agent runs or files, as a table, JSON or CSV."""

import datetime as dt
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec
from rich.console import Console

from clew.analytics import given_filters
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
from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import make_console
from clew.cli.refresh import answer_archive, no_sync_option
from clew.cli.session_table import print_sessions
from clew.errors import UsageError
from clew.figures import plural
from clew.store import (
    SORTS,
    AgentRunOverview,
    FileOverview,
    FileUse,
    HiddenSessions,
    OnProgress,
    ProjectOverview,
    SessionOverview,
    ToolCallOverview,
)

if TYPE_CHECKING:
    from clew.preview import ArchivePreview

_FEW: Final = 20
_NEWEST: Final = "when"
_WORDS: Final = tuple(dict.fromkeys(word for words in SORTS.values() for word in words))
_HELP: Final = """\
List sessions, projects, tool calls, agent runs or files.

`files` are those that sessions read or changed; with --path, it lists the sessions that did. A
filter applies to the listed items or to what they contain: --tool Bash lists sessions with Bash
calls.

New transcripts are archived first. If there are many, the list comes first, straight from the
files, and archiving follows (on a terminal; Ctrl-C stops it).

Costs are estimates at public API prices. ≥ marks a lower bound: some answers were recorded before
they ended, or some prices are unknown. `inherited` means that another session made all calls,
`unpriced` that no price is known.

\b
Examples:
  clew list                              list sessions, newest first
  clew list --project . --since 7d       this project, last seven days
  clew list --tool WebSearch --sort cost most expensive with web searches
  clew list files --path src/app.py      sessions that read or changed a file
  clew list tool-calls --tool Bash --sort duration
  clew list agent-runs --csv > runs.csv  export to a spreadsheet
  clew list --json | jq .sessions[].id   use the list in a script

\b
Sort orders (default: when, newest first):
  sessions    title, messages, calls, tokens, cost, duration
  projects    name, sessions, calls, tokens, cost, duration
  tool-calls  name, duration, size
  agent-runs  name, messages, tokens, cost
  files       name, sessions, changes, lines

\b
Exit codes:
  0  success, also if nothing matches
  2  usage error
  3  no transcripts found
"""


class ListOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How many to list, in which order and format."""

    limit: int | None
    sort: str
    is_all: bool
    path: str | None
    as_json: bool
    as_csv: bool

    @property
    def most(self) -> int | None:
        """The maximum number of results: one screen on a terminal, else no limit by default."""
        if self.limit is None and not (self.as_json or self.as_csv) and sys.stdout.isatty():
            return _FEW
        return self.limit or None


class ListKind(msgspec.Struct, frozen=True):
    """Something that can be listed: how to find it, and how to print it."""

    schema: str
    key: str
    noun: str
    row: type[msgspec.Struct]
    find: Callable[[Archive, FilterSet, Order, str | None], Iterator[Any]]
    print: Callable[[Sequence[Any], Console, dt.datetime], None]
    hidden: Callable[[Archive, FilterSet], HiddenSessions] | None = None


_KINDS: Final = {
    "sessions": ListKind(
        "clew.sessions/1",
        "sessions",
        "session",
        SessionOverview,
        lambda archive, filters, order, _: archive.sessions(filters, order),
        print_sessions,
        lambda archive, filters: archive.hidden_counts(filters),
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
    "--path",
    metavar="FILE",
    help="With `files`: list the sessions that read or changed FILE; * matches anything.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Maximum number of results; 0 for all. Default: {_FEW} on a terminal, else all.",
)
@click.option(
    "--sort",
    type=click.Choice(_WORDS),
    metavar="BY",
    default=_NEWEST,
    show_default=True,
    help="Sort order; see above.",
)
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Include hidden sessions, those without a conversation, and agents' warm-ups.",
)
@archive_option
@root_option
@no_sync_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with a header line.")
def command(
    what: str, filters: FilterSet, roots: tuple[Path, ...], *, no_sync: bool, **chosen: Any
) -> None:
    """Print a list."""
    options = ListOptions(**chosen)
    kind = _choose_kind(what, options)

    def fill(preview: "ArchivePreview", on_progress: OnProgress) -> None:
        if what == "sessions" and _needs_newest_only(filters, options):
            preview.add_newest(Order(options.sort, options.most, options.is_all), on_progress)
        elif filters.since is not None:
            preview.add_since(filters.since, on_progress)
        else:
            preview.add_all(on_progress)

    is_data = options.as_json or options.as_csv
    with answer_archive(roots, fill, no_sync=no_sync, is_data=is_data) as archive:
        _write(kind, archive, filters, options)


def _needs_newest_only(filters: FilterSet, options: ListOptions) -> bool:
    """Return whether a list of sessions needs no more than the newest ones.

    With filters, a look at all sessions tells how many there are.
    """
    return options.most is not None and options.sort == _NEWEST and not given_filters(filters)


def _choose_kind(what: str, options: ListOptions) -> ListKind:
    kind = _KINDS[what]
    if options.path is not None:
        if what != "files":
            raise UsageError("--path works with files only; use `clew list files --path FILE`")
        kind = _FILE_USES
    if options.sort not in SORTS[_KINDS[what].key]:
        words = ", ".join(SORTS[_KINDS[what].key])
        raise click.BadParameter(
            f"cannot sort {what} by {options.sort}; use one of {words}", param_hint="'--sort'"
        )
    if options.as_json and options.as_csv:
        raise UsageError("--json and --csv cannot be combined")
    return kind


def _write(kind: ListKind, archive: Archive, filters: FilterSet, options: ListOptions) -> None:
    limit = options.most
    order = Order(options.sort, limit, options.is_all)
    path = None if options.path is None else absolute_path(options.path)
    found = kind.find(archive, filters, order, path)
    hidden = HiddenSessions()
    if kind.hidden is not None and not options.is_all:
        hidden = kind.hidden(archive, filters)
    if options.as_json:
        more = {} if kind.hidden is None else {"hidden": hidden.total}
        write_json_list(kind.schema, kind.key, found, more)
    elif options.as_csv:
        write_csv(csv_columns(kind.row), map(csv_row, found))
    else:
        shown = list(found)
        is_full = len(shown) == limit
        total = archive.count(kind.key, filters, order, path) if is_full else len(shown)
        _print(kind, shown, total, hidden)


def _print(kind: ListKind, shown: Sequence[Any], total: int, hidden: HiddenSessions) -> None:
    if shown:
        kind.print(shown, make_console(), dt.datetime.now().astimezone())
    else:
        click.echo(f"No {kind.noun}s match these filters.", err=True)
    if total > len(shown):
        click.echo(f"Showing {len(shown):,} of {total:,} (`--limit 0` for all)", err=True)
    if hidden.silent:
        count = plural(hidden.silent, kind.noun)
        click.echo(f"Hidden: {count} without a conversation (`--all` to include)", err=True)
    if hidden.put_away:
        count = plural(hidden.put_away, kind.noun)
        click.echo(f"Hidden by you: {count} (`--hidden` to list)", err=True)
