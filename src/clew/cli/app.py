"""The command line: its commands, global options and exit code."""

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click

from clew.cli.errors import report_error
from clew.cli.options import ARCHIVE_CHOICE, archive_option
from clew.cli.streams import prepare_streams
from clew.errors import UsageError

# Each command's module has a `command`. Its summary is repeated here, so that `clew --help`
# imports none of them.
COMMANDS: Final = {
    "sync": ("clew.cli.sync", "Archive new transcripts and update the index."),
    "list": ("clew.cli.list", "List sessions, projects, tool calls, agent runs or files."),
    "show": ("clew.cli.show", "Show a session as text, HTML, Markdown or JSON."),
    "changes": ("clew.cli.changes", "Show what a session changed, file by file."),
    "file": ("clew.cli.file", "Show a file as it was at a message or a time."),
    "search": ("clew.cli.search", "Search all sessions."),
    "note": ("clew.cli.note", "Star, tag, rename, hide or annotate sessions."),
    "digest": ("clew.cli.digest", "Write a short account of sessions."),
    "usage": ("clew.cli.usage", "Show tokens and cost by day, model, project or session."),
    "context": ("clew.cli.context", "Show what filled a session's context, and what that cost."),
    "permissions": ("clew.cli.permissions", "Show who decided about tool calls."),
    "lessons": ("clew.cli.lessons", "Show errors that several sessions have in common."),
    "compare": ("clew.cli.compare", "Compare two sessions side by side."),
    "blame": ("clew.cli.blame", "Show which prompt wrote each line of a file."),
    "dossier": ("clew.cli.dossier", "Show the sessions, prompts, tests and cost behind a change."),
    "open": ("clew.cli.open", "Open the web app in the browser."),
    "serve": ("clew.cli.serve", "Serve the web app."),
    "check": ("clew.cli.check", "Check transcripts for damage, gaps and unknown data."),
    "archive": ("clew.cli.archive", "Inspect, verify, restore and copy the archive."),
    "export": ("clew.cli.export", "Export sessions to files."),
    "share": ("clew.cli.share", "Share sessions or a search as one file, with secrets masked."),
    "sql": ("clew.cli.sql", "Query the archive with SQL."),
    "hooks": ("clew.cli.hooks", "Let Claude Code archive and push its sessions by itself."),
    "admin": ("clew.cli.admin", "Manage the archive of a team."),
    "server": ("clew.cli.server", "Serve the archive of a team."),
    "worker": ("clew.cli.worker", "Parse the sessions that were pushed to a team server."),
    "login": ("clew.cli.login", "Log in to a team server."),
    "logout": ("clew.cli.logout", "Log out of a team server."),
    "consent": ("clew.cli.consent", "Show and set what may leave for a team server, by project."),
    "push": ("clew.cli.push", "Send new parts of your sessions to a team server."),
    "pull": ("clew.cli.pull", "Fetch sessions from a team server into the local archive."),
    "config": ("clew.cli.config", "Show the settings and where they come from."),
}

_DEMO: Final = "--demo"
_OWN_DEMO: Final = "server"
_HELP: Final = """\
Read, archive, search and show Claude Code transcripts.

clew never changes transcripts. It sends nothing over the network, unless you choose an archive on a
server, allow it for a team server, or set a model for digests. Without a command, it archives new
transcripts and lists the recent sessions.
"""
_EPILOG: Final = """\
\b
Examples:
  clew                         archive new transcripts, list recent sessions
  clew --demo                  try it with sample sessions
  clew list                    list all sessions, newest first
  clew show                    show the latest session
  clew show 3f2a --detail talk show the session whose id starts with 3f2a
  clew search "retry"          search all sessions
  clew usage --by model        show tokens and cost by model
  clew list --help             show the help of a command

\b
Exit codes:
  0  success
  1  failure
  2  usage error: unknown command, option or value
  3  not found
  4  `clew check` found problems, or `clew archive` found damage

\b
Environment:
  CLEW_ARCHIVE        archive: a directory or a postgresql:// address
  CLEW_BLOBS          files of a postgresql:// archive: s3://… or a directory
  CLEW_HOME           directory of the archive, if no other setting names one
  CLEW_CONFIG         settings file (`clew config` shows the default)
  CLAUDE_CONFIG_DIR   Claude Code's data directory (default: ~/.claude)
  NO_COLOR            disable colours
  CLEW_DEBUG          show tracebacks of internal errors
"""


# Its methods replace click's: `typing.override` comes with Python 3.12, and click passes
# a context that a fixed table does not need.
class LazyGroup(click.Group):
    """A group whose commands are imported when they run."""

    # ruff: disable[ARG002]
    def list_commands(self, ctx: click.Context) -> list[str]:  # type: ignore[explicit-override]
        """List the table's commands."""
        return list(COMMANDS)

    def get_command(  # type: ignore[explicit-override]
        self, ctx: click.Context, cmd_name: str
    ) -> click.Command | None:
        """Import a command's module and return its command."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command = importlib.import_module(module).command
        return command if isinstance(command, click.Command) else None

    def format_commands(  # type: ignore[explicit-override]
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the commands and their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    # ruff: enable[ARG002]

    def parse_args(  # type: ignore[explicit-override]
        self, ctx: click.Context, args: list[str]
    ) -> list[str]:
        """Accept `--demo` anywhere on the command line, but for a command that has its own."""
        end = args.index("--") if "--" in args else len(args)
        if _DEMO in args[:end] and _OWN_DEMO not in args[: args.index(_DEMO)]:
            args = [_DEMO, *(word for word in args[:end] if word != _DEMO), *args[end:]]
        return super().parse_args(ctx, args)


@click.group(
    cls=LazyGroup,
    help=_HELP,
    epilog=_EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(None, "--version", "-V", package_name="clew", message="%(prog)s %(version)s")
@click.option(_DEMO, "is_demo", is_flag=True, help="Use sample sessions; works with every command.")
@archive_option
@click.pass_context
def app(context: click.Context, *, is_demo: bool) -> None:
    """Print the overview when no command is given."""
    if is_demo and ARCHIVE_CHOICE in context.meta:
        raise UsageError("--archive and --demo cannot be combined")
    if is_demo:
        from clew.cli.temporary_home import demo

        context.with_resource(demo(is_synced=context.invoked_subcommand == "archive"))
    if context.invoked_subcommand is None:
        from datetime import datetime

        from clew.cli.overview import print_overview

        print_overview(datetime.now().astimezone(), is_demo=is_demo)


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line, by default this process's, and return its exit code."""
    try:
        code = _run(sys.argv[1:] if words is None else words)
        click.echo(nl=False)  # flushes the output while an error can still be reported
    except BaseException as error:  # noqa: BLE001 (the edge of this surface: all ends here)
        code = report_error(error)
    return code


def _run(words: Sequence[str]) -> int:
    prepare_streams()
    if "_CLEW_COMPLETE" in os.environ:
        return _complete(os.environ["_CLEW_COMPLETE"])
    with _own_environment(), app.make_context("clew", list(words)) as context:
        app.invoke(context)
    return 0


@contextmanager
def _own_environment() -> Iterator[None]:
    """Undo what options change in the environment: a caller may run several command lines."""
    before = dict(os.environ)
    try:
        yield
    finally:
        if dict(os.environ) != before:
            os.environ.clear()
            os.environ.update(before)


def _complete(instruction: str) -> int:
    from click.shell_completion import shell_complete

    return shell_complete(app, {}, "clew", "_CLEW_COMPLETE", instruction)
