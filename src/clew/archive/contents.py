"""ArchiveContents: conversations, digests, replays, search and SQL."""

import datetime as dt
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clew.analytics import FilterSet
from clew.archive.lists import ArchiveLists
from clew.archive.opened import EVERYTHING
from clew.errors import NotFoundError

if TYPE_CHECKING:
    from clew.backups import Backup
    from clew.conversation import Conversation, Material
    from clew.digest import SessionDigest
    from clew.replay import SessionReplay
    from clew.search import Results, WiderSearch
    from clew.store import QueryResult


class ArchiveContents(ArchiveLists):
    """What sessions say: conversations, digests, replays, search and SQL."""

    def search(
        self,
        text: str,
        *,
        now: dt.datetime | None = None,
        limit: int = 20,
        offset: int = 0,
        with_hidden: bool = False,
        filters: FilterSet = EVERYTHING,
    ) -> "Results":
        """Find a query's words in all sessions, the best first.

        Args:
            text: The query, as `clew search` takes it.
            now: From when on `after:7d` counts back, by default from now.
            limit: How many hits at most.
            offset: How many hits to pass over.
            with_hidden: Also search sessions in which nobody said anything, as warm-ups are.
            filters: What hits must match, beside the filters in the query.

        Raises:
            QueryError: The query cannot be read; it points at the character.
        """
        from clew.search import narrow_query, parse_query, search

        reader = self._reader
        moment = dt.datetime.now().astimezone() if now is None else now
        query = narrow_query(parse_query(text, now=moment), filters)
        return search(
            reader.index,
            msgspec.structs.replace(query, with_hidden=with_hidden),
            now=moment,
            limit=limit,
            offset=offset,
            read_text=self.block_text,
        )

    def wider_searches(
        self,
        found: "Results",
        *,
        now: dt.datetime | None = None,
        with_hidden: bool = False,
        filters: FilterSet = EVERYTHING,
    ) -> "tuple[WiderSearch, ...]":
        """Return wider queries that find more, for one that has found next to nothing.

        Args:
            found: What `search` found first, with the same `now`, `with_hidden` and `filters`.
            now: As for `search`.
            with_hidden: As for `search`.
            filters: As for `search`.
        """
        from clew.search import NEARLY_NOTHING, QueryError, WiderSearch, wider_queries

        if found.total > NEARLY_NOTHING or not found.is_exact:
            return ()
        offers = []
        for kind, query in wider_queries(found.query):
            try:
                wider = self.search(
                    query, now=now, limit=1, with_hidden=with_hidden, filters=filters
                )
            except QueryError:  # too long with its operators
                continue
            if wider.total > found.total:
                offers.append(
                    WiderSearch(kind=kind, query=query, total=wider.total, is_exact=wider.is_exact)
                )
        return tuple(offers)

    def block_text(self, block_id: int) -> str | None:
        """Return the whole text of a block, from the archived bytes if it is long."""
        from clew.store import read_block_text

        return read_block_text(self._reader, block_id)

    def conversation(self, name: str) -> "Conversation":
        """Build one session from the archive; `name` is an id, a unique prefix or `latest`."""
        from clew.session_lookup import build_session

        return build_session(self._reader, name)

    def load(
        self, target: str | os.PathLike[str], roots: Sequence[Path] | None = None
    ) -> "Conversation":
        """Build one session from the disk or, if it is gone from there, from the archive.

        Args:
            target: A path, an id or the beginning of one, or `latest`.
            roots: Where to look on the disk, by default where Claude Code keeps its data.

        Raises:
            PathNotFoundError: The path does not exist.
            SessionNotFoundError: No session has that id, or several have.
        """
        from clew.session_lookup import load_session

        return load_session(self._opened if self.exists else None, target, roots)

    def material(self, name: str) -> "Material":
        """Read all entries of an archived session; `name` is as in `conversation`."""
        from clew.store import read_material

        return read_material(self._reader, self._reader.find_session(name))

    def load_material(
        self, target: str | os.PathLike[str], roots: Sequence[Path] | None = None
    ) -> "Material":
        """Read all entries of a session from the disk or, if it is gone from there, the archive.

        Its arguments and errors are those of `load`.
        """
        from clew.session_lookup import load_session_material

        return load_session_material(self._opened if self.exists else None, target, roots)

    def locate(self, name: str, roots: Sequence[Path] | None = None) -> str:
        """Return the full id of a session on the disk or in the archive, without reading any.

        Args:
            name: An id or the beginning of one, or `latest`.
            roots: Where to look on the disk, by default where Claude Code keeps its data.

        Raises:
            SessionNotFoundError: No session has that id, or several have.
        """
        from clew.session_lookup import locate_session

        return locate_session(self._opened if self.exists else None, name, roots)

    def read_line(self, session_id: str, file: str, offset: int) -> str:
        """Return a line of an archived transcript; bytes that are no text are replaced.

        Raises:
            NotFoundError: The session has no such archived file.
        """
        reader = self._reader
        for kept in reader.session_files(session_id):
            if kept.path == file or kept.path.endswith(file):
                return reader.read_line(kept, offset).decode("utf-8", "replace")
        raise NotFoundError(f"session {session_id} has no file {file}")

    def digest(self, name: str) -> "SessionDigest":
        """Return a short account of a session: the one that a model wrote, else an extract.

        Args:
            name: An id, a unique prefix or `latest`.

        Raises:
            SessionNotFoundError: No session has that id, or several have.
        """
        from clew.digest import extract_session

        session_id = self.find_session(name)
        return self.kept_digest(session_id) or extract_session(self.conversation(session_id))

    def kept_digest(
        self, session_id: str, conversation: "Conversation | None" = None
    ) -> "SessionDigest | None":
        """Return the digest that a model wrote of a session; None if there is none.

        It is stale if the session has changed since, or if `conversation`, which may be more than
        is archived, has.
        """
        from clew.store import read_shown_digest

        if not self.exists:
            return None
        messages = None if conversation is None else conversation.totals.messages
        return read_shown_digest(self._reader.database, session_id, messages)

    def replay(self, session_id: str) -> "SessionReplay":
        """Follow the files of an archived session through its calls; the result is cached.

        Raises:
            SessionNotFoundError: No session has that id.
        """
        from clew.replay import replay_session
        from clew.session_lookup import archived_backups
        from clew.store import cached_replay, find_receipts

        reader = self._reader
        receipt = find_receipts(reader.database, session_id).get(session_id, "")
        version = f"{self.session_version(session_id)} {receipt}"

        def make() -> "SessionReplay":
            backups = archived_backups(reader, session_id)
            return replay_session(self.conversation(session_id), backups)

        return cached_replay(self.location, session_id, version, make)

    def file_replays(self, path: str) -> "list[SessionReplay]":
        """Return the replays of all sessions that touched a file, the first one first."""
        uses = [use for use in self.file_uses(path) if use.path == path]
        names = dict.fromkeys(use.session_id for use in uses)
        replays = [self.replay(name) for name in names]
        return sorted(replays, key=lambda replay: (replay.started_at, replay.session_id))

    def backups(self, target: str, roots: Sequence[Path] | None = None) -> "tuple[Backup, ...]":
        """Return the copies that the client made of a session's files, on disk or archived.

        Args:
            target: A path, or the id of a session.
            roots: Where to look on the disk, by default where Claude Code keeps its data.
        """
        from clew.session_lookup import load_backups

        return load_backups(self._opened if self.exists else None, target, roots)

    def query(self, query: str, seconds: float = 30) -> "QueryResult":
        """Run one SQL query that only reads, for so long at most.

        Raises:
            QueryRefusedError: It is no SQL, or asks for something it may not touch.
            QueryTimeoutError: It takes longer than it may.
        """
        from clew.store import run_query

        _ = self._reader
        return run_query(self.location, query, seconds)
