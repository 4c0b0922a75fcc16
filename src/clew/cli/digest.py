"""`clew digest`: short accounts of sessions, on the terminal or as JSON."""

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from clew.analytics import given_filters
from clew.archive import FilterSet
from clew.cli.filters import FilteredCommand, filter_options_without_model
from clew.cli.list_formats import write_json_list
from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import make_console
from clew.cli.refresh import answer_archive, no_sync_option
from clew.cli.show import load
from clew.cli.text import visible
from clew.digest import EXTRACT, SessionDigest, extract_session
from clew.errors import UsageError
from clew.figures import plural
from clew.settings import SettingsFile
from clew.source import LATEST

if TYPE_CHECKING:
    from clew.cli.digest_by_model import DigestChoice, ModelDigests, PlannedDigest
    from clew.preview import ArchivePreview
    from clew.store import OnProgress

SCHEMA: Final = "clew.digests/1"
PLAN_SCHEMA: Final = "clew.digest_plan/1"
_NO_MATCH: Final = "No sessions match these filters."
_HELP: Final = """\
Write a short account of sessions.

A digest says what a session was about, what came out, and what is open.

SESSION is an id or the start of one, a path to a transcript or its directory, or `latest` (the
default). Instead of sessions, filters choose them: --since 7d.

Without a model, the account is an extract of facts: the first prompt that says something, changed
files, commits that git reported, test runs and their last result, the last list of tasks, and the
beginning of the last answer. It is made on this machine and costs nothing.

With --model, or a model in the settings (`clew config`), a model writes it: secrets are masked, the
condensed session is sent to the model, and each claim is dropped unless it quotes a sentence of the
session. The digest is stored in the archive; a session is digested again only if it has changed.

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
  clew digest --model claude-haiku-4-5   let a model of the API write it
  clew digest --model claude-code        let the installed client write it
  clew digest --missing --max-cost 0.50  all that have none, for 50 cents
  clew digest latest --json | jq .digests[0].open_items

\b
Exit codes:
  0  success, also if nothing matches
  1  a file cannot be read, a model does not answer, or the budget is spent
  2  usage error
  3  no such session or path
"""


class DigestOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions, who writes their digests, and what to print."""

    model: str | None
    max_cost: float | None
    missing: bool
    extract: bool
    dry_run: bool
    as_json: bool


@click.command("digest", cls=FilteredCommand, help=_HELP)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@filter_options_without_model
@click.option("--missing", is_flag=True, help="All sessions without a current digest by a model.")
@click.option(
    "--model",
    metavar="MODEL",
    help="Let a model write the digests: one of the API, or claude-code.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, max=100_000),
    metavar="USD",
    help="Maximum cost of this run in dollars. Default: that of the settings, or 1.",
)
@click.option("--extract", is_flag=True, help="Use facts only, even if a model is configured.")
@click.option("--dry-run", is_flag=True, help="Show what would be sent and its cost; send nothing.")
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
    if options.max_cost is not None and math.isnan(options.max_cost):
        raise UsageError("nan is no cost; use dollars: --max-cost 0.50")
    has_choice = options.missing or bool(given_filters(filters))
    if sessions and has_choice:
        raise UsageError("sessions and filters or --missing cannot be combined")
    settings = SettingsFile(os.environ, Path.home()).values.digest
    model = "" if options.extract else options.model or settings.model
    if model:
        from clew.cli.digest_by_model import DigestChoice, ModelDigests

        choice = DigestChoice(
            names=sessions or (LATEST,),
            filters=filters if has_choice else None,
            is_missing=options.missing,
            roots=roots,
            no_sync=no_sync,
        )
        _ask(ModelDigests(model, settings, options.max_cost), choice, options)
        return
    names = _find(filters, roots, options, no_sync=no_sync) if has_choice else sessions or (LATEST,)
    if options.dry_run:
        _plan(names, roots, as_json=options.as_json)
    elif options.as_json:
        write_json_list(SCHEMA, "digests", _make(names, roots))
    elif not _print(_make(names, roots)):
        click.echo(_NO_MATCH, err=True)


def _ask(digests: "ModelDigests", choice: "DigestChoice", options: DigestOptions) -> None:
    """Let a model write digests, or show what it would be sent."""
    if options.dry_run:
        _print_plan(digests.plan(choice), as_json=options.as_json)
    elif options.as_json:
        write_json_list(SCHEMA, "digests", digests.make(choice))
    elif not _print(digests.make(choice)) and not digests.failures:
        click.echo(_NO_MATCH, err=True)
    if digests.failures:
        raise click.exceptions.Exit(digests.failures[-1].exit_code)


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


def _make(names: Sequence[str], roots: Sequence[Path]) -> Iterator[SessionDigest]:
    """Make the digests one by one: a conversation may be large."""
    for name in names:
        yield extract_session(load(name, roots))


def _plan(names: Sequence[str], roots: Sequence[Path], *, as_json: bool) -> None:
    from clew.cli.digest_by_model import PlannedDigest

    loaded = (load(name, roots).session for name in names)
    planned = (PlannedDigest(session.id, session.title, EXTRACT) for session in loaded)
    _print_plan(planned, as_json=as_json)


def _print_plan(planned: "Iterable[PlannedDigest]", *, as_json: bool) -> None:
    if as_json:
        write_json_list(PLAN_SCHEMA, "sessions", planned)
        return
    count, tokens, cost = 0, 0, 0.0
    for each in planned:
        click.echo(visible(f"{each.session_id}  {each.model}  {each.title}"))
        count, tokens, cost = count + 1, tokens + each.tokens, cost + each.cost_usd
    spent = f"at most {tokens:,} tokens and ${cost:.4f}" if tokens else "no cost"
    click.echo(f"{plural(count, 'session')}, {spent}", err=True)


def _print(digests: Iterable[SessionDigest]) -> int:
    """Print digests, and return how many there were."""
    from clew.cli.digest_text import print_digest

    console, count = make_console(), 0
    for count, digest in enumerate(digests, 1):
        if count > 1:
            console.print()
        print_digest(digest, console)
    return count
