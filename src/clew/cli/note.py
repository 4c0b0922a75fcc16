"""`clew note`: stars, tags, notes, own titles and bookmarks of sessions."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from clew.archive import Archive, open_archive
from clew.cli.list_formats import write_json_list
from clew.cli.options import archive_option, file_path, json_option, no_sync_option, root_option
from clew.cli.output import make_console, write_file
from clew.cli.refresh import fresh_archive
from clew.errors import NotFoundError, UsageError
from clew.figures import plural
from clew.notes import Bookmark, NoteChange, SessionNote, clean_text

SCHEMA: Final = "clew.notes/1"
_STDIN: Final = "-"
_HELP: Final = """\
Star, tag, rename, hide or annotate sessions.

Without SESSION, list all notes. With SESSION alone, show its note. SESSION is an id or the start of
one, or `latest`; several sessions get the same change.

Notes are stored in the archive, never in transcripts. They stay when the archive is rebuilt and
when Claude Code deletes a transcript, and they are part of exports. Your title replaces all others.
Hidden sessions are left out of lists and searches, but their usage counts.

`clew note export` writes all notes as JSON lines to the standard output or to a file (-o), and
`clew note import FILE` reads them again; of two notes of one session, the later one is kept.

\b
Examples:
  clew note                              list all notes
  clew note latest --star --tag bug      star the latest session, tag it
  clew note 3f2a --title "Retry bug"     give it your own title
  clew note 3f2a --text "Breaks on 503"  write a note
  clew note 3f2a --edit                  write it in your editor
  clew note 3f2a 91bc --hide             leave two sessions out of lists
  clew note 3f2a --bookmark 7c1e --comment "the cause"
  clew note 3f2a --clear                 delete all of it
  clew list --starred --tag bug          list what you have marked
  clew note export -o notes.jsonl        make a backup

\b
Exit codes:
  0  success
  1  the archive cannot be written
  2  usage error: a text that is too long, a tag that cannot be one
  3  no such session or message
