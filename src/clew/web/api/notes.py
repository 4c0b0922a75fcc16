"""Own notes: what whoever reads adds to sessions, and changes; nobody else sees it."""

from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from litestar import Response, Router, post
from litestar.params import JSONBody

from clew.notes import Bookmark, NoteChange, SessionNote
from clew.render.html.escaping import anchor
from clew.web.api.routes import documented, json_route
from clew.web.params import Id, require_id
from clew.web.responses import AppRequest, respond_json
from clew.web.session_cache import OpenSession
from clew.web.state import archived_session_of, cache_of

_SESSION: Final = "/api/sessions/{session_id:str}"
_TAGS: Final = ["notes"]
_MOST_SESSIONS: Final = 1_000
# Longer ones are refused by name, with the limit; these only keep out what no one wrote.
Text = Annotated[str, msgspec.Meta(max_length=65_536)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Tags = Annotated[tuple[Text, ...], msgspec.Meta(max_length=100)]


class NoteAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The reader's own note of a session; without any, its fields are empty."""

    schema: str = "clew.note/1"
    note: SessionNote


class NoteList(msgspec.Struct, frozen=True, kw_only=True):
    """The reader's own notes, the last changed first."""

    schema: str = "clew.notes/1"
    notes: tuple[SessionNote, ...]


class NoteRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change of one note; what is left out stays as it is, `""` takes a text away."""

    title: Text | None = None
    text: Text | None = None
    star: bool | None = None
    hidden: bool | None = None
    add_tags: Tags = ()
    remove_tags: Tags = ()
    clear: bool = False


class NotesRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change of the notes of some sessions: all of them or none."""

    session_ids: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=_MOST_SESSIONS)]
    star: bool | None = None
    hidden: bool | None = None
    add_tags: Tags = ()
    remove_tags: Tags = ()


class BookmarkRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to bookmark, or with `remove` one to bookmark no longer."""

    message_id: Name
    comment: Text = ""
    remove: bool = False


@json_route(f"{_SESSION}/note", "note", "notes", NoteAnswer, "Your note of a session")
def note(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get your own note of a session: star, tags, title, text, bookmarks."""
    cache, version = archived_session_of(request, session_id)
    return respond_json(
        request, cache, version, lambda: NoteAnswer(note=cache.archive.note(session_id))
    )


@json_route("/api/notes", "notes", "notes", NoteList, "Your notes")
def notes(request: AppRequest) -> Response[bytes]:
    """List all of your own notes."""
    cache = cache_of(request)
    return respond_json(
        request, cache, cache.version(), lambda: NoteList(notes=tuple(cache.archive.notes()))
    )


@post(
    "/api/notes",
    sync_to_thread=True,
    status_code=200,
    tags=_TAGS,
    operation_id="changeNotes",
    responses=documented(NoteList, "The notes as they are now"),
)
def change_notes(request: AppRequest, data: JSONBody[NotesRequest]) -> NoteList:
    """Star, tag or hide several sessions at once; all of them change, or none."""
    change = NoteChange(
        star=data.star, hidden=data.hidden, add_tags=data.add_tags, remove_tags=data.remove_tags
    )
    return NoteList(notes=tuple(_change(request, data.session_ids, change)))


@post(
    f"{_SESSION}/note",
    sync_to_thread=True,
    status_code=200,
    tags=_TAGS,
    operation_id="changeNote",
    responses=documented(NoteAnswer, "The note as it is now"),
)
def change_note(request: AppRequest, session_id: Id, data: JSONBody[NoteRequest]) -> NoteAnswer:
    """Change your own note of a session."""
    [changed] = _change(request, [session_id], NoteChange(**msgspec.structs.asdict(data)))
    return NoteAnswer(note=changed)


@post(
    f"{_SESSION}/bookmarks",
    sync_to_thread=True,
    status_code=200,
    tags=_TAGS,
    operation_id="bookmark",
    responses=documented(NoteAnswer, "The note as it is now"),
)
def bookmark(request: AppRequest, session_id: Id, data: JSONBody[BookmarkRequest]) -> NoteAnswer:
    """Bookmark a message of a session with a comment, or remove a bookmark."""
    name = _message_id(request, session_id, data.message_id)
    if data.remove:
        change = NoteChange(remove_bookmarks=(name,))
    else:
        change = NoteChange(add_bookmarks=(Bookmark(name, data.comment),))
    [changed] = _change(request, [session_id], change)
    return NoteAnswer(note=changed)


def _message_id(request: AppRequest, session_id: str, name: str) -> str:
    """Return the id of a message, which pages may call by its element's id: that has no `:`."""
    if "." not in name:
        return name
    cache, version = archived_session_of(request, session_id)

    def find(session: OpenSession) -> str:
        messages = session.index.conversation.messages
        element = f"m-{name}"
        return next((one.id for one in messages if anchor("m", one.id) == element), name)

    return cache.with_session(session_id, version, find)


def _change(
    request: AppRequest, session_ids: Iterable[str], change: NoteChange
) -> list[SessionNote]:
    """Change notes of sessions that the reader sees."""
    cache = cache_of(request)
    names = list(dict.fromkeys(cache.full_id(require_id(name)) for name in session_ids))
    for name in names:
        cache.require_archived(name)
    changed = cache.archive.change_notes(names, change)
    cache.invalidate_catalogue()
    return changed


# Handlers that share a path must come to the app together, as one router.
NOTE_ROUTES: Final = Router("/", route_handlers=[note, notes, change_notes, change_note, bookmark])
