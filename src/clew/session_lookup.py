"""Sessions by their names: on the disk or, if they are gone from there, in the archive."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, NoReturn

from clew.clock import milliseconds
from clew.conversation import Conversation, build
from clew.errors import SessionNotFoundError
from clew.sessions import SessionFiles, find, group_sessions, list_files, load_files
from clew.source import LATEST
from clew.store import ArchiveReader, read_material

_MILLISECOND_NS: Final = 1_000_000


def build_session(reader: ArchiveReader, name: str) -> Conversation:
    """Build one session from the archive; `name` is an id, a unique prefix or `latest`."""
    return build(read_material(reader, reader.find_session(name)))


def load_session(
    reader: ArchiveReader | None, target: str | os.PathLike[str], roots: Sequence[Path] | None
) -> Conversation:
    """Build one session, from the disk if it is there; without a reader there is no archive."""
    name = os.fspath(target)
    if name == LATEST and not Path(name).exists():
        return _load_latest(reader, roots)
    try:
        session, files = find(target, roots)
    except SessionNotFoundError:
        found = locate_session(reader, name, roots)
        if reader is None:
            _refuse(name)
        return build_session(reader, found)
    _refuse_twins(reader, name, session.session_id)
    return load_files(session, files)


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


def _load_latest(reader: ArchiveReader | None, roots: Sequence[Path] | None) -> Conversation:
    """Build the latest session of all: the one written to last, unless a later one is gone."""
    files = list_files(roots)
    sessions = group_sessions(files)
    archived = reader.latest() if reader is not None else None
    if sessions and (archived is None or not _is_later(*archived, sessions)):
        return load_files(sessions[0], files)
    if reader is None or archived is None:
        _refuse(LATEST)
    return build_session(reader, archived[0])


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
