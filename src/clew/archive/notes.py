"""ArchiveNotes: what readers add to sessions, and how they change it."""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from clew.archive.opened import OpenedArchive
from clew.clock import format_time
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.notes import NoteChange, SessionNote
    from clew.store import SessionName


class ArchiveNotes(OpenedArchive):
    """Stars, tags, notes, own titles and bookmarks: kept apart from what is derived.

    They are those of whoever reads: on a team server nobody sees the notes of anybody else.
    """

    def note(self, name: str) -> "SessionNote":
        """Return the reader's note of a session, which may be empty; `name` as in `find_session`.

        Raises:
            SessionNotFoundError: No session has that id, or several have.
        """
        from clew.notes import SessionNote
        from clew.store import read_notes

        owner, session_id = self._session_name(name)
        found = read_notes(self._reader.database, [session_id], owner)
        return found.get((owner, session_id)) or SessionNote(session_id=session_id)

    def kept_note(self, session_id: str) -> "SessionNote | None":
        """Return the reader's note of a session; None if there is none, or no such session."""
        from clew.store import read_notes

        found = read_notes(self._reader.database, [session_id]) if self.exists else {}
        return next((note for note in found.values() if not note.is_empty), None)

    def notes(self) -> "list[SessionNote]":
        """List all notes of the reader that are not empty, the last changed first."""
        from clew.store import read_notes

        if not self.exists:
            return []
        return [note for note in read_notes(self._reader.database).values() if not note.is_empty]

    def change_notes(
        self, names: Iterable[str], change: "NoteChange", now: dt.datetime | None = None
    ) -> "list[SessionNote]":
        """Change the reader's notes of some sessions, all or none; return them as they are now.

        Bookmarks name messages by their ids or the beginnings of them.

        Raises:
            UsageError: Nothing is to be changed, or something is too long.
            NotFoundError: There is no such session or message.
            ArchiveUnavailableError: The archive cannot be written.
        """
        from clew.notes import change_note
        from clew.store import change_notes

        sessions = [self._session_name(name) for name in names]
        if change.is_empty:
            raise UsageError("nothing to change; name a star, a tag, a title, a text or a bookmark")
        marked = change.add_bookmarks or change.remove_bookmarks
        if marked and len(sessions) > 1:
            raise UsageError("a bookmark belongs to one session; name only that one")
        if marked:
            change = self._with_messages(sessions[0], change)
        at = format_time(dt.datetime.now(dt.UTC) if now is None else now)
        return change_notes(self.location, sessions, lambda note: change_note(note, change, at))

    def import_notes(self, lines: Iterable[bytes]) -> int:
        """Keep the notes in lines that `export_notes` wrote, unless there are later ones; count.

        Raises:
            UsageError: A line is not a note; nothing was changed.
        """
        from clew.store import import_notes

        _ = self._reader
        return import_notes(self.location, lines)

    def export_notes(self, session_ids: Collection[str] | None = None) -> Iterator[bytes]:
        """Return all notes, or those of some sessions, as lines of JSON."""
        from clew.store import export_notes

        chosen = (
            note for note in self.notes() if session_ids is None or note.session_id in session_ids
        )
        return export_notes(chosen)

    def _session_name(self, name: str) -> "SessionName":
        """Return whose session it is, and its id."""
        owner: int = getattr(self.location, "owner", 0)
        return owner, self._reader.find_session(name)

    def _message_id(self, session: "SessionName", name: str) -> str:
        """Return the id of a message of a session, given all of it or the beginning."""
        from clew.store import find_message_id

        return find_message_id(self._reader.database, session[1], name)

    def _with_messages(self, session: "SessionName", change: "NoteChange") -> "NoteChange":
        """Return a change whose bookmarks name messages that the session has."""
        from clew.store import read_notes

        notes = read_notes(self._reader.database, [session[1]], session[0])
        known = {one.message_id for note in notes.values() for one in note.bookmarks}
        added = tuple(
            msgspec.structs.replace(one, message_id=self._message_id(session, one.message_id))
            for one in change.add_bookmarks
        )
        # What was bookmarked may be gone from the session.
        removed = tuple(
            name if name in known else self._message_id(session, name)
            for name in change.remove_bookmarks
        )
        return msgspec.structs.replace(change, add_bookmarks=added, remove_bookmarks=removed)
