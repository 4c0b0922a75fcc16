"""`clew consent`: what may leave for a team server, by project."""

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import click
import msgspec

from clew.archive import Archive, open_archive
from clew.cli.consent_sessions import delete, revive
from clew.cli.options import archive_option, json_option
from clew.cli.output import make_console, write_json
from clew.cli.table import Column, print_table
from clew.cli.text import visible
from clew.errors import UsageError
from clew.figures import plural
from clew.protocol import Tier, Visibility

if TYPE_CHECKING:
    from clew.protocol import ConsentState
    from clew.push import Consents, Logins, ProjectChoice, ProjectConsent, ServerLogin

_HELP: Final = """\
Show and set what may leave for a team server, by project.

Nothing leaves before you allow it. A session takes the lowest tier of all projects that it worked
in. The decisions are in consent.toml in the archive's directory; the server gets a copy of each.

\b
Tiers:
  nothing     nothing leaves, not even that the project exists (default)
  structure   times, sizes, token counts, models and kinds of tools; no text,
              no titles, no names, no paths
  redacted    whole sessions, with secrets masked
  everything  whole sessions, byte for byte

\b
Visibility:
  private       only you (default)
  project       members of the project on the server
  organisation  everybody in the organisation

\b
Examples:
  clew consent                           show all projects
  clew consent set . structure           allow the project in this directory
  clew consent set my-app redacted --visibility project
  clew consent set my-app nothing --purge

\b
Exit codes:
  0  success
  1  not logged in, or the server is out of reach or refuses
  2  usage error
  3  no such project
"""
_SET: Final = """\
Set what may leave of a project.

Shows an example of what would leave, from your own sessions, and asks before it changes anything.
PROJECT is a path, the last part of one, or `.`. Lowering the tier applies to what is pushed from
now on; --purge also deletes from the server what the new tier does not allow.

\b
Examples:
  clew consent set . everything
  clew consent set my-app everything --visibility project
  clew consent set my-app nothing --purge --yes

\b
Exit codes:
  0  success
  1  not logged in, declined, or the server is out of reach or refuses
  2  usage error
  3  no such project
"""
_MOST_EXAMPLE: Final = 700
_NO_ANSWER: Final = "?"


@click.group("consent", help=_HELP, invoke_without_command=True)
@click.option("--server", metavar="URL", default="", help="Use this server, not the default one.")
@archive_option
@json_option
@click.pass_context
def command(context: click.Context, server: str, *, as_json: bool) -> None:
    """Show the tiers of all projects."""
    if context.invoked_subcommand is not None:
        return
    from clew.push import Consents, Logins, find_push_files, list_choices

    with open_archive() as archive:
        files = find_push_files(archive.location)
        logins, consents = Logins(files), Consents(files)
        login = logins.find(server)
        decided = consents.all(login.server)
        choices = list_choices(archive, decided) if archive.exists else []
    choices, problem = _ask_server(choices, decided, consents, logins, login)
    if as_json:
        found = {"schema": "clew.consent/1", "server": login.server, "projects": choices}
        write_json({**found, "problem": problem})
        return
    _print(choices)
    if problem:
        click.echo(f"clew: not compared with the server: {visible(problem)}", err=True)
    for choice in choices:
        if choice.problem:
            click.echo(f"clew: {visible(choice.problem)}", err=True)


command.add_command(delete)
command.add_command(revive)


