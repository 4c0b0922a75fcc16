"""The command line's frame: which commands there are, and how a run of one ends."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from clew.cli.errors import report_error
from clew.cli.streams import prepare_streams

# Each command's module has a `command`. Its line of help stands here, so that listing the
# commands imports none of them.
COMMANDS: Final = {
    "sync": ("clew.cli.sync", "Keep what is new, byte for byte, with rows and an index."),
    "list": ("clew.cli.list", "List sessions, projects, tool calls, agent runs or files."),
    "show": ("clew.cli.show", "Show one session on the terminal, as a page, Markdown or JSON."),
    "search": ("clew.cli.search", "Find words in everything that was said and done."),
    "usage": ("clew.cli.usage", "Count tokens and cost, by day, model, project or session."),
    "open": ("clew.cli.open", "Open the web app in the browser."),
    "serve": ("clew.cli.serve", "Serve the web app."),
    "check": ("clew.cli.check", "Find what is broken, missing or unknown in transcripts."),
    "archive": ("clew.cli.archive", "Inspect, verify and restore the archive."),
    "export": ("clew.cli.export", "Write what is kept to files."),
    "sql": ("clew.cli.sql", "Ask the rows anything in SQL."),
}

_DEMO: Final = "--demo"
_HELP: Final = """\
Read, rebuild, keep, search and show Claude Code transcripts.

Transcripts are only read, never changed, and nothing leaves this machine. Without a command, what
is new is kept and the recent sessions are listed.
"""
_EPILOG: Final = """\
\b
Examples:
  clew                         keep what is new, and list the recent sessions
  clew --demo                  the same on samples; goes with every command
  clew list                    the sessions on this machine, newest first
  clew show                    the latest one
  clew show 3f2a --detail talk one by the start of its id, without calls
  clew check                   look through all transcripts on this machine
  clew check session.jsonl     look through one
  clew check --help            what a command does, with examples

\b
Exit codes:
  0  done
  1  failed
  2  wrong use: an unknown command, flag or value
  3  what was asked for is not there
  4  `clew check` found problems, `clew archive` damage

\b
Environment:
  CLEW_HOME           where the archive lives
  CLAUDE_CONFIG_DIR   where Claude Code keeps its data, if not in ~/.claude
  NO_COLOR            set to anything: no colours
  CLEW_DEBUG          set to 1: tracebacks of failures
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
        """Import a command's module and give its command."""
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        command = importlib.import_module(module).command
        return command if isinstance(command, click.Command) else None

    def format_commands(  # type: ignore[explicit-override]
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the table's lines of help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    # ruff: enable[ARG002]

    def parse_args(  # type: ignore[explicit-override]
        self, ctx: click.Context, args: list[str]
    ) -> list[str]:
        """Let `--demo` stand anywhere: it goes with every command."""
        end = args.index("--") if "--" in args else len(args)
        if _DEMO in args[:end]:
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
@click.option(_DEMO, "is_demo", is_flag=True, help="Use sample sessions; may stand anywhere.")
@click.pass_context
def app(context: click.Context, *, is_demo: bool) -> None:
    """Show what there is when no command is given."""
    if is_demo:
        from clew.cli.temporary_home import demo

        context.with_resource(demo(is_synced=context.invoked_subcommand == "archive"))
    if context.invoked_subcommand is None:
        from datetime import datetime

        from clew.cli.overview import print_overview

        print_overview(datetime.now().astimezone(), is_demo=is_demo)


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line, by default this process's, and give its exit code."""
    try:
        code = _run(sys.argv[1:] if words is None else words)
        click.echo(nl=False)  # writes out what is buffered, while a failure can still be told
    except BaseException as error:  # noqa: BLE001 (the edge of this surface: all ends here)
        code = report_error(error)
    return code


def _run(words: Sequence[str]) -> int:
    prepare_streams()
    if "_CLEW_COMPLETE" in os.environ:
        return _complete(os.environ["_CLEW_COMPLETE"])
    with app.make_context("clew", list(words)) as context:
        app.invoke(context)
    return 0


def _complete(instruction: str) -> int:
    from click.shell_completion import shell_complete

    return shell_complete(app, {}, "clew", "_CLEW_COMPLETE", instruction)
