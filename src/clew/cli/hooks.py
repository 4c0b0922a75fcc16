"""`clew hooks`: let Claude Code sync and push by itself."""

import difflib
import os
import sys
from pathlib import Path
from typing import Final

import click

from clew.cli.options import any_path, json_option
from clew.cli.output import make_console, write_json
from clew.cli.table import Column, print_table
from clew.cli.text import visible, visible_lines
from clew.errors import UsageError
from clew.push import (
    InstalledHook,
    SettingsChange,
    apply_change,
    are_hooks_off,
    hook_command,
    last_runs,
    plan_install,
    plan_remove,
    read_hooks,
    settings_path,
)

_SCHEMA: Final = "clew.hooks/1"
_HELP: Final = """\
Let Claude Code archive and push its sessions by itself.

Adds hooks to Claude Code's settings. When a session starts, answers, compacts or ends, Claude Code
then runs clew, which returns at once and syncs in the background. If you are logged in to a team
server, it also pushes what you allow with `clew consent`. Without hooks, sessions are archived when
you run clew.

\b
Examples:
  clew hooks install           show the change, ask, and add the hooks
  clew hooks install --yes     add them without asking
  clew hooks status            show the hooks and how the last run ended
  clew hooks remove            show the change, ask, and remove the hooks

\b
Exit codes:
  0  success
  1  the settings file cannot be read or written; nothing was changed
  2  usage error
  130  not confirmed
"""
_INSTALL: Final = """\
Add the hooks to Claude Code's settings.

Shows the change as a diff and asks first. Everything else in the file stays as it is. Hooks of
another installation of clew are replaced.
"""
_REMOVE: Final = """\
Remove the hooks from Claude Code's settings.

Shows the change as a diff and asks first. If nothing else has changed since, the file is as it was
before the hooks were installed, byte for byte; a file that was created for them is removed.
"""
_STATUS: Final = "Show which hooks are installed, and how the last run ended."

_settings_option: Final = click.option(
    "--settings",
    metavar="FILE",
    type=any_path,
    help="Settings file to use (default: settings.json in ~/.claude or CLAUDE_CONFIG_DIR).",
)
_yes_option: Final = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group("hooks", help=_HELP)
def command() -> None:
    """Add, remove or show the hooks."""


@command.command("install", help=_INSTALL, short_help="Add the hooks to Claude Code's settings.")
@_settings_option
@_yes_option
@json_option
def install(settings: Path | None, *, yes: bool, as_json: bool) -> None:
    """Add the hooks, after a confirmation."""
    change = plan_install(_path(settings), hook_command())
    _carry_out(change, yes=yes, as_json=as_json)
    if not as_json:
        click.echo("Already installed." if change.is_empty else "Installed.")


@command.command("remove", help=_REMOVE, short_help="Remove the hooks.")
@_settings_option
@_yes_option
@json_option
def remove(settings: Path | None, *, yes: bool, as_json: bool) -> None:
    """Remove the hooks, after a confirmation."""
    change = plan_remove(_path(settings))
    _carry_out(change, yes=yes, as_json=as_json)
    if not as_json:
        click.echo("Not installed." if change.is_empty else "Removed.")


@command.command("status", help=_STATUS)
@_settings_option
@json_option
def status(settings: Path | None, *, as_json: bool) -> None:
    """Print the hooks of a settings file."""
    path = _path(settings)
    hooks = read_hooks(path)
    is_off = are_hooks_off(path)
    if as_json:
        found = {"schema": _SCHEMA, "settings": str(path), "hooks": hooks, "disabled": is_off}
        write_json({**found, "last_run": next(iter(last_runs()), None)})
        return
    _print(hooks)
    click.echo()
    click.echo(f"Settings file: {visible(str(path))}")
    if is_off:
        click.echo("Claude Code runs no hooks: `disableAllHooks` is set in this file.")
    for line in last_runs():
        click.echo(f"Last run: {visible(line)}")


def _path(settings: Path | None) -> Path:
    return settings_path(os.environ, Path.home()) if settings is None else settings.absolute()


def _carry_out(change: SettingsChange, *, yes: bool, as_json: bool) -> None:
    """Show a change, ask, and write the file."""
    diff = _diff(change)
    if not yes and not change.is_empty and (as_json or not sys.stdin.isatty()):
        raise UsageError("nobody can be asked; add --yes to change the settings file")
    if as_json:
        shown = {"schema": _SCHEMA, "settings": str(change.path), "diff": diff}
        write_json({**shown, "changed": not change.is_empty})
    else:
        click.echo(visible_lines(diff), nl=False)
        if not yes and not change.is_empty:
            click.confirm("Change this file?", abort=True)
    apply_change(change)


def _diff(change: SettingsChange) -> str:
    """Return a change as a unified diff."""
    name = str(change.path)
    lines = difflib.unified_diff(
        (change.before or "").splitlines(keepends=True),
        (change.after or "").splitlines(keepends=True),
        os.devnull if change.before is None else name,
        os.devnull if change.after is None else name,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _print(hooks: list[InstalledHook]) -> None:
    columns: list[Column[InstalledHook]] = [
        Column("event", lambda hook: hook.event),
        Column("command", lambda hook: hook.command or "not installed", takes_rest=True),
    ]
    print_table(columns, hooks, make_console())
