"""`clew lessons`: what keeps going wrong, and a rule against it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from clew.analytics import FilterSet
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import archive_option, json_option, no_sync_option, root_option
from clew.cli.output import make_console, write_json

_FEW: Final = 20
_LEAST: Final = 3
_HELP: Final = """\
Show errors that several sessions have in common.

Failed tool calls are grouped by tool and error, without paths, quotes and numbers. Listed is what
happened in at least three sessions, and every call that a session repeated three times or more with
the same error. Refused permissions are grouped by who refused what. Each comes with the sessions, a
cost and a rule that you can copy into CLAUDE.md; clew never writes one.

The cost is an upper bound: that of the whole answers which made the calls, and of the answers after
them.

\b
Examples:
  clew lessons                           show all lessons
  clew lessons --project uploader        show those of one project
  clew lessons --since 30d --tool Bash
  clew lessons --json | jq -r .lessons[].rule

\b
Exit codes:
  0  success
  2  usage error
  3  no transcripts found
"""


@click.command("lessons", cls=FilteredCommand, help=_HELP)
@filter_options
@click.option(
    "--min-sessions",
    "least_sessions",
    type=click.IntRange(min=1),
    default=_LEAST,
    show_default=True,
    metavar="N",
    help="Minimum number of sessions in which something went wrong.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=_FEW,
    show_default=True,
    metavar="N",
    help="Maximum number of lessons; 0 for all.",
)
@archive_option
@root_option
@no_sync_option
@json_option
def command(
    filters: FilterSet,
    least_sessions: int,
    limit: int,
    roots: Sequence[Path],
    *,
    no_sync: bool,
    as_json: bool,
) -> None:
    """Print lessons or JSON."""
    from clew.cli.refresh import answer_archive, fill_all
    from clew.insight import find_lessons

    with answer_archive(roots, fill_all, no_sync=no_sync, is_data=as_json) as archive:
        report = find_lessons(archive, filters, least_sessions)
        if as_json:
            write_json(report)
            return
        from clew.cli.lesson_text import print_lessons

        print_lessons(report, limit, make_console())