"""


@click.command("note", help=_HELP)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@click.option("--star/--unstar", "star", default=None, help="Star it, or take the star away.")
@click.option("--tag", "add_tags", multiple=True, metavar="TAG", help="Add a tag. Repeatable.")
@click.option("--untag", "remove_tags", multiple=True, metavar="TAG", help="Remove a tag.")
@click.option("--title", metavar="TITLE", help='Your own title; "" removes it.')
@click.option("--text", metavar="TEXT", help='The note; "" removes it.')
@click.option("--edit", is_flag=True, help="Write the note in an editor ($EDITOR).")
@click.option("--hide/--show", "hidden", default=None, help="Leave it out of lists, or not.")
@click.option(
    "--bookmark",
    "bookmarks",
    multiple=True,
    metavar="MESSAGE",
    help="Bookmark a message, by its id or the start of it.",
)
@click.option("--comment", metavar="TEXT", help="Why; with --bookmark.")
@click.option(
    "--remove-bookmark",
    "remove_bookmarks",
    multiple=True,
    metavar="MESSAGE",
    help="Remove a bookmark.",
)
@click.option("--clear", is_flag=True, help="Delete all of the note first.")
@click.option(
    "-o", "--output", type=file_path, metavar="FILE", help="With `export`: the file to write."
)
@archive_option
@root_option
@no_sync_option
@json_option
def command(sessions: tuple[str, ...], **chosen: Any) -> None:
    """Print or change notes."""
    change = _read_change(chosen)
    action = sessions[0] if sessions else ""
    is_file = action in _FILE_ACTIONS
    if is_file and (not change.is_empty or chosen["edit"]):
        raise UsageError(f"`clew note {action}` changes no note; leave out the other options")
    if chosen["output"] is not None and action != "export":
        raise UsageError("-o works with `clew note export` only")
    if is_file:
        _FILE_ACTIONS[action](sessions[1:], chosen)
    elif not sessions:
        _list(change, chosen)
    else:
        _show_or_change(sessions, change, chosen)


def _read_change(chosen: dict[str, Any]) -> NoteChange:
    if chosen["comment"] is not None and not chosen["bookmarks"]:
        raise UsageError("--comment belongs to a bookmark; use --bookmark MESSAGE --comment TEXT")
    if chosen["edit"] and chosen["text"] is not None:
        raise UsageError("--text and --edit cannot be combined")
    fields = ("star", "hidden", "title", "text", "add_tags", "remove_tags", "remove_bookmarks")
    comment = chosen["comment"] or ""
    return NoteChange(
        clear=chosen["clear"],
        add_bookmarks=tuple(Bookmark(name, comment) for name in chosen["bookmarks"]),
        **{name: chosen[name] for name in fields},
    )


def _list(change: NoteChange, chosen: dict[str, Any]) -> None:
    if not change.is_empty or chosen["edit"]:
        raise UsageError(
            "name the sessions to change: `clew note SESSION …`, or `clew note latest`"
        )
    with open_archive() as archive:
        notes = archive.notes()
        titles = _titles(archive, notes)
    _print(notes, titles, as_json=chosen["as_json"])
    if not notes and not chosen["as_json"]:
        click.echo("No notes yet; `clew note SESSION --star` makes the first.", err=True)


def _show_or_change(sessions: Sequence[str], change: NoteChange, chosen: dict[str, Any]) -> None:
    roots: tuple[Path, ...] = chosen["roots"]
    with fresh_archive(roots, no_sync=chosen["no_sync"]) as archive:
        names = list(dict.fromkeys(archive.find_session(name) for name in sessions))
        if chosen["edit"]:
            change = msgspec.structs.replace(change, text=_edit(archive, names))
        if change.is_empty:
            notes = [archive.note(name) for name in names]
        else:
            notes = archive.change_notes(names, change)
        titles = _titles(archive, notes)
    _print(notes, titles, as_json=chosen["as_json"])


def _edit(archive: Archive, names: Sequence[str]) -> str:
    """Let the user write the note of one session."""
    if len(names) != 1:
        raise UsageError("--edit works with one session; use --text for several")
    before = archive.note(names[0]).text
    written = click.edit(f"{before}\n" if before else "", extension=".md", require_save=False)
    return clean_text(before if written is None else written)


def _export(words: Sequence[str], chosen: dict[str, Any]) -> None:
    with fresh_archive(chosen["roots"], no_sync=True) as archive:
        names = {archive.find_session(name) for name in words} if words else None
        lines = list(archive.export_notes(names))
    output: Path | None = chosen["output"]
    if output is None or str(output) == _STDIN:
        sys.stdout.buffer.writelines(lines)
        return
    write_file(output, lines)
    click.echo(f"{plural(len(lines), 'note')} written to {output}", err=True)


def _import(words: Sequence[str], chosen: dict[str, Any]) -> None:
    if len(words) != 1:
        raise UsageError("name one file: `clew note import FILE`, or - for the standard input")
    lines = list(_read_lines(words[0]))
    with open_archive() as archive:
        count = archive.import_notes(lines)
    if chosen["as_json"]:
        click.echo(msgspec.json.encode({"schema": "clew.notes_import/1", "imported": count}))
        return
    left = sum(bool(line.strip()) for line in lines) - count
    later = f"; {plural(left, 'note')} not newer than the archive's" if left else ""
    click.echo(f"{plural(count, 'note')} imported{later}", err=True)


def _read_lines(name: str) -> Iterator[bytes]:
    if name == _STDIN:
        yield from sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as stream:
            yield from stream
    except FileNotFoundError as error:
        raise NotFoundError(f"no such file: {name}; check the path") from error


_FILE_ACTIONS: Final = {"export": _export, "import": _import}


def _titles(archive: Archive, notes: Sequence[SessionNote]) -> dict[str, str]:
    if not archive.exists:
        return {}
    labels = archive.session_labels([note.session_id for note in notes])
    return {name: label.title for name, label in labels.items()}


def _print(notes: Sequence[SessionNote], titles: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        write_json_list(SCHEMA, "notes", notes)
        return
    from clew.cli.note_text import print_note

    console = make_console()
    for number, note in enumerate(notes):
        if number:
            console.print()
        print_note(note, titles.get(note.session_id, ""), console)
