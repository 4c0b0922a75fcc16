"""`clew admin digests`: whether a model writes digests of an organisation's sessions."""

from typing import TYPE_CHECKING, Final

import click

from clew.cli.admin_options import find_chosen_organisation, minute, organisation_option
from clew.cli.options import archive_option, json_option
from clew.cli.output import write_json
from clew.cli.team_archive import blobs_option, opened_team
from clew.cli.text import visible

if TYPE_CHECKING:
    from clew.server.digest_settings import DigestStatus

_HELP: Final = """\
Let a model write digests of sessions.

Digests are off until you switch them on. Then workers send each session with text to the model
when it has not grown for ten minutes, or soon after it ended: condensed, with secrets masked, and
within a budget for the whole organisation. Members are shown which model reads their sessions.

Workers need a key: set ANTHROPIC_API_KEY where they run. It is never stored.

\b
Examples:
  clew admin digests on --model claude-haiku-4-5 --budget 10
  clew admin digests show
  clew admin digests off
"""
_ON: Final = """\
Switch digests on, or change the model or the budget.

The latest sessions come first. Sessions of which only the structure was pushed are never sent.
"""
_OFF: Final = """\
Switch digests off: nothing more is sent to a model.

Digests that were written stay with their sessions, and are deleted with them.
"""


@click.group("digests", help=_HELP, short_help="Let a model write digests of sessions.")
def digests() -> None:
    """Group the commands about digests."""


@digests.command("show")
@organisation_option
@blobs_option
@archive_option
@json_option
def show(organisation: str, *, as_json: bool) -> None:
    """Show whether digests are on, what they cost, and what waits."""
    from clew.server.digest_settings import read_digest_status

    with opened_team() as team:
        found = find_chosen_organisation(team, organisation)
        status = read_digest_status(team, found.id, found.name)
    if as_json:
        write_json(status)
    else:
        _print(status)


@digests.command("on", help=_ON, short_help="Switch digests on.")
@click.option("--model", required=True, metavar="MODEL", help="Model that reads sessions.")
@click.option(
    "--budget",
    type=float,
    default=5.0,
    show_default=True,
    metavar="USD",
    help="Maximum cost in 24 hours, for the whole organisation.",
)
@organisation_option
@blobs_option
@archive_option
def switch_on(model: str, budget: float, organisation: str) -> None:
    """Switch digests on."""
    from clew.server.digest_settings import switch_digests_on

    with opened_team() as team:
        found = find_chosen_organisation(team, organisation)
        switch_digests_on(team, found.id, model, budget)
    click.echo(
        f"{visible(model)} writes digests for {visible(found.name)}, for at most "
        f"${budget:,.2f} in 24 hours"
    )


@digests.command("off", help=_OFF, short_help="Switch digests off.")
@organisation_option
@blobs_option
@archive_option
def switch_off(organisation: str) -> None:
    """Switch digests off."""
    from clew.server.digest_settings import switch_digests_off

    with opened_team() as team:
        found = find_chosen_organisation(team, organisation)
        switch_digests_off(team, found.id)
    click.echo(f"No model writes digests for {visible(found.name)}")


def _print(status: "DigestStatus") -> None:
    name = visible(status.organisation)
    if not status.has_digests:
        click.echo(f"{name}: digests are off")
    else:
        click.echo(
            f"{name}: {visible(status.model)}, ${status.spent_usd:.2f} of "
            f"${status.budget_usd_per_day:,.2f} spent in the last 24 hours"
        )
    click.echo(f"{status.summarised:,} summarised, {status.waiting:,} waiting")
    click.echo(
        f"{status.over_budget:,} over budget, {status.structure_only:,} without text, "
        f"{status.empty:,} empty, {status.failed:,} failed"
    )
    if status.pause_reason:
        click.echo(f"Paused until {minute(status.paused_until)}: {visible(status.pause_reason)}")
