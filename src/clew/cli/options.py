"""Options that several commands share."""

import os
from pathlib import Path
from typing import Any, Final

import click

from clew.errors import UsageError

ARCHIVE_CHOICE: Final = "clew.archive_choice"
"""Where a command's context has what `--archive` chose."""


class PathType(click.Path):
    """A path that is not empty, as it would be from a shell variable that is not set."""

    # typing.override comes with Python 3.12
    def convert(  # type: ignore[explicit-override]
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path, unless it is empty."""
        if not os.fspath(value):
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


any_path: Final = PathType(path_type=Path)
folder_path: Final = PathType(file_okay=False, path_type=Path)
file_path: Final = PathType(dir_okay=False, allow_dash=True, path_type=Path)


def _use_archive(context: click.Context, _option: click.Parameter, address: str | None) -> None:
    """Choose the archive for the rest of this process, and for those that it starts."""
    if address is None:
        return
    from clew.settings import ARCHIVE, BLOBS, choose_archive

    if not address:
        raise click.BadParameter("the address is empty")
    if context.find_root().params.get("is_demo"):
        raise UsageError("--archive and --demo cannot be combined")
    choice = choose_archive(os.environ, Path.home(), address)
    context.meta[ARCHIVE_CHOICE] = choice
    # Everybody can read the arguments of a process, which would show a password.
    os.environ[ARCHIVE] = choice.archive.value
    os.environ[BLOBS] = "" if choice.blobs is None else choice.blobs.value


archive_option: Final = click.option(
    "--archive",
    metavar="URL",
    expose_value=False,
    callback=_use_archive,
    help="Use this archive: a directory or a postgresql:// address.",
)
root_option: Final = click.option(
    "--root",
    "roots",
    multiple=True,
    metavar="DIR",
    type=folder_path,
    help="Also read this directory, laid out like ~/.claude. Repeatable.",
)
output_option: Final = click.option(
    "-o",
    "--output",
    required=True,
    type=folder_path,
    metavar="DIR",
    help="Directory to write to; created if missing.",
)
overwrite_option: Final = click.option(
    "--overwrite", is_flag=True, help="Overwrite existing files."
)
json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON on one line.")
no_sync_option: Final = click.option(
    "--no-sync", is_flag=True, help="Do not archive new transcripts first."
)
