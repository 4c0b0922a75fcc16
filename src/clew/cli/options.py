"""Options that several commands share."""

import os
from pathlib import Path
from typing import Any, Final

import click


class PathType(click.Path):
    """A path that names something: an empty one, as of a variable that is not set, is refused."""

    # typing.override comes with Python 3.12
    def convert(  # type: ignore[explicit-override]
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Give the path, unless nothing is written there."""
        if not os.fspath(value):
            self.fail("it is empty; name a path", param, ctx)
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
    help="Also look in this folder, as in ~/.claude. May be given several times.",
)
output_option: Final = click.option(
    "-o",
    "--output",
    required=True,
    type=folder_path,
    metavar="DIR",
    help="The folder to write to; it is made when it is not there.",
)
overwrite_option: Final = click.option(
    "--overwrite", is_flag=True, help="Write over files that are there already."
)
json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, on one line."
)
no_sync_option: Final = click.option(
    "--no-sync", is_flag=True, help="Do not look for new transcripts first."
)
