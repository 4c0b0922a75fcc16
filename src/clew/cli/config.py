"""`clew config`: the settings in force, and where each comes from."""

import os
from pathlib import Path
from typing import Final

import click
import msgspec

from clew.cli.options import ARCHIVE_CHOICE, archive_option, json_option
from clew.cli.output import make_console, write_json
from clew.cli.table import Column, print_table
from clew.cli.text import visible
from clew.settings import (
    DEFAULT,
    FILE,
    ArchiveChoice,
    DigestSettings,
    SettingsFile,
    SettingValue,
    choose_archive,
    hide_password,
)
from clew.store import Home

_HELP: Final = """\
Show the settings and where they come from.

A setting is taken from the first of these that sets it: an option, an environment variable, the
settings file, and the default. CLEW_HOME comes after the settings file.

\b
The settings file is TOML. It may set:
  archive = "postgresql://clew@db.example.com/clew"   or a directory
  blobs = "s3://bucket/prefix"                        or a directory

\b
A section [digest] sets who writes digests; without a model, nothing is sent:
  [digest]
  model = "claude-haiku-4-5"     or claude-code, the installed client
  base_url = "https://…"         another address of the API
  api_key = "…"                  if ANTHROPIC_API_KEY is not set
  max_cost_per_run = 1.0         dollars
  max_cost_per_day = 5.0         dollars in 24 hours
  redact = true                  mask secrets before anything is sent

\b
Examples:
  clew config                      show all settings
  clew --archive DIR config        show them with an option
  $EDITOR "$(clew config path)"    edit the settings file

\b
Exit codes:
  0  success
  2  usage error, or a setting cannot be used
"""
_PATH: Final = """\
Print the path of the settings file.

It need not exist: create it to change settings. CLEW_CONFIG names another file.
"""
_WITH_ARCHIVE: Final = "archive"


class ShownSetting(msgspec.Struct, frozen=True):
    """A setting as it is shown, without passwords."""

    name: str
    value: str
    source: str


@click.group("config", help=_HELP, invoke_without_command=True)
@archive_option
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Print the settings."""
    if context.invoked_subcommand is not None:
        return
    file = SettingsFile(os.environ, Path.home())
    chosen: ArchiveChoice | None = context.meta.get(ARCHIVE_CHOICE)
    shown = _list_settings(chosen or choose_archive(os.environ, Path.home()))
    shown += _list_digest_settings(file.values.digest)
    exists = file.path.exists()
    if as_json:
        found = {"schema": "clew.config/1", "file": str(file.path), "file_exists": exists}
        write_json({**found, "settings": shown})
        return
    _print(shown)
    click.echo()
    click.echo(f"Settings file: {visible(str(file.path))}{'' if exists else ' (does not exist)'}")


@command.command("path", help=_PATH, short_help="Print the path of the settings file.")
def path() -> None:
    """Print the path."""
    click.echo(str(SettingsFile(os.environ, Path.home()).path))


def _list_settings(choice: ArchiveChoice) -> list[ShownSetting]:
    inside = SettingValue(str(Home(Path(choice.archive.value)).blobs), _WITH_ARCHIVE)
    found = {"archive": choice.archive, "blobs": choice.blobs or inside}
    return [
        ShownSetting(name, hide_password(setting.value), setting.source)
        for name, setting in found.items()
    ]


def _list_digest_settings(digest: DigestSettings) -> list[ShownSetting]:
    usual = msgspec.structs.asdict(DigestSettings())
    return [
        ShownSetting(
            f"digest.{name}", _show(name, value), DEFAULT if value == usual[name] else FILE
        )
        for name, value in msgspec.structs.asdict(digest).items()
    ]


def _show(name: str, value: object) -> str:
    if name == "api_key" and value:
        return "***"
    return str(value).lower() if isinstance(value, bool) else hide_password(str(value))


def _print(shown: list[ShownSetting]) -> None:
    columns: list[Column[ShownSetting]] = [
        Column("setting", lambda setting: setting.name, widest=24),
        Column("value", lambda setting: setting.value, takes_rest=True, is_path=True),
        Column("source", lambda setting: setting.source),
    ]
    print_table(columns, shown, make_console())
