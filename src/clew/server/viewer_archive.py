"""The archive as a viewer sees it: lists of all owners' sessions, each read as its owner's."""
# mypy: disable-error-code="explicit-override"
# `typing.override` comes with Python 3.12.

import datetime as dt
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final

import msgspec

from clew.analytics import FilterSet, UsageGroup
from clew.archive import EVERYTHING, LATEST_FIRST, Archive, Order
from clew.conversation import Conversation, Material
from clew.digest import SessionDigest
from clew.errors import AmbiguousSessionError, SessionNotFoundError
from clew.search import Results
from clew.store import (
    ArchivedFile,
    SessionName,
    SessionOverview,
    find_matching_sessions,
    list_keyed_sessions,
)
from clew.store.location import sealed_url
from clew.store.postgres_location import ANY_OWNER, NOBODY, PostgresLocation

_KEY: Final = re.compile(r"s([1-9][0-9]{0,17})")


class SeenSession(msgspec.Struct, frozen=True):
    """A session that a viewer may see: its key on the server, its id, and whose it is."""

    key: int
    id: str
    owner: int
    scope_id: int

    @property
    def address(self) -> str:
        """What it is called in addresses, which no other session is."""
        return f"s{self.key}"


class ViewerArchive(Archive):
    """An archive with the sessions of all owners in a viewer's scopes.

    A session is named by its key (`s12`), or by its id if no other one that the viewer sees has
    that; lists call it by its id, too, unless it is ambiguous.
    """

    def __init__(self, location: PostgresLocation) -> None:
        everybody = msgspec.structs.replace(location, owner=ANY_OWNER)
        super().__init__(everybody)
        self._place = everybody
        self._owners: dict[int, Archive] = {}

    def close(self) -> None:
        """Close the database."""
        super().close()
        for archive in self._owners.values():
            archive.close()
        self._owners.clear()

    def forget(self) -> None:
        """Free the memory of cached file contents."""
        super().forget()
        for archive in self._owners.values():
            archive.forget()

    def of_owner(self, owner: int) -> Archive:
        """Return the archive of one owner, with what the viewer may see of it."""
        if owner not in self._owners:
            self._owners[owner] = Archive(msgspec.structs.replace(self._place, owner=owner))
        return self._owners[owner]

    def impersonal(self, scopes: tuple[int, ...]) -> "ViewerArchive":
        """Return the archive as somebody sees it who has these scopes, and no notes."""
        return ViewerArchive(msgspec.structs.replace(self._place, viewer=NOBODY, scopes=scopes))

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all statements in it see the same rows."""
        return self._reader.database.snapshot()

    def version(self) -> str:
        """Return a text that changes whenever the viewer sees more, less or other sessions."""
        if not self.exists:
            return ""
        seen = next(self._reader.database.rows("seen_version"))
        return "-".join((super().version(), *map(str, seen)))

    def find(self, name: str) -> SeenSession:
        """Return the session of a key, or the only one of an id.

        Raises:
            SessionNotFoundError: The viewer sees no such session.
            AmbiguousSessionError: They see several of this id.
        """
        found = self.named(name)
        if not found:
            raise SessionNotFoundError(name)
        if len(found) > 1:
            raise AmbiguousSessionError(name, [one.address for one in found])
        return found[0]

    def named(self, name: str) -> list[SeenSession]:
        """Return the session of a key, or those of an id."""
        return self.all_named([name])

    def all_named(self, names: Iterable[str]) -> list[SeenSession]:
        """Return the sessions of some keys and ids."""
        chosen = set(names)
        keys = [int(key[1]) for key in map(_KEY.fullmatch, chosen) if key]
        ids = [name for name in chosen if not _KEY.fullmatch(name)]
        return self._seen("named_sessions", ids=ids, keys=keys)

    def of_ids(self, session_ids: Iterable[str]) -> list[SeenSession]:
        """Return the sessions of some ids that the viewer sees."""
        return self._seen("named_sessions", ids=sorted(set(session_ids)), keys=[])

    def changes_of_owners(self) -> dict[int, int]:
        """Return a number for each owner of whom the viewer sees sessions: it grows with writes."""
        return dict(self._reader.database.rows("changes_of_owners"))

    def marks(self) -> tuple[str, ...]:
        """Return texts that change with what lists show, whosever sessions they are."""
        return next(self._reader.database.rows("marks_of_viewer"))

    def versions_of_owners(self, owners: Collection[int]) -> dict[int, dict[SeenSession, str]]:
        """Return the sessions of some owners that the viewer sees, each with its version."""
        found: dict[int, dict[SeenSession, str]] = {owner: {} for owner in owners}
        rows = self._reader.database.rows("versions_of_owners", {"owners": sorted(owners)})
        for key, name, owner, scope, *numbers in rows:
            seen = SeenSession(key, name, owner, scope)
            found[owner][seen] = "-".join(map(str, numbers))
        return found

    def rows_of_owners(self, owners: Collection[int]) -> dict[int, SessionOverview]:
        """List all sessions of some owners by their keys, each by its own id."""
        order = Order(with_hidden=True)
        return dict(list_keyed_sessions(self._reader.database, EVERYTHING, order, sorted(owners)))

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with every change of a session, and of who sees it."""
        found = self.find(session_id)
        version = self.of_owner(found.owner).session_version(found.id)
        return f"{found.address}-{found.scope_id}-{version}"

    def find_session(self, name: str) -> str:
        """Return what lists call a session, given its key or its id."""
        found = self.find(name)
        return name if name == found.id else found.address

    def _session_name(self, name: str) -> SessionName:
        found = self.find(name)
        return found.owner, found.id

    def _message_id(self, session: SessionName, name: str) -> str:
        return self.of_owner(session[0])._message_id(session, name)  # noqa: SLF001 (its own kind)

    def sessions(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[SessionOverview]:
        """List sessions; those of an ambiguous id have their key in its place."""
        return iter(self.keyed_sessions(filters, order).values())

    def keyed_sessions(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> dict[int, SessionOverview]:
        """List sessions by their keys."""
        database = self._reader.database
        with database.snapshot():
            found = dict(list_keyed_sessions(database, filters, order))
            names = self._ambiguous()
        for key in names.keys() & found.keys():
            found[key] = msgspec.structs.replace(found[key], id=names[key].address)
        return found

    def matching_sessions(self, filters: FilterSet) -> frozenset[str]:
        """Return the ids and keys of the sessions that match, hidden ones too."""
        found = find_matching_sessions(self._reader.database, filters)
        return frozenset((*found.values(), *(f"s{key}" for key in found)))

    def sessions_in_groups(
        self,
        groups: Sequence[UsageGroup],
        filters: FilterSet = EVERYTHING,
        zone: dt.tzinfo = dt.UTC,
    ) -> frozenset[str]:
        """Return the ids of the sessions that a number counts, and the keys of ambiguous ones."""
        found = super().sessions_in_groups(groups, filters, zone)
        twins = (one.address for one in self._ambiguous().values() if one.id in found)
        return found.union(twins)

    def shapes(
        self, session_ids: Iterable[str], pieces: int = 24
    ) -> dict[str, list[tuple[int, int, int, int]]]:
        """Return of each session, piece by piece, how much was said, done and went wrong."""
        names = list(session_ids)
        found = super().shapes((name for name in names if not _KEY.fullmatch(name)), pieces)
        for name in filter(_KEY.fullmatch, names):
            one = self.find(name)
            own = self.of_owner(one.owner).shapes([one.id], pieces)
            found[name] = own.get(one.id, [])
        return found

    def search(
        self,
        text: str,
        *,
        now: dt.datetime | None = None,
        limit: int = 20,
        offset: int = 0,
        with_hidden: bool = False,
        filters: FilterSet = EVERYTHING,
    ) -> Results:
        """Find a query's words; each hit is checked once more against its session.

        Raises:
            QueryError: The query cannot be read; it points at the character.
        """
        found = super().search(
            text, now=now, limit=limit, offset=offset, with_hidden=with_hidden, filters=filters
        )
        seen = {one.id for one in self.of_ids(hit.session_id for hit in found.hits)}
        hits = tuple(hit for hit in found.hits if hit.session_id in seen)
        return msgspec.structs.replace(found, hits=hits)

    def conversation(self, name: str) -> Conversation:
        """Build one session as its owner's archive has it."""
        found = self.find(name)
        return self.of_owner(found.owner).conversation(found.id)

    def kept_digest(
        self, session_id: str, conversation: Conversation | None = None
    ) -> SessionDigest | None:
        """Return the digest that a model wrote of a session; None if there is none."""
        found = self.find(session_id)
        return self.of_owner(found.owner).kept_digest(found.id, conversation)

    def material(self, name: str) -> Material:
        """Read all entries of one session as its owner's archive has it."""
        found = self.find(name)
        return self.of_owner(found.owner).material(found.id)

    def read_line(self, session_id: str, file: str, offset: int) -> str:
        """Return a line of an archived transcript.

        Raises:
            NotFoundError: The session has no such archived file.
        """
        found = self.find(session_id)
        return self.of_owner(found.owner).read_line(found.id, file, offset)

    def session_files(self, session_id: str) -> list[ArchivedFile]:
        """List the archived files of one session."""
        found = self.find(session_id)
        return self.of_owner(found.owner).session_files(found.id)

    def read_file(self, file: ArchivedFile) -> Iterator[bytes]:
        """Read an archived file, verified by its hashes.

        Raises:
            DamagedBlobError: The archived copy is damaged.
        """
        return self.of_owner(self._owner("owner_of_file", file.id)).read_file(file)

    def file_hash(self, file: ArchivedFile) -> str | None:
        """Return the SHA-256 of an archived file in hex, if it is known without reading it."""
        return self.of_owner(self._owner("owner_of_file", file.id)).file_hash(file)

    def sealed_url(self, file: ArchivedFile, seconds: int, endpoint: str = "") -> str | None:
        """Return a URL of an archived file, compressed, if a bucket has it as one object."""
        owner = self._owner("owner_of_file", file.id)
        place = msgspec.structs.replace(self._place, owner=owner)
        return sealed_url(place, file.blob, seconds, endpoint)

    def block_text(self, block_id: int) -> str | None:
        """Return the whole text of a block, from the archived bytes if it is long."""
        return self.of_owner(self._owner("owner_of_block", block_id)).block_text(block_id)

    def _owner(self, statement: str, number: int) -> int:
        found = next(self._reader.database.rows(statement, {"id": number}), None)
        if found is None:
            raise SessionNotFoundError(str(number))
        return int(found[0])

    def _seen(self, statement: str, **values: list[int] | list[str]) -> list[SeenSession]:
        rows = self._reader.database.rows(statement, values)
        return [SeenSession(*row) for row in rows]

    def _ambiguous(self) -> dict[int, SeenSession]:
        return {one.key: one for one in self._seen("ambiguous_sessions")}
