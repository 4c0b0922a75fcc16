"""`clew check`: transcripts → what is broken, missing or unknown in them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from clew.check import Asked, Report, check_files, find_files
from clew.cli.check_table import print_report
from clew.cli.options import any_path, json_option, root_option
from clew.cli.output import make_console, progress, write_json
from clew.cli.places import choose_paths, no_transcripts
from clew.problems import Severity
from clew.source import TRANSCRIPT_KINDS

_FOUND_ERRORS: Final = 4

_HELP: Final = """\
Find what is broken, missing or unknown in transcripts.

Reads all transcripts at or below each PATH, or of this machine, to their last byte, and lists
their problems by kind with file and line. Nothing is changed or repaired.

The report holds structure only, no text of any conversation, so it can be shown to others. File
names are in it.

\b
Severities:
  error    lines or links no reader can take as they stand
  warning  entries that are read, but not as they are
  note     normal in real files: clocks that step back, parents in other files

\b
Examples:
  clew check                          everything on this machine
  clew check ~/.claude/projects/-app  one project
  clew check session.jsonl --verbose  one session, with all places
  clew check --json | jq .round_trip  for programs

\b
Exit codes:
  0  no errors (there may be warnings and notes)
  2  wrong use
  3  no transcripts there
  4  errors found
"""


@click.command("check", help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=any_path)
@root_option
@json_option
@click.option("--verbose", "-v", is_flag=True, help="List all places, notes included.")
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[Path, ...],
    roots: tuple[Path, ...],
    *,
    as_json: bool,
    verbose: bool,
) -> None:
    """Check, print, and end with 4 when there are errors."""
    report = _check(find_transcripts(choose_paths(paths, roots)))
    if as_json:
        write_json(report)
    else:
        print_report(report, make_console(), verbose=verbose)
    if report.count(Severity.ERROR):
        context.exit(_FOUND_ERRORS)


def find_transcripts(paths: Sequence[Path]) -> Asked:
    """List the files at these paths, among which there must be a transcript."""
    asked = find_files(paths)
    if not asked.problems and not any(file.kind in TRANSCRIPT_KINDS for file in asked.files):
        raise no_transcripts(paths)
    return asked


def _check(asked: Asked) -> Report:
    with progress("Checking", sum(file.size for file in asked.files)) as advance:
        return check_files(asked, advance)
