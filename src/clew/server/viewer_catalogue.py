"""All sessions that a viewer sees; only those of owners who have written are read again."""

import hashlib
import threading
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec

from clew.server.viewer_archive import SeenSession, ViewerArchive
from clew.server.written import WriteMarks
from clew.store import SessionOverview
from clew.web.cache import Catalogue
from clew.web.lru_cache import LruCache

# Lists of sessions are in memory, about two kilobytes for each session.
_MOST_KEPT: Final = 100_000


class ViewerCatalogue(Catalogue, frozen=True):
    """All sessions that a viewer sees, whose each of them is, and its version."""

    seen: dict[str, SeenSession]
    versions: dict[SeenSession, str]


class OwnerSessions(msgspec.Struct, frozen=True):
    """The sessions of one owner that a viewer sees, what lists show of them, and its hash."""

    versions: dict[SeenSession, str]
    rows: dict[int, SessionOverview]
    hash: str


class SharedLists:
    """Lists that several viewers have in common: of an owner's sessions, in the same scopes.

    Each is what the database has for one number of changes, which grows with whatever changes who
    sees what. Viewers who look at the same time wait for the one who reads.
    """

    def __init__(self) -> None:
        self.reading = threading.Lock()
        self._lock = threading.Lock()
        self._owners = LruCache(_MOST_KEPT)
        self._joined = LruCache(_MOST_KEPT)

    def find(self, owner: int, number: int, written: WriteMarks) -> OwnerSessions | None:
        """Return the sessions of an owner as a viewer sees them, if somebody has read them."""
        with self._lock:
            found: OwnerSessions | None = self._owners.get(*_key(owner, number, written))
        return found

    def add(self, owner: int, number: int, written: WriteMarks, found: OwnerSessions) -> None:
        """Keep what was read for a viewer, or for all who have the same scopes."""
        key, version = _key(owner, number, written)
        with self._lock:
            self._owners.put(key, version, found, len(found.rows) + 1)

    def join(self, version: str, owners: Mapping[int, OwnerSessions]) -> ViewerCatalogue:
        """Make the list of all sessions of some owners, unless somebody has."""
        with self._lock:
            known: ViewerCatalogue | None = self._joined.get(version, version)
        if known is None:
            known = _join(version, owners)
            with self._lock:
                self._joined.put(version, version, known, len(known.sessions) + 1)
        return known


def _key(owner: int, number: int, written: WriteMarks) -> tuple[tuple[Any, ...], str]:
    """Return for whom a list is the same, and its version."""
    viewer = written.member_id if _is_personal(owner, written) else None
    notes = written.notes.get(owner, "")
    return (owner, written.scopes, viewer), f"{number} {written.marks} {notes}"


def _is_personal(owner: int, written: WriteMarks) -> bool:
    """Return whether a viewer's list of an owner's sessions is like nobody else's."""
    return owner == written.member_id or owner in written.notes


