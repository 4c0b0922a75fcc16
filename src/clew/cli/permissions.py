"""`clew permissions`: who decided about tool calls, and what is asked again and again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from clew.analytics import FilterSet
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import archive_option, json_option, no_sync_option, root_option
from clew.cli.output import make_console, write_json

_FEW: Final = 15
_HELP: Final = """\
Show who decided about tool calls.

For each tool and for each kind of command, folder or host: how often you were asked, what you
answered and how long that took. What you always accepted comes with a permission rule that you can
copy into the settings of Claude Code; clew never writes one. Then what was refused, and by whom.

Claude Code records decisions since version 2.1.325. Of older sessions, clew knows only refusals,
and infers waiting from the time that an edit took.

\b
Signs before a time:
  ≤  at most: the call itself is included, or calls beside it
  ~  inferred: the transcript does not say that a person was asked

\b
Examples:
  clew permissions                         show all decisions
  clew permissions --project uploader      show those of one project
  clew permissions --since 7d --limit 0
  clew permissions --json | jq -r .candidate_rules[]

\b
Exit codes:
  0  success
  2  usage error
  3  no transcripts found
"""


@click.command("permissions", cls=FilteredCommand, help=_HELP)
@filter_options
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=_FEW,
    show_default=True,
    metavar="N",
    help="Maximum number of rows in each table; 0 for all.",
)
@archive_option
@root_option
@no_sync_option
@json_option
def command(
    filters: FilterSet, limit: int, roots: Sequence[Path], *, no_sync: bool, as_json: bool
) -> None:
    """Print tables or JSON."""
    from clew.cli.refresh import answer_archive, fill_all
    from clew.insight import report_permissions

    with answer_archive(roots, fill_all, no_sync=no_sync, is_data=as_json) as archive:
        report = report_permissions(archive, filters)
        if as_json:
            write_json(report)
            return
        from clew.cli.permission_tables import print_permissions

        print_permissions(report, limit, make_console())
