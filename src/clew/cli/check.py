"""`clew check`: check transcripts for damage, gaps and unknown data."""

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
Check transcripts for damage, gaps and unknown data.

Reads every byte of the transcripts at or below each PATH, or of all transcripts on this machine,
and lists problems by kind with file and line. It does not change or repair anything.

The report contains file names and structure, but no conversation text, so you can share it.

\b
Severities:
  error    lines that cannot be read, or links that are broken
  warning  entries that can be read only in part
  note     common in real files: times that go back, parents in other files

\b
Examples:
  clew check                          check all transcripts on this machine
  clew check ~/.claude/projects/-app  check one project
  clew check session.jsonl --verbose  check one session, list every problem
  clew check --json | jq .round_trip  use the report in a script
  clew check --fail-on drift          also fail on unknown types and fields

\b
Exit codes:
  0  no problems of the severity that --fail-on sets
  2  usage error
  3  no transcripts found
  4  problems found
"""


@click.command("check", help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=any_path)
@root_option
@json_option
@click.option("--verbose", "-v", is_flag=True, help="List every problem, including notes.")
@click.option(
    "--fail-on",
    type=click.Choice(_FAIL_ON),
    default=Severity.ERROR.value,
    show_default=True,
    help="Exit with 4 on errors, also on warnings, or also on unknown types and fields.",
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
    """Check, print the report, and exit with 4 if there are problems."""
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