class CatalogueReader:
    """Reads the list of all sessions that a viewer sees.

    While devices push, somebody writes all the time, but few of many owners do between two pages.
    """

    def __init__(self, shared: SharedLists | None = None) -> None:
        self.listed: ViewerCatalogue | None = None
        self._shared = shared
        self._written: WriteMarks | None = None
        self._owners: dict[int, OwnerSessions] = {}
        self._changes: dict[int, int] = {}
        self._marks: tuple[str, ...] = ()

    def read(self, archive: ViewerArchive, written: WriteMarks | None = None) -> ViewerCatalogue:
        """Return all sessions as they are now, or at least as they were when that was written."""
        if self.listed is not None and written is not None and written == self._written:
            return self.listed
        if written is not None and self._shared is not None:
            self._read_shared(archive, written, self._shared)
        else:
            self._read_own(archive)
        self._written = written
        return self._join()

    def _read_own(self, archive: ViewerArchive) -> None:
        """Read what has changed of each owner, whoever else has read it."""
        with archive.snapshot():
            changes, marks = archive.changes_of_owners(), archive.marks()
            known = self._changes if marks == self._marks else {}
            written = {owner for owner, number in changes.items() if known.get(owner) != number}
            read = _sessions_of(archive, written)
        self._owners = {**{each: self._owners[each] for each in changes.keys() - written}, **read}
        self._changes, self._marks = changes, marks

    def _read_shared(
        self, archive: ViewerArchive, written: WriteMarks, shared: SharedLists
    ) -> None:
        """Take what others have read, and read the rest for all of them."""
        found, missing = _find_shared(shared, archive.changes_of_owners(), written)
        if missing:
            with shared.reading:
                found = _read_missing(archive, written, shared)
        # Whatever reads without the others does not know how this was read.
        self._owners, self._changes, self._marks = found, {}, ()

    def _join(self) -> ViewerCatalogue:
        owners = self._owners
        hashes = "".join(owners[owner].hash for owner in sorted(owners))
        version = hashlib.blake2b(hashes.encode(), digest_size=16).hexdigest()
        if self.listed is None or self.listed.version != version:
            shared = self._shared
            self.listed = shared.join(version, owners) if shared else _join(version, owners)
        return self.listed


def _read_missing(
    archive: ViewerArchive, written: WriteMarks, shared: SharedLists
) -> dict[int, OwnerSessions]:
    """Read the lists that nobody has read; what others get has nothing of the viewer's own."""
    found, missing = _find_shared(shared, archive.changes_of_owners(), written)
    personal = {owner for owner in missing if _is_personal(owner, written)}
    if missing - personal:
        with archive.impersonal(written.scopes) as impersonal:
            found |= _read_for_all(impersonal, missing - personal, written, shared)
    return found | _read_for_all(archive, personal, written, shared)


def _read_for_all(
    archive: ViewerArchive, owners: Collection[int], written: WriteMarks, shared: SharedLists
) -> dict[int, OwnerSessions]:
    if not owners:
        return {}
    with archive.snapshot():
        changes = archive.changes_of_owners()
        read = _sessions_of(archive, changes.keys() & owners)
    for owner, own in read.items():
        shared.add(owner, changes[owner], written, own)
    return read


def _find_shared(
    shared: SharedLists, changes: Mapping[int, int], written: WriteMarks
) -> tuple[dict[int, OwnerSessions], set[int]]:
    """Return the lists of owners that somebody has read, and the owners of whom nobody has."""
    each = {owner: shared.find(owner, number, written) for owner, number in changes.items()}
    found = {owner: one for owner, one in each.items() if one is not None}
    return found, each.keys() - found.keys()


def _sessions_of(archive: ViewerArchive, owners: Collection[int]) -> dict[int, OwnerSessions]:
    if not owners:
        return {}
    versions = archive.versions_of_owners(owners)
    rows = archive.rows_of_owners(owners)
    found: dict[int, OwnerSessions] = {}
    for owner, of_owner in versions.items():
        own = {one.key: rows[one.key] for one in of_owner}
        content = msgspec.msgpack.encode((owner, tuple(of_owner.items()), own))
        found[owner] = OwnerSessions(of_owner, own, hashlib.blake2b(content).hexdigest())
    return found


def _join(version: str, owners: Mapping[int, OwnerSessions]) -> ViewerCatalogue:
    """Name each session by its id or, if several have that, by its key; the latest first."""
    versions = {one: own for owned in owners.values() for one, own in owned.versions.items()}
    seen = {one.key: one for one in versions}
    counts = Counter(one.id for one in versions)
    rows = {
        key: row if counts[row.id] == 1 else msgspec.structs.replace(row, id=seen[key].address)
        for owned in owners.values()
        for key, row in owned.rows.items()
    }
    keys = sorted(rows, key=lambda key: seen[key].id)
    keys.sort(key=lambda key: rows[key].ended_at or "", reverse=True)
    return ViewerCatalogue(
        version,
        tuple(rows[key] for key in keys),
        {rows[key].id: rows[key] for key in keys},
        {rows[key].id: seen[key] for key in keys},
        versions,
    )