@command.command("set", help=_SET, short_help="Set what may leave of a project.")
@click.argument("project")
@click.argument("tier", type=click.Choice([str(tier) for tier in Tier]))
@click.option(
    "--visibility",
    type=click.Choice([str(each) for each in Visibility]),
    help="Who sees these sessions on the server.",
)
@click.option(
    "--server-project", metavar="NAME", help="Name of the project on the server; `-` for none."
)
@click.option("--server", metavar="URL", default="", help="Use this server, not the default one.")
@click.option("--purge", is_flag=True, help="Delete from the server what the tier does not allow.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@archive_option
@json_option
def set_tier(
    project: str,
    tier: str,
    visibility: str | None,
    server_project: str | None,
    server: str,
    *,
    purge: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Set the tier of a project."""
    from clew.push import Consents, Logins, find_project, find_push_files

    with open_archive() as archive:
        files = find_push_files(archive.location)
        logins, consents = Logins(files), Consents(files)
        login = logins.find(server)
        path = find_project(archive, project, consents.all(login.server))
        before = consents.find(login.server, path)
        changed = _change(login, path, before, Tier(tier))
        if visibility is not None:
            changed = msgspec.structs.replace(changed, visibility=Visibility(visibility))
        if server_project is not None:
            name = "" if server_project == "-" else server_project.strip()
            changed = msgspec.structs.replace(changed, server_project=name)
        _require_allowed(changed)
        if not as_json:
            _show_change(archive, before, changed, purge=purge, key=consents.key)
    if not yes and not click.confirm("Change this?", err=as_json):
        click.echo("Nothing was changed", err=True)
        raise click.exceptions.Exit(1)
    if _is_lowered(before, changed) and not purge and not yes:
        purge = click.confirm("Also delete from the server what it has beyond it?", err=as_json)
    from clew.push import ServerRefusedError

    consents.save([changed])
    try:
        _send(logins, consents, login, changed, purge=purge, as_json=as_json)
    except ServerRefusedError:
        consents.undo(changed, before)
        raise


def _is_lowered(before: "ProjectConsent | None", changed: "ProjectConsent") -> bool:
    return before is not None and changed.tier.rank < before.tier.rank


def _change(
    login: "ServerLogin", path: str, before: "ProjectConsent | None", tier: Tier
) -> "ProjectConsent":
    """Return a decision with what was decided before, or with what the repository suggests."""
    from clew.push import ProjectConsent, describe_choice

    if before is not None:
        return msgspec.structs.replace(before, tier=tier)
    has_names = tier.rank > Tier.STRUCTURE.rank
    suggested = describe_choice(path).suggested_project if has_names else None
    return ProjectConsent(server=login.server, path=path, tier=tier, server_project=suggested or "")


def _require_allowed(changed: "ProjectConsent") -> None:
    from clew.push import describe_choice

    choice = describe_choice(changed.path)
    if choice.max_tier is not None and changed.tier.rank > choice.max_tier.rank:
        raise UsageError(
            choice.problem
            or f"the .clew.toml of {changed.path} allows {choice.max_tier} at most; choose that, "
            "or change the file"
        )
    if changed.visibility is Visibility.PROJECT and not changed.server_project:
        raise UsageError(
            "no project on the server is named whose members are to see the sessions; name it with "
            "--server-project"
        )


def _show_change(
    archive: Archive,
    before: "ProjectConsent | None",
    changed: "ProjectConsent",
    *,
    purge: bool,
    key: bytes,
) -> None:
    from clew.push import make_example

    old = Tier.NOTHING if before is None else before.tier
    click.echo(f"Project:     {visible(changed.path)}")
    click.echo(f"Server:      {visible(changed.server)}")
    click.echo(f"Tier:        {old} → {changed.tier}")
    if changed.tier is Tier.NOTHING:
        kept = "deletes what it has" if purge else "keeps what it has; --purge deletes it"
        click.echo(f"Nothing leaves from now on. The server {kept}.")
        return
    click.echo(f"Visibility:  {changed.visibility}")
    click.echo(f"Known as:    {visible(changed.server_project or '(no project on the server)')}")
    if _is_lowered(before, changed):
        kept = "deletes" if purge else "keeps, unless you use --purge,"
        click.echo(f"The server {kept} what it has beyond this tier.")
    example = make_example(archive, changed.path, changed.tier, key) if archive.exists else None
    if example is None or not (example.prompt or example.tool_call):
        click.echo("No sessions of this project are archived yet, so there is no example.")
        return
    click.echo(f"An example of what leaves, from session {example.session_id[:8]}:")
    for title, line in (("Prompt", example.prompt), ("Tool call", example.tool_call)):
        if line:
            more = "" if len(line) <= _MOST_EXAMPLE else f"… ({len(line):,} characters)"
            click.echo(f"  {title}: {visible(line[:_MOST_EXAMPLE])}{more}")


def _send(
    logins: "Logins",
    consents: "Consents",
    login: "ServerLogin",
    changed: "ProjectConsent",
    *,
    purge: bool,
    as_json: bool,
) -> None:
    """Let the server know, if it has to; the next push does so if it is out of reach."""
    from clew.push import FEW_TRIES, ServerUnreachableError, TeamClient

    state, problem = None, ""
    try:
        if changed.concerns_server or purge:
            with TeamClient(login.server, logins.token_of(login), most_tries=FEW_TRIES) as client:
                state = consents.send(client, changed, purge=purge)
    except ServerUnreachableError as error:
        problem = str(error)
    if as_json:
        sent = consents.find(changed.server, changed.path)
        write_json({"schema": "clew.consent/1", "project": sent, "problem": problem})
    else:
        click.echo(f"Saved: {changed.tier} may leave of {visible(changed.path)}")
        if state is not None and state.note:
            click.echo(f"Note: {visible(state.note)}")
        if changed.tier is not Tier.NOTHING:
            click.echo("`clew push --dry-run` lists what would leave, `clew push` sends it.")
    if problem:
        lost = " What the server has was not deleted: run this again." if purge else ""
        click.echo(f"clew: the server does not know of it yet: {visible(problem)}.{lost}", err=True)
        raise click.exceptions.Exit(1)


def _ask_server(
    choices: "list[ProjectChoice]",
    decided: "list[ProjectConsent]",
    consents: "Consents",
    logins: "Logins",
    login: "ServerLogin",
) -> "tuple[list[ProjectChoice], str]":
    """Add what the server knows of each project, if it can be reached."""
    from clew.push import FEW_TRIES, PushError, TeamClient, ask_consents

    if not decided:
        return choices, ""
    try:
        with TeamClient(login.server, logins.token_of(login), most_tries=FEW_TRIES) as client:
            states = {state.project_key: state for state in ask_consents(client)}
    except PushError as error:
        return choices, str(error)
    known: dict[str, ConsentState] = {}
    for consent in decided:
        with suppress(KeyError):
            known[consent.path] = states[consents.key_of(consent)]
    return [
        msgspec.structs.replace(choice, server_tier=known[choice.path].tier)
        if choice.path in known
        else choice
        for choice in choices
    ], ""


def _print(choices: "list[ProjectChoice]") -> None:
    columns: list[Column[ProjectChoice]] = [
        Column("project", lambda each: each.path, takes_rest=True, is_path=True),
        Column("sessions", lambda each: f"{each.sessions:,}", is_number=True, rank=3),
        Column("tier", lambda each: str(each.tier)),
        Column("visibility", lambda each: each.visibility, rank=1),
        Column("on the server", _server_state, rank=2, widest=40),
        Column("suggested", _suggestion, rank=4, widest=40),
    ]
    print_table(columns, choices, make_console())
    allowed = [each for each in choices if each.tier is not Tier.NOTHING]
    click.echo()
    click.echo(f"{plural(len(allowed), 'project')} of {len(choices):,} may leave")


def _server_state(choice: "ProjectChoice") -> str:
    if choice.tier is Tier.NOTHING and not choice.epoch:
        return ""
    name = choice.server_project or "no project"
    if not choice.is_sent:
        return "not sent yet"
    if choice.server_tier is None:
        return f"{name} ({_NO_ANSWER})"
    return f"{name} ({choice.server_tier})"


def _suggestion(choice: "ProjectChoice") -> str:
    if choice.max_tier is not None:
        return f"at most {choice.max_tier}"
    return "" if choice.suggested_tier is None else str(choice.suggested_tier)
