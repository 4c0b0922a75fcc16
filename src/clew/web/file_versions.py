"""The versions of a file through the sessions that touched it, for pages and the API."""

from typing import Final

import msgspec

from clew.archive import FilterSet, Order
from clew.errors import NotFoundError
from clew.replay import SessionReplay, Version, join_histories, shown_versions
from clew.store import FileUse, Home
from clew.web.cache import ArchiveCache

_MOST_SESSIONS: Final = 30


def find_uses(cache: ArchiveCache, path: str) -> list[FileUse]:
    """Return the sessions that touched a file, hidden ones too: they are part of its history.

    Raises:
        NotFoundError: None did.
    """
    uses = list(cache.archive.file_uses(path, FilterSet(), Order(with_hidden=True)))
    if not uses:
        raise NotFoundError(f"no session read or changed {path[:200]!r}")
    return uses


def find_replays(cache: ArchiveCache, path: str, uses: list[FileUse]) -> list[SessionReplay]:
    """Return what the latest sessions did to one file, the first session first."""
    names = dict.fromkeys(use.session_id for use in uses if use.path == path)
    replays = [_of_file(cache, name, path) for name in list(names)[:_MOST_SESSIONS]]
    return sorted(replays, key=lambda replay: (replay.started_at, replay.session_id))


def find_versions(replays: list[SessionReplay], path: str) -> list[Version]:
    """Return the versions of a file that differ from the ones before them."""
    history = join_histories(replays).get(path)
    return shown_versions(history.versions if history else ())


def _of_file(cache: ArchiveCache, session_id: str, path: str) -> SessionReplay:
    """Keep what concerns one file, under the id that addresses have for the session."""
    whole = replay_of(cache, session_id)
    versions = [each for each in whole.versions if each.path == path]
    own = [msgspec.structs.replace(each, session_id=session_id) for each in versions]
    return msgspec.structs.replace(whole, session_id=session_id, versions=tuple(own))


def replay_of(cache: ArchiveCache, session_id: str) -> SessionReplay:
    """Return the replay of a session: from the archive's cache, or of the session in memory."""
    version = cache.session_version(session_id)
    if isinstance(cache.archive.location, Home) and cache.is_archived(session_id):
        return cache.archive.replay(session_id)
    return cache.with_session(session_id, version, lambda session: session.replay)
