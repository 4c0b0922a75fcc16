"""`clew changes`: what a session changed, as a diff, a table, JSON or a patch."""

import sys
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from clew.cli.options import archive_option, file_path, json_option, root_option
from clew.cli.output import make_console, write_file, write_json
from clew.cli.replay import load_replay
from clew.cli.text import visible
from clew.conversation import Conversation
from clew.errors import NotFoundError, UsageError
from clew.figures import plural
from clew.replay import (
    SessionChanges,
    SessionReplay,
    answer_changes,
    find_changes,
    make_patch,
)
from clew.source import LATEST

_HELP: Final = """\
Show what a session changed, file by file.

The diff of each file leads from its text before the session's first change to its text after the
last one. Every hunk names the calls that made it. Changes by agents are included, and changes by
shell commands where the client recorded them.

SESSION is an id or the start of one, a path to a transcript or its directory, or `latest` (the
default).

\b
States of a file after its last change:
  exact    the text is recorded
  told     rests on what the client noticed of a shell command
  stale    something may have changed the file at the same time, as a hook
           after an edit; the reason is given
  unknown  the text before or after is not recorded

What may have changed a file later, such as tests at the end, is named beside it.

With -o, the diff becomes a patch for `git apply`. Files that it cannot include are listed with the
reason. Line endings are those of the transcript: for files with CRLF, use
`git apply --ignore-whitespace`.

\b
Examples:
  clew changes                       the latest session
  clew changes 3f2a --stat           files and numbers of lines only
  clew changes 3f2a --turn 4         what the fourth turn changed
  clew changes 3f2a -o fix.patch     a patch: git apply fix.patch
  clew changes 3f2a --reverse -o undo.patch
                                     the patch that takes it back
  clew changes latest --json | jq '.files[].path'

\b
Exit codes:
  0  success, also if nothing changed
  1  a file cannot be read or written
  2  usage error
  3  no such session, path or turn
"""


class ChangesOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to show of the changes, and where."""

    turn: int | None
    stat: bool
    reverse: bool
    output: Path | None
    relative_to: str | None
    as_json: bool


@click.command("changes", help=_HELP)
@click.argument("session", default=LATEST)
@click.option("--turn", type=int, metavar="N", help="Only what this turn changed.")
@click.option("--stat", is_flag=True, help="Only the numbers of lines.")
@click.option("--reverse", is_flag=True, help="The other way round: how to take the changes back.")
@click.option(
    "-o", "--output", type=file_path, metavar="FILE", help="Write a patch to a file; - for stdout."
)
@click.option(
    "--relative-to",
    metavar="DIR",
    help="Directory where the patch will be applied. Default: that of the session.",
)
@archive_option
@root_option
@json_option
def command(session: str, roots: tuple[Path, ...], **chosen: Any) -> None:
    """Find the changes of a session and print them."""
    options = ChangesOptions(**chosen)
    if options.as_json and (options.stat or options.output is not None):
        raise UsageError("--json cannot be combined with --stat or -o")
    changes = find(*load_replay(session, roots), options.turn)
    if options.as_json:
        write_json(answer_changes(changes))
    elif options.output is not None:
        _write_patch(changes, options)
    else:
        from clew.cli.changes_text import print_changes, print_stat

        show = print_stat if options.stat else print_changes
        show(changes, make_console(), reverse=options.reverse)


def find(conversation: Conversation, replay: SessionReplay, turn: int | None) -> SessionChanges:
    """Find what a session changed.

    Raises:
        NotFoundError: It has no such turn.
    """
    turns = {each.index for each in conversation.turns}
    if turn is not None and turn not in turns:
        last = max(turns, default=0)
        raise NotFoundError(f"no turn {turn}: the session has turns {min(turns, default=0)}-{last}")
    return find_changes(conversation, replay, turn)


def _write_patch(changes: SessionChanges, options: ChangesOptions) -> None:
    folder = changes.project if options.relative_to is None else options.relative_to
    if options.relative_to is not None:
        folder = str(Path(options.relative_to).absolute())
    patch = make_patch(changes.files, folder, reverse=options.reverse)
    for file, reason in patch.left_out:
        click.echo(visible(f"left out: {file.name}: {reason}"), err=True)
    for file in patch.files:
        for state, reason in file.doubts:
            click.echo(visible(f"{state}: {file.name}: {reason}"), err=True)
    data = patch.text.encode("utf-8", "surrogatepass")
    if options.output == Path("-"):
        sys.stdout.buffer.write(data)
    elif options.output is not None:
        write_file(options.output, [data])
        count = plural(len(patch.files), "file")
        click.echo(visible(f"{options.output}: {count} changed"), err=True)
