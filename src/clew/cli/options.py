"""Options that several commands share."""

import os
from pathlib import Path
from typing import Any, Final

import click


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
