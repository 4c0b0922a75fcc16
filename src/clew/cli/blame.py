"""`clew blame`: which prompt wrote each line of a file."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.text import safe_json, visible
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.insight import FileBlame

_RANGE: Final = re.compile(r"(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?", re.DOTALL)
_ADDRESS: Final = "http://127.0.0.1:8377"
_HELP: Final = """\
Show which prompt wrote each line of a file.

PATH is a file in a git repository, as it is on the disk, or in the commit that --rev names. With
:LINE or :FIRST-LAST, only these lines are shown. Git is only read, never changed.

The edits of all archived sessions are replayed and compared with the commits that introduced the
lines. A line is attributed to a session only if that session wrote it into this file, or a file
that was renamed to it, before the commit, and the text was not there already. Renames, squash
merges and worktrees are followed.

\b
Evidence:
  exact       a session wrote this line
  whitespace  a session wrote it; only white space changed since, as by a
              formatter
  external    sessions changed the file, but none is known to have written
              this line: a person, another tool, or a command did
  none        no session is known to have changed the file

\b
Examples:
  clew blame src/app.py              the file as it is on the disk
  clew blame src/app.py:42           one line, with its prompt
  clew blame src/app.py --rev v1.2   as of a tag
  clew blame src/app.py --json | jq '.lines[].prompt'
  clew blame src/app.py --porcelain  for programs that read git's format
  clew blame src/app.py --format agent-trace

\b
Exit codes:
  0  success
  1  git is missing or fails
  2  usage error
  3  no such file, line, revision or repository, or no sessions at all
"""


@click.command("blame", help=_HELP)
@click.argument("path", metavar="PATH[:LINE]")
@click.option("--rev", "revision", metavar="REV", help="Blame the file as of this commit.")
@click.option("--porcelain", is_flag=True, help="Print git's porcelain format.")
@click.option(
    "--format",
    "trace_format",
    type=click.Choice(["agent-trace"]),
    help="Print an Agent Trace record.",
)
@archive_option
@root_option
@no_sync_option
@json_option
def command(
    path: str,
    revision: str | None,
    roots: tuple[Path, ...],
    *,
    porcelain: bool,
    trace_format: str | None,
    no_sync: bool,
    as_json: bool,
) -> None:
    """Blame a file, and print its lines."""
    chosen = [porcelain, as_json, trace_format is not None]
    if sum(chosen) > 1:
        raise UsageError("--json, --porcelain and --format cannot be combined")
    from clew.insight import blame_file, choose_lines

    place, lines = split_place(path)
    with fresh_archive(roots, no_sync=no_sync) as archive:
        blame = blame_file(archive, place, revision)
    if lines is not None:
        blame = choose_lines(blame, *lines)
    if as_json:
        write_json(blame)
    elif porcelain:
        _write_porcelain(blame)
    elif trace_format is not None:
        _write_trace(blame)
    else:
        _print(blame, with_prompt=lines is not None)


def split_place(text: str) -> tuple[Path, tuple[int, int] | None]:
    """Split `PATH:LINE` or `PATH:FIRST-LAST`; a file whose name looks like that comes first."""
    found = None if Path(text).exists() else _RANGE.fullmatch(text)
    if found is None:
        return Path(text), None
    return Path(found[1]), (int(found[2]), int(found[3] or found[2]))


def _write_porcelain(blame: "FileBlame") -> None:
    from clew.insight import write_porcelain

    for piece in write_porcelain(blame):
        sys.stdout.buffer.write(piece.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _write_trace(blame: "FileBlame") -> None:
    from clew.insight import encode_trace, make_trace
    from clew.render.site import APP

    def link(session_id: str, message_id: str) -> str:
        return f"{_ADDRESS}{APP.session(session_id, message_id)}"

    click.echo(safe_json(encode_trace(make_trace(blame, link))))


def _print(blame: "FileBlame", *, with_prompt: bool) -> None:
    from clew.cli.blame_table import print_lines, print_prompts

    console = make_console()
    print_lines(blame, console)
    if with_prompt:
        print_prompts(blame, console)
    for note in blame.notes:
        click.echo(visible(note), err=True)
