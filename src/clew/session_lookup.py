"""Sessions by their names: on the disk or, if they are gone from there, in the archive."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, NoReturn

from clew.backups import Backup, read_backups
from clew.clock import milliseconds
from clew.conversation import Conversation, Material, build, with_digest_title, with_own_title
from clew.errors import NotFoundError, SessionNotFoundError
from clew.sessions import (
    SessionFiles,
    find,
    gather,
    group_sessions,
    link_neighbours,
    list_files,
)
from clew.source import LATEST
from clew.store import ArchiveReader, read_digest_title, read_material, read_own_title

_MILLISECOND_NS: Final = 1_000_000


def build_session(reader: ArchiveReader, name: str) -> Conversation:
    """Build one session from the archive; `name` is an id, a unique prefix or `latest`."""
    return _named(reader, build(read_material(reader, reader.find_session(name))))


def load_session(
    reader: ArchiveReader | None, target: str | os.PathLike[str], roots: Sequence[Path] | None
) -> Conversation:
    """Build one session, from the disk if it is there; without a reader there is no archive."""
    return _named(reader, build(load_session_material(reader, target, roots)))


def load_session_material(
    reader: ArchiveReader | None, target: str | os.PathLike[str], roots: Sequence[Path] | None
) -> Material:
    """Read all of one session, from the disk if it is there."""
    name = os.fspath(target)
    if name == LATEST and not Path(name).exists():
        return _load_latest(reader, roots)
    try:
        session, files = find(target, roots)
    except SessionNotFoundError:
        found = locate_session(reader, name, roots)
        if reader is None:
            _refuse(name)
        return read_material(reader, found)
    _refuse_twins(reader, name, session.session_id)
    return link_neighbours(gather(session), session, files)


def locate_session(reader: ArchiveReader | None, name: str, roots: Sequence[Path] | None) -> str:
    """Return the full id of a session on the disk or in the archive, without reading any."""
    here = group_sessions(list_files(roots))
    if name == LATEST:
        archived = reader.latest() if reader is not None else None
        if archived is not None and (not here or _is_later(*archived, here)):
            return archived[0]
        return here[0].session_id if here else _refuse(name)
    found = set(reader.sessions_named(name)) if reader is not None else set[str]()
    found |= {s.session_id for s in here if s.session_id.startswith(name)}
    ids = {name} if name in found else found
    return ids.pop() if len(ids) == 1 else _refuse(name, ids)


def load_backups(
    reader: ArchiveReader | None, target: str, roots: Sequence[Path] | None
) -> tuple[Backup, ...]:
    """Read the copies that the client made of a session's files, on the disk or archived."""
    try:
        session, _ = find(target, roots)
    except NotFoundError:
        return () if reader is None else archived_backups(reader, reader.find_session(target))
    return read_backups(session)


def archived_backups(reader: ArchiveReader, session_id: str) -> tuple[Backup, ...]:
    """Read the backups of a session's files from the archive."""
    kept = {file.as_source().path: file for file in reader.session_files(session_id)}
    session = SessionFiles(session_id, tuple(file.as_source() for file in kept.values()))
    return read_backups(session, lambda file: reader.read_file(kept[file.path]))


def _load_latest(reader: ArchiveReader | None, roots: Sequence[Path] | None) -> Material:
    """Read the latest session of all: the one written to last, unless a later one is gone."""
    files = list_files(roots)
    sessions = group_sessions(files)
    archived = reader.latest() if reader is not None else None
    if sessions and (archived is None or not _is_later(*archived, sessions)):
        return link_neighbours(gather(sessions[0]), sessions[0], files)
    if reader is None or archived is None:
        _refuse(LATEST)
    return read_material(reader, archived[0])


def _named(reader: ArchiveReader | None, conversation: Conversation) -> Conversation:
    """Let a note name a session, or a digest one that nobody gave a title."""
    if reader is None:
        return conversation
    name = conversation.session.id
    named = with_digest_title(conversation, read_digest_title(reader.database, name))
    return with_own_title(named, read_own_title(reader.database, name))


def _refuse_twins(reader: ArchiveReader | None, name: str, session_id: str) -> None:
    """Make sure that the beginning of an id does not also mean a session that is gone."""
    if reader is None or not session_id.startswith(name) or session_id == name:
        return
    ids = {*reader.sessions_named(name), session_id}
    if len(ids) > 1:
        _refuse(name, ids)


def _is_later(archived_id: str, ended_at: str, sessions: Sequence[SessionFiles]) -> bool:
    """Tell whether an archived session is gone from the disk, and ended after all others."""
    if any(session.session_id == archived_id for session in sessions):
        return False
    ended = milliseconds(ended_at)
    return ended is not None and ended > sessions[0].modified_ns // _MILLISECOND_NS


def _refuse(name: str, matches: Collection[str] = ()) -> NoReturn:
    raise SessionNotFoundError(name, matches)
