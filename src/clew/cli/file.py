"""`clew file`: a file as it was at a message or a time, and its versions."""

import datetime as dt
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from clew.archive import Archive
from clew.cli.options import archive_option, file_path, json_option, root_option
from clew.cli.output import make_console, write_file, write_json
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.replay import load_replay
from clew.cli.text import visible, visible_lines
from clew.clock import MOMENT_EXAMPLES, format_time, parse_until
from clew.conversation import Conversation
from clew.errors import NotFoundError, UsageError
from clew.replay import (
    Certainty,
    FileMoment,
    FileState,
    SessionReplay,
    answer_file,
    answer_versions,
    at_message,
    at_time,
    describe_cause,
    file_patch,
    find_changes,
    join_histories,
    last_known,
    make_patch,
    shown_versions,
)
from clew.tools import short_path

_MOST_PATHS: Final = 5
_HELP: Final = """\
Show a file as it was at a message or a time.

The text is replayed from what transcripts record: reads, edits, writes, and what the client noticed
of shell commands. Without --at, the versions of the file are listed.

PATH is a file that sessions read or changed; the end of a path is enough if it is unique. --at
takes the id of a message, and shows the file as that message found it, before any call of its own;
or a time: 2026-11-14T09:00, yesterday, 12h.

\b
States:
  exact    every step since the file was last read or written is recorded
  told     rests on what the client noticed of a shell command
  stale    something may have changed the file since: a command, a hook
  unknown  no call showed its text before that moment

\b
Examples:
  clew file src/app.py                       list its versions
  clew file src/app.py --at 12h              as it was twelve hours ago
  clew file src/app.py --at msg_01AbC        as this message found it
  clew file src/app.py --at yesterday --diff what changed since then
  clew file src/app.py --at yesterday -o old.py
  clew file src/app.py --reverse 3f2a        the patch that takes back what
                                             session 3f2a changed
  clew file src/app.py --at msg_01AbC --json | jq -r .state

\b
Exit codes:
  0  success
  1  a file cannot be read or written
  2  usage error
  3  no session touched the file, or nothing is known of it at that moment
"""


class FileOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which moment of a file, and what to show of it."""

    at: str | None
    session: str | None
    diff: bool
    reverse: str | None
    output: Path | None
    as_json: bool
    no_sync: bool


class _Source(msgspec.Struct, frozen=True):
    """The replays of the sessions that touched a file, and its full path."""

    path: str
    replays: tuple[SessionReplay, ...]
    conversation: Conversation | None = None


@click.command("file", help=_HELP)
@click.argument("path")
@click.option("--at", metavar="MESSAGE|TIME", help="As this message found it, or at this time.")
@click.option("--session", metavar="SESSION", help="Only this session: an id, a path or `latest`.")
@click.option("--diff", is_flag=True, help="Show what changed from then to its last known text.")
@click.option("--reverse", metavar="SESSION", help="Print the patch that takes a session back.")
@click.option("-o", "--output", type=file_path, metavar="FILE", help="Write to a file.")
@archive_option
@root_option
@no_sync_option
@json_option
def command(path: str, roots: tuple[Path, ...], **chosen: Any) -> None:
    """Find a file at a moment and print it."""
    options = FileOptions(**chosen)
    if options.reverse is not None and (options.at is not None or options.as_json):
        raise UsageError("--reverse cannot be combined with --at or --json")
    if options.diff and options.at is None:
        raise UsageError("--diff requires --at")
    if options.reverse is not None:
        _print_reverse(path, options.reverse, roots, options)
        return
    source = _find(path, roots, options)
    if options.at is None:
        _print_versions(source, options)
        return
    _print_moment(_moment(source, options.at), source, options)


def _find(path: str, roots: Sequence[Path], options: FileOptions) -> _Source:
    if options.session is not None:
        conversation, replay = load_replay(options.session, roots)
        known = sorted({version.path for version in replay.versions})
        return _Source(_choose_path(path, known, replay.cwd), (replay,), conversation)
    with fresh_archive(roots, no_sync=options.no_sync) as archive:
        chosen = _archived_path(archive, path)
        return _Source(chosen, tuple(archive.file_replays(chosen)))


def _archived_path(archive: Archive, path: str) -> str:
    full = os.path.abspath(path)  # noqa: PTH100 (keeps links as the session wrote them)
    known = archive.file_paths(full) or archive.file_paths(path)
    return _choose_path(path, known, "")


def _choose_path(path: str, known: Sequence[str], cwd: str) -> str:
    """Choose the one file that is meant: by its full path, the end of it, or a part of its name.

    Raises:
        NotFoundError: No session touched such a file, or several are meant.
    """
    full = os.path.abspath(path)  # noqa: PTH100
    for name in (path, full, f"{cwd}/{path}"):
        if name in known:
            return name
    end = path.replace("\\", "/").removeprefix("./")
    spelled = {name: name.replace("\\", "/") for name in known}
    found = [name for name in known if spelled[name].endswith(f"/{end}")]
    called = f"end with {path!r}"
    if not found:
        part = end.casefold()
        found = [n for n in known if part in spelled[n].rpartition("/")[2].casefold()]
        called = f"have {path!r} in their name"
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError(f"no session read or changed {path!r}; `clew list files` lists files")
    named = ", ".join(found[:_MOST_PATHS])
    raise NotFoundError(f"{len(found)} files {called}: {named}; use a longer path")


def _moment(source: _Source, at: str) -> FileMoment:
    """Find a file at a message or a time.

    Raises:
        NotFoundError: It is neither a time nor a message of a session that touched the file.
    """
    for replay in source.replays:
        found = at_message(replay, source.path, _message_id(source.conversation, at))
        if found is not None:
            return found
    moment = parse_until(at, dt.datetime.now().astimezone())
    if moment is None:
        raise NotFoundError(
            f"no message {at!r} in the sessions that touched the file, and no time; "
            f"write a time as {MOMENT_EXAMPLES}"
        )
    return at_time(source.replays, source.path, format_time(moment))


def _message_id(conversation: Conversation | None, name: str) -> str:
    """Return the id of a message that is named by one of its entries or by one of its calls."""
    for message in () if conversation is None else conversation.messages:
        if name in message.entry_ids:
            return message.id
    calls = () if conversation is None else conversation.tool_calls
    return next((call.message_id for call in calls if call.id == name), name)


def _print_moment(moment: FileMoment, source: _Source, options: FileOptions) -> None:
    diff = _diff_since(moment, source) if options.diff else None
    if options.as_json:
        write_json(answer_file(moment, diff))
        return
    shown = moment.text if diff is None else diff
    if shown is None:
        raise NotFoundError(_why_no_text(moment))
    if moment.stale_since is not None:
        click.echo(visible(f"{moment.state}: {describe_cause(moment.stale_since)}"), err=True)
    elif moment.state is Certainty.TOLD:
        click.echo(f"{moment.state}: rests on what the client noticed of a command", err=True)
    _write(shown, options)


def _why_no_text(moment: FileMoment) -> str:
    if moment.exists is False:
        return f"{moment.path} did not exist at that moment"
    return f"nothing shows the text of {moment.path} at that moment; `clew file` lists its versions"


def _diff_since(moment: FileMoment, source: _Source) -> str | None:
    """Compare the file at a moment with its last known text."""
    then = FileState(moment.state, moment.text, moment.exists)
    last = last_known(source.replays, source.path)
    if not then.is_known or not last.is_known:
        return None
    replay = source.replays[-1]
    name = short_path(source.path, replay.project or replay.cwd).replace("\\", "/")
    return file_patch(name.lstrip("/"), then, last)


def _write(text: str, options: FileOptions) -> None:
    data = text.encode("utf-8", "surrogatepass")
    if options.output is not None and options.output != Path("-"):
        write_file(options.output, [data])
    elif sys.stdout.isatty():
        click.echo(visible_lines(text), nl=not text.endswith("\n"))
    else:
        sys.stdout.buffer.write(data)


def _print_versions(source: _Source, options: FileOptions) -> None:
    history = join_histories(source.replays).get(source.path)
    versions = shown_versions(history.versions if history else ())
    if options.as_json:
        write_json(answer_versions(source.path, versions))
        return
    from clew.cli.file_text import print_versions

    print_versions(source.path, versions, make_console())


def _print_reverse(path: str, session: str, roots: Sequence[Path], options: FileOptions) -> None:
    conversation, replay = load_replay(session, roots)
    changes = find_changes(conversation, replay)
    known = [file.path for file in changes.files]
    chosen = _choose_path(path, known, conversation.session.cwd)
    files = [file for file in changes.files if file.path == chosen]
    patch = make_patch(files, changes.project, reverse=True)
    for file, reason in patch.left_out:
        raise NotFoundError(f"the changes of {file.name} cannot be taken back: {reason}")
    for file in patch.files:
        for state, reason in file.doubts:
            click.echo(visible(f"{state}: {file.name}: {reason}"), err=True)
    _write(patch.text, options)
