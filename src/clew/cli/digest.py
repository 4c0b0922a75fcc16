"""`clew digest`: short accounts of sessions, on the terminal or as JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from clew.analytics import given_filters
from clew.archive import FilterSet
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.list_formats import write_json_list
from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import make_console
from clew.cli.refresh import answer_archive, no_sync_option
from clew.cli.show import load
from clew.cli.text import visible
from clew.digest import Digest, gather_facts, make_extract
from clew.errors import UsageError
from clew.figures import plural
from clew.source import LATEST

if TYPE_CHECKING:
    from clew.preview import ArchivePreview
    from clew.store import OnProgress

SCHEMA: Final = "clew.digests/1"
PLAN_SCHEMA: Final = "clew.digest_plan/1"
_EXTRACT: Final = "extract"
_HELP: Final = """\
Write a short account of sessions: what they were about, what came out, what is open.

SESSION is an id or the start of one, a path to a transcript or its directory, or `latest` (the
default). Instead of sessions, filters choose them: --since 7d.

Without a model, the account is an extract of facts: the first prompt that says something, changed
files, commits that git reported, test runs and their last result, the last list of tasks, and the
beginning of the last answer. It is made on this machine and costs nothing.

\b
Outcomes:
  done       tests, a commit or a completed list show it, and nothing
             contradicts it
  partly     something was changed, but the last test failed, tasks are open,
             or the session was interrupted
  abandoned  interrupted before anything was changed
  unclear    facts do not tell

\b
Examples:
  clew digest                            the latest session
  clew digest 3f2a 91bc                  two sessions
  clew digest --since 7d --project .     this project, last seven days
  clew digest --since 7d --dry-run       list the sessions only
  clew digest latest --json | jq .digests[0].open_items

\b
Exit codes:
  0  success, also if nothing matches
  1  a file cannot be read
  2  usage error
  3  no such session or path
"""


class DigestOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions, and what to print.

    The model of a digest and its budget are chosen here, too, once there is a choice.
    """

    missing: bool
    extract: bool
    dry_run: bool
    as_json: bool


class PlannedDigest(msgspec.Struct, frozen=True):
    """A session to be digested, by whom, and at what cost at most."""

    session_id: str
    title: str
    model: str = _EXTRACT
    cost_usd: float = 0.0


@click.command("digest", cls=FilteredCommand, help=_HELP)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@filter_options
@click.option("--missing", is_flag=True, help="All sessions without a digest by a model.")
@click.option("--extract", is_flag=True, help="Use facts only, even if a model is configured.")
@click.option("--dry-run", is_flag=True, help="List the sessions, but write no digest.")
@archive_option
@root_option
@no_sync_option
@json_option
def command(
    sessions: tuple[str, ...],
    filters: FilterSet,
    roots: tuple[Path, ...],
    *,
    no_sync: bool,
    **chosen: Any,
) -> None:
    """Print digests."""
    options = DigestOptions(**chosen)
    has_choice = options.missing or bool(given_filters(filters))
    if sessions and has_choice:
        raise UsageError("sessions and filters or --missing cannot be combined")
    names = _find(filters, roots, options, no_sync=no_sync) if has_choice else sessions or (LATEST,)
    if options.dry_run:
        _plan(names, roots, as_json=options.as_json)
    elif options.as_json:
        write_json_list(SCHEMA, "digests", _make(names, roots))
    else:
        _print(names, roots)


def _find(
    filters: FilterSet, roots: Sequence[Path], options: DigestOptions, *, no_sync: bool
) -> list[str]:
    """Return the ids of the sessions that match filters, newest first."""

    def fill(preview: "ArchivePreview", on_progress: "OnProgress") -> None:
        if filters.since is not None:
            preview.add_since(filters.since, on_progress)
        else:
            preview.add_all(on_progress)

    with answer_archive(roots, fill, no_sync=no_sync, is_data=options.as_json) as archive:
        return [session.id for session in archive.sessions(filters)]


def _make(names: Sequence[str], roots: Sequence[Path]) -> Iterator[Digest]:
    """Make the digests one by one: a conversation may be large."""
    for name in names:
        yield make_extract(gather_facts(load(name, roots)))


def _plan(names: Sequence[str], roots: Sequence[Path], *, as_json: bool) -> None:
    loaded = (load(name, roots).session for name in names)
    planned = (PlannedDigest(session.id, session.title) for session in loaded)
    if as_json:
        write_json_list(PLAN_SCHEMA, "sessions", planned)
        return
    for each in planned:
        click.echo(visible(f"{each.session_id}  {each.model}  {each.title}"))
    click.echo(f"{plural(len(names), 'session')}, no cost", err=True)


def _print(names: Sequence[str], roots: Sequence[Path]) -> None:
    from clew.cli.digest_text import print_digest

    console = make_console()
    for number, digest in enumerate(_make(names, roots)):
        if number:
            console.print()
        print_digest(digest, console)
    if not names:
        click.echo("No sessions match these filters.", err=True)
