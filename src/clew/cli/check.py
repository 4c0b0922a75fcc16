"""`clew check`: transcripts → what is broken, missing or unknown in them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from clew.check import CheckInput, Report, check_files, find_files
from clew.cli.check_table import print_report
from clew.cli.options import any_path, json_option, root_option
from clew.cli.output import make_console, progress, write_json
from clew.cli.search_paths import no_transcripts, paths_or_roots
from clew.problems import Severity
from clew.source import TRANSCRIPT_KINDS
from clew.tools import load_plugins

_FOUND_PROBLEMS: Final = 4
_DRIFT: Final = "drift"
# From the most lenient to the strictest: each fails on what the ones before it fail on.
_FAIL_ON: Final = (Severity.ERROR.value, Severity.WARNING.value, _DRIFT)

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
  clew check --fail-on drift          fail on types and fields that are new

\b
Exit codes:
  0  nothing found to fail on (there may be notes, and what --fail-on allows)
  2  wrong use
  3  no transcripts there
  4  found errors, or what --fail-on names
"""


@click.command("check", help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=any_path)
@root_option
@json_option
@click.option("--verbose", "-v", is_flag=True, help="List all places, notes included.")
@click.option(
    "--fail-on",
    type=click.Choice(_FAIL_ON),
    default=Severity.ERROR.value,
    show_default=True,
    help="Exit with 4 on errors only, on warnings too, or also on drift.",
)
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[Path, ...],
    roots: tuple[Path, ...],
    *,
    as_json: bool,
    verbose: bool,
    fail_on: str,
) -> None:
    """Check, print, and exit with 4 when there is something to fail on."""
    load_plugins()
    report = _check(find_transcripts(paths_or_roots(paths, roots)))
    if as_json:
        write_json(report)
    else:
        print_report(report, make_console(), verbose=verbose)
    if _fails(report, fail_on):
        context.exit(_FOUND_PROBLEMS)


def find_transcripts(paths: Sequence[Path]) -> CheckInput:
    """List the files at these paths, among which there must be a transcript."""
    asked = find_files(paths)
    if not asked.problems and not any(file.kind in TRANSCRIPT_KINDS for file in asked.files):
        raise no_transcripts(paths)
    return asked


def _check(asked: CheckInput) -> Report:
    with progress("Checking", sum(file.size for file in asked.files)) as advance:
        return check_files(asked, advance)


def _fails(report: Report, fail_on: str) -> bool:
    found = {
        Severity.ERROR.value: report.count(Severity.ERROR) > 0,
        Severity.WARNING.value: report.count(Severity.WARNING) > 0,
        _DRIFT: bool(report.drift),
    }
    return any(found[level] for level in _FAIL_ON[: _FAIL_ON.index(fail_on) + 1])
