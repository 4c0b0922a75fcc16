"""Options that several commands share."""

from pathlib import Path
from typing import Final

import click

root_option: Final = click.option(
    "--root",
    "roots",
    multiple=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also look in this folder, as in ~/.claude. May be given several times.",
)
json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, on one line."
)
no_sync_option: Final = click.option(
    "--no-sync", is_flag=True, help="Do not look for new transcripts first."
)
