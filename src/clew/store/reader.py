"""Reading the archive: lists, counts, one session's material, the kept bytes."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.analytics import (
    MAX_TOKENS,
    MAX_WEB_SEARCHES,
    CallSum,
    Filters,
    SessionLabel,
    clean_sum,
    matches,
)
from clew.conversation import Material, Surroundings
from clew.entries import CostState
from clew.errors import ClewError, SessionNotFoundError
from clew.sessions import LATEST, SessionFiles, gather
from clew.store.blobs import DamagedBlobError, FolderBlobs
from clew.store.faults import OlderArchiveError, told_plainly
from clew.store.home import Home
from clew.store.kept import Kept, blob_name, load_frames, load_kept
from clew.store.queries import statement
from clew.store.sqlite import NewerArchiveError, migrations, open_for_reading

_cost_state: Final = msgspec.json.Decoder(CostState)


class Reader:
    """The archive as it stands, opened so that nothing can be written."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.connection = open_for_reading(home.database)
        self.blobs = FolderBlobs(home.blobs)

    def close(self) -> None:
        """Let go of the database."""
        self.connection.close()

    def counted_calls(self, filters: Filters, letters: int) -> Iterator[CallSum]:
        """Give the model calls of the time and the tool that are asked for, each counted once.

        Calls that are alike, and whose times begin with the same letters, are summed.
        """
        values = {
            "since": filters.since,
            "until": filters.until,
            "most_tokens": MAX_TOKENS,
            "letters": letters,
            "most_searches": MAX_WEB_SEARCHES,
        }
        wanted = None if filters.tool is None else self._sessions_with(filters.tool)
        for name in ("counted_calls", "larger_copies"):
            for row in self.connection.execute(statement(name), values):
                if wanted is None or row[2] in wanted:
                    calls = CallSum(*row)
                    yield clean_sum(calls) if calls.corrupt_calls else calls

    def client_costs(self) -> dict[str, float]:
        """Give the client's own totals in dollars, by session, where it kept any."""
        rows = self.connection.execute(statement("client_costs"))
        return {name: _cost_state.decode(state).total_cost_usd for name, state in rows}

    def session_labels(self) -> dict[str, SessionLabel]:
        """Give what people know sessions by, by their ids."""
        rows = self.connection.execute(statement("session_labels"))
        return {name: SessionLabel(title, project) for name, title, project in rows}

    def _sessions_with(self, tool: str) -> set[str]:
        rows = self.connection.execute(statement("session_tools"))
        return {session_id for session_id, name in rows if matches(tool, [name])}

    def find_session(self, name: str) -> str:
        """Give the full id of a session named by an id, a unique prefix, or `latest`.

        Raises:
            SessionNotFoundError: No session has that id, or several have.
        """
        if name == LATEST:
            latest = self.latest()
            found = [] if latest is None else [latest[0]]
        else:
            found = self.sessions_named(name)
            found = [name] if name in found else found
        if len(found) != 1:
            raise SessionNotFoundError(name, len(found))
        return found[0]

    def sessions_named(self, name: str) -> list[str]:
        """Give the ids of the sessions whose id begins so."""
        rows = self.connection.execute(statement("sessions_named"), {"name": name})
        return [str(row[0]) for row in rows]

    def has_sessions(self) -> bool:
        """Tell whether any session was ever kept."""
        return self.connection.execute(statement("any_session")).fetchone() is not None

    def latest(self) -> tuple[str, str] | None:
        """Give the id of the session that ended last, and when it did."""
        return self.connection.execute(statement("latest_session")).fetchone()

    def material(self, session_id: str) -> Material:
        """Read a session from the kept bytes, with what other sessions know of it."""
        kept = {k.as_source().path: k for k in self.kept() if k.session_id == session_id}
        files = [k.as_source() for k in kept.values()]
        session = SessionFiles(session_id, tuple(sorted(files, key=lambda file: file.relative)))
        material = gather(session, lambda file: self.content(kept[file.path]))
        return msgspec.structs.replace(material, surroundings=self._surroundings(session_id))

    def kept(self) -> Iterable[Kept]:
        """Give all kept files."""
        return load_kept(self.connection).values()

    def content(self, file: Kept, generation: int | None = None) -> Iterator[bytes]:
        """Give a kept file's bytes, proved by their hashes."""
        number = file.generation if generation is None else generation
        frames = load_frames(self.connection, file.id, number)
        if frames:
            yield from self.blobs.read(blob_name(file.root, file.path, number), frames)

    def generations(self, file: Kept) -> list[int]:
        """Give the generations that were kept of a file, the first one first."""
        rows = self.connection.execute(statement("generations_kept"), {"file_id": file.id})
        return [int(row[0]) for row in rows]

    def read_entry(self, session_key: int, transcript: int, offset: int) -> bytes | None:
        """Give the kept line that begins at an offset of a session's transcript."""
        found = self.connection.execute(
            "SELECT source_file.id, root, source_file.path, generation FROM transcript "
            "JOIN session ON session.key = transcript.session_key "
            "JOIN source_file ON source_file.session_id = session.id "
            "AND source_file.path = transcript.path "
            "WHERE transcript.session_key = ? AND transcript.number = ?",
            (session_key, transcript),
        ).fetchone()
        if found is None:
            return None
        file_id, root, path, generation = found
        frames = [
            frame
            for frame in load_frames(self.connection, int(file_id), int(generation))
            if frame.start_bytes + frame.size_bytes > offset
        ]
        line = b""
        for frame, piece in zip(
            frames,
            self.blobs.read(blob_name(str(root), str(path), int(generation)), frames),
            strict=True,
        ):
            rest = piece[max(0, offset - frame.start_bytes) :]
            head, newline, _ = rest.partition(b"\n")
            line += head
            if newline:
                return line
        return line or None

    def verify(self) -> Iterator[tuple[Kept, str]]:
        """Prove every kept file, earlier versions too; give each with what is wrong, or nothing."""
        for file in self.kept():
            earlier = (self._fault(file, number) for number in self.generations(file))
            yield file, next((fault for fault in earlier if fault), "") or self._missing(file)

    def _fault(self, file: Kept, generation: int) -> str:
        try:
            for _ in self.content(file, generation):
                pass
        except DamagedBlobError as error:
            return str(error)
        return ""

    def _missing(self, file: Kept) -> str:
        frames = load_frames(self.connection, file.id, file.generation)
        size = sum(frame.size_bytes for frame in frames)
        return "" if size == file.kept_bytes else f"{size} bytes of {file.kept_bytes} are there"

    def _surroundings(self, session_id: str) -> Surroundings:
        row = self.connection.execute(
            "SELECT key, forked_from, resumed_from, teammate_of, title, title_source "
            "FROM session WHERE id = ?",
            (session_id,),
        ).fetchone()
        if row is None:
            return Surroundings()
        inherited = self.connection.execute(statement("inherited_calls"), {"key": row[0]})
        titles = self.connection.execute(statement("titles_elsewhere"), {"key": row[0]})
        return Surroundings(dict(inherited), dict(titles), row[1], row[2], row[3])


def open_reader(home: Home) -> Reader | None:
    """Open the archive for reading; None when there is none yet.

    Raises:
        NewerArchiveError: A newer version of clew wrote it.
        OlderArchiveError: Its tables are not up to date, which a sync would change.
    """
    if not home.database.exists():
        return None
    with told_plainly(home):
        reader = Reader(home)
        found = int(next(reader.connection.execute("PRAGMA user_version"))[0])
    try:
        require_version(found, known=len(migrations()))
    except ClewError:
        reader.close()
        raise
    if found == 0:
        # Another process has only begun to make it.
        reader.close()
        return None
    return reader


def require_version(found: int, *, known: int) -> None:
    """Make sure that the rows are as this version of clew knows them, or not there yet."""
    if found > known:
        raise NewerArchiveError(found, known)
    if 0 < found < known:
        raise OlderArchiveError
