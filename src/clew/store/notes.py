"""What readers add to sessions: kept in rows and, in a folder's archive, as small files.

Nothing can derive it again, so a database that was lost gets it back from the files.
"""

import hashlib
import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from clew.errors import NotFoundError, UsageError
from clew.notes import Bookmark, SessionNote, clean_note
from clew.store.filters import decode_names
from clew.store.home import Home
from clew.store.location import Location, open_index_for_writing, translate_errors
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import Database
from clew.writing import whole_file

SessionName: TypeAlias = tuple[int, str]
"""Whose session it is, and its id."""
ChangeNote: TypeAlias = Callable[[SessionNote], SessionNote]

_NAME_LENGTH: Final = 32
_log: Final = logging.getLogger(__name__)
_note: Final = msgspec.json.Decoder(SessionNote)


def read_notes(
    database: Database, session_ids: Collection[str] | None = None, owner: int | None = None
) -> dict[SessionName, SessionNote]:
    """Return the reader's notes of all sessions or of some, the last changed first.

    Those that were cleared are among them.
    """
    values = {"sessions": None if session_ids is None else sorted(session_ids), "of": owner}
    bookmarks: dict[SessionName, list[Bookmark]] = {}
    for of, name, *words in database.rows("bookmarks_of_viewer", values):
        bookmarks.setdefault((of, name), []).append(Bookmark(*words))
    found = {}
    for row in database.records("notes_of_viewer", values):
        name = (row.pop("owner"), row["session_id"])
        row["tags"] = tuple(decode_names(row["tags"]))
        row["is_starred"], row["is_hidden"] = bool(row["is_starred"]), bool(row["is_hidden"])
        found[name] = SessionNote(**row, bookmarks=tuple(bookmarks.get(name, ())))
    return found


def read_own_title(database: Database, session_id: str) -> str:
    """Return what the reader calls a session; nothing if they gave it no title."""
    row = next(database.rows("own_title_of_session", {"session": session_id}), None)
    return "" if row is None else str(row[0])


def find_message_id(database: Database, session_id: str, name: str) -> str:
    """Return the id of a message, given all of it or the beginning.

    Raises:
        NotFoundError: The session has no such message, or several.
    """
    found = [str(row[0]) for row in _named(database, session_id, name)]
    if name not in found and len(found) != 1:
        several = "several messages" if found else "no message"
        raise NotFoundError(
            f"session {session_id} has {several} whose id starts with {name[:80]!r}; "
            f"`clew show {session_id} --format json` lists them"
        )
    return name if name in found else found[0]


def _named(database: Database, session_id: str, name: str) -> Iterator[tuple[object, ...]]:
    return database.rows("messages_named", {"session": session_id, "name": name or "\n"})


def change_notes(
    location: Location, names: Iterable[SessionName], change: ChangeNote
) -> list[SessionNote]:
    """Change the notes of some sessions, all or none; return them as they are now.

    Raises:
        UsageError: A change cannot be made.
        ArchiveBusyError: Another process writes to the archive for too long.
        ArchiveUnavailableError: It cannot be reached or written.
    """
    chosen = list(dict.fromkeys(names))
    with _opened(location) as database, database.transaction():
        known = read_notes(database, [name for _, name in chosen])
        changed = {
            name: change(known.get(name) or SessionNote(session_id=name[1])) for name in chosen
        }
        for (owner, _), note in changed.items():
            _write_row(database, note, owner)
        # The files last: what the database refuses is in none of them.
        for note in changed.values():
            _write_file(location, note)
    return list(changed.values())


def recover_notes(database: Database, location: Location) -> int:
    """Write the rows of notes that only their files have, and count them."""
    if not isinstance(location, Home) or not location.notes.is_dir():
        return 0
    known = {note_path(location, name) for _, name in read_notes(database)}
    lost = [path for path in sorted(location.notes.glob("*.json")) if path not in known]
    found = [note for path in lost for note in _read_file(path)]
    if found:
        with database.transaction():
            for note in found:
                _write_row(database, note, 0)
    return len(found)


def copy_notes(source: Database, target: Database, location: Location) -> int:
    """Keep the notes of one archive in another one, unless it has later ones; count them."""
    own = (note for note in read_notes(source).values())
    return merge_notes(target, location, own)


def merge_notes(database: Database, location: Location, notes: Iterable[SessionNote]) -> int:
    """Keep notes of the reader's own sessions, unless there are later ones; count them."""
    owner = location.owner if isinstance(location, PostgresLocation) else 0
    there = read_notes(database, owner=owner)
    count = 0
    with database.transaction():
        for note in notes:
            known = there.get((owner, note.session_id))
            if known is None or known.changed_at < note.changed_at:
                _write_row(database, note, owner)
                _write_file(location, note)
                there[(owner, note.session_id)] = note
                count += 1
    return count


def import_notes(location: Location, lines: Iterable[bytes]) -> int:
    """Keep the notes of a file that `export_notes` wrote, unless there are later ones.

    Raises:
        UsageError: A line is not a note; nothing was changed.
    """
    notes = [_read_line(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    with _opened(location) as database:
        return merge_notes(database, location, notes)


def export_notes(notes: Iterable[SessionNote]) -> Iterator[bytes]:
    """Return notes as lines of JSON, which `import_notes` reads."""
    for note in notes:
        yield msgspec.json.encode(note) + b"\n"


def note_path(home: Home, session_id: str) -> Path:
    """Return the file of a session's note, which its id names, whatever characters that has."""
    name = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return home.notes / f"{name[:_NAME_LENGTH]}.json"


@contextmanager
def _opened(location: Location) -> Iterator[Database]:
    """Open the database as the reader's own: a viewer of a team writes nothing but their notes."""
    own = location
    if isinstance(location, PostgresLocation) and location.scopes is not None:
        own = msgspec.structs.replace(location, owner=location.viewer, scopes=None)
    with translate_errors(own):
        database = open_index_for_writing(own).database
        try:
            yield database
        finally:
            database.close()


def _write_row(database: Database, note: SessionNote, owner: int) -> None:
    values = {
        "of": owner,
        "session": note.session_id,
        "is_starred": int(note.is_starred),
        "is_hidden": int(note.is_hidden),
        "title": note.title,
        "tags": msgspec.json.encode(note.tags).decode(),
        "text": note.text,
        "changed_at": note.changed_at,
    }
    database.run("set_note", values)
    database.run("delete_bookmarks", values)
    for one in note.bookmarks:
        marked = {"message": one.message_id, "comment": one.comment, "made_at": one.made_at}
        database.run("add_bookmark", {**values, **marked})


def _write_file(location: Location, note: SessionNote) -> None:
    if isinstance(location, Home):
        path = note_path(location, note.session_id)
        with whole_file(path, location.folder, mode=0o600, folder_mode=0o700) as stream:
            stream.write(msgspec.json.encode(note))


def _read_line(number: int, line: bytes) -> SessionNote:
    try:
        return clean_note(_note.decode(line))
    except (msgspec.DecodeError, UsageError) as error:
        raise UsageError(
            f"line {number} is not a note of `clew note export` ({error}); nothing was imported"
        ) from error


def _read_file(path: Path) -> Iterator[SessionNote]:
    """Return the note in a file, if it is one: another program may have written there."""
    try:
        yield clean_note(_note.decode(path.read_bytes()))
    except (OSError, msgspec.DecodeError, UsageError) as error:
        _log.warning("%s is not a note and is ignored: %s", path, error)
