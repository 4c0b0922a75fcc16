"""`clew compare`: two sessions side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import make_console, write_json

_HELP: Final = """\
Compare two sessions side by side.

Shown are turns, calls, files, cost, time and outcome.
A and B are ids or the starts of ids, paths to transcripts, or `latest`. The files that both changed
are compared as each session left them; of files that only one changed, you see its net change.
Paths are relative to the project, so that sessions in two worktrees can be compared.

The outcome is that of `clew digest`: it rests on facts such as commits and test runs.

\b
Examples:
  clew compare 3f2a 9c41           compare two sessions
  clew compare 3f2a latest --stat  leave out the differences of files
  clew compare 3f2a 9c41 --json | jq .files[].path

\b
Exit codes:
  0  success
  2  usage error
  3  no such session
"""


@click.command("compare", help=_HELP)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--stat", "is_short", is_flag=True, help="Print counts only, no differences.")
@archive_option
@root_option
@json_option
def command(
    first: str, second: str, roots: Sequence[Path], *, is_short: bool, as_json: bool
) -> None:
    """Print a comparison or JSON."""
    from clew.cli.show import load
    from clew.insight import compare_sessions

    found = compare_sessions(load(first, roots), load(second, roots))
    if as_json:
        write_json(found)
        return
    from clew.cli.compare_text import print_comparison

    print_comparison(found, make_console(), is_short=is_short)
