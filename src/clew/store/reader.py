"""Reading the archive: counts, sessions by their names, the archived bytes."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Final

import msgspec

from clew.analytics import (
    CallSum,
    FilterSet,
    SessionLabel,
    WorkCall,
    missing_sum,
)
from clew.entries import CostState
from clew.errors import ClewError, SessionNotFoundError
from clew.source import LATEST
from clew.store.archived_files import (
    ArchivedFile,
    load_files,
    load_frames,
    load_frames_of,
    load_session_files,
)
from clew.store.blobs import DamagedBlobError, UnreadableBlobError
from clew.store.compare import are_joined
from clew.store.damage import BlobDamage, RecordDamage
from clew.store.errors import NewerArchiveError, OlderArchiveError
from clew.store.filters import filter_parameters
from clew.store.frames import Frame
from clew.store.location import (
    Location,
    blobs_of,
    location_exists,
    open_index,
    record_damage,
    translate_errors,
)
from clew.store.protocols import Blobs, SearchIndex
from clew.store.sqlite import migrations

_JUMP_SIZE: Final = 65_536
_AHEAD: Final = 32
_cost_state: Final = msgspec.json.Decoder(CostState)


class ArchiveReader:
    """The archive, opened so that nothing can be written."""

    def __init__(self, index: SearchIndex, blobs: Blobs, record_damage: RecordDamage) -> None:
        self.database = index.database
        self.index = index
        self.blobs = blobs
        self.record_damage = record_damage
        self._recorded: set[tuple[int, int]] = set()
        self._frames_ahead: dict[tuple[int, int], Sequence[Frame]] = {}

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def counted_calls(self, filters: FilterSet, letters: int) -> Iterator[CallSum]:
        """Return the model calls of the times and the sessions that match, each counted once.

        Calls that are alike, and whose times begin with the same letters, are summed.
        """
        values = filter_parameters(self.database, filters)
        for row in self.database.rows("counted_calls", {**values, "letters": letters}):
            yield CallSum(*row)
        for row in self.database.rows("missing_transcripts", values):
            yield missing_sum(*row)

    def calls_by_branch(self, filters: FilterSet) -> list[WorkCall]:
        """Return the model calls as `counted_calls` does, but each alone and with its branch."""
        values = filter_parameters(self.database, filters)
        return [WorkCall(*row) for row in self.database.rows("counted_calls_by_branch", values)]

    def missing_calls(self, filters: FilterSet) -> list[CallSum]:
        """Return what is not counted, since a transcript is missing."""
        values = filter_parameters(self.database, filters)
        return [missing_sum(*row) for row in self.database.rows("missing_transcripts", values)]

    def client_costs(self) -> dict[str, float]:
        """Return the client's own totals in dollars, by session, where it kept any."""
        rows = self.database.rows("client_costs")
        return {name: _cost_state.decode(state).total_cost_usd for name, state in rows}

    def session_labels(self) -> dict[str, SessionLabel]:
        """Return what people know sessions by, by their ids."""
        rows = self.database.rows("session_labels")
        return {name: SessionLabel(title, project) for name, title, project in rows}

    def find_session(self, name: str) -> str:
        """Return the full id of a session named by an id, a unique prefix, or `latest`.

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
            raise SessionNotFoundError(name, found)
        return found[0]

    def sessions_named(self, name: str) -> list[str]:
        """Return the ids of the sessions whose id begins so."""
        rows = self.database.rows("sessions_named", {"name": name})
        return [str(row[0]) for row in rows]

    def version(self) -> str:
        """Return a word that changes whenever more is archived, or rows are made again."""
        return _word(next(self.database.rows("archive_version")))

    def session_version(self, session_id: str) -> str:
        """Return a word that changes whenever more is archived of a session.

        Raises:
            SessionNotFoundError: There is none of that id.
        """
        found = self._versions(session_id)
        if session_id not in found:
            raise SessionNotFoundError(session_id)
        return found[session_id]

    def session_versions(self) -> dict[str, str]:
        """Return such a word for every session, by its id."""
        return self._versions(None)

    def _versions(self, session_id: str | None) -> dict[str, str]:
        rows = self.database.rows("session_versions", {"session": session_id})
        return {str(name): _word(numbers) for name, *numbers in rows}

    def has_sessions(self) -> bool:
        """Tell whether any session was ever archived."""
        return next(self.database.rows("any_session"), None) is not None

    def latest(self) -> tuple[str, str] | None:
        """Return the id of the session that ended last, and when it did."""
        found = next(self.database.rows("latest_session"), None)
        return None if found is None else (str(found[0]), str(found[1]))

    def files(self) -> Iterable[ArchivedFile]:
        """Return all archived files."""
        return load_files(self.database).values()

    def session_files(self, session_id: str) -> list[ArchivedFile]:
        """Return the archived files of one session."""
        return load_session_files(self.database, session_id)

    def prefetch(self, files: Iterable[ArchivedFile]) -> None:
        """Begin to fetch files that are read next, where each would take a while by itself."""
        wanted = list(files)
        self._frames_ahead = dict(load_frames_of(self.database, wanted))
        self.blobs.prefetch(
            (file.blob, self._frames_ahead.get((file.id, file.generation), ())) for file in wanted
        )

    def read_ahead(self, files: Iterable[ArchivedFile]) -> Iterator[ArchivedFile]:
        """Return files in their order, some of which are fetched before they are needed."""
        left = iter(files)
        while batch := list(islice(left, _AHEAD)):
            self.prefetch(batch)
            yield from batch

    def read_file(self, file: ArchivedFile, generation: int | None = None) -> Iterator[bytes]:
        """Return an archived file's bytes, verified by their hashes.

        Raises:
            DamagedBlobError: They are not what was archived; that is recorded.
        """
        number = file.generation if generation is None else generation
        frames = self._frames_ahead.pop((file.id, number), None)
        if frames is None or sum(frame.size_bytes for frame in frames) != file.kept_bytes:
            frames = load_frames(self.database, file.id, number)
        blob = file.blob_of(number)
        try:
            _require_all(blob, frames, file.kept_bytes if number == file.generation else 1)
            if frames:
                yield from self.blobs.read(blob, frames)
        except DamagedBlobError as error:
            self._record(file, number, error)
            raise

    def _record(self, file: ArchivedFile, generation: int, error: DamagedBlobError) -> None:
        is_known = (file.id, generation) in self._recorded
        if not isinstance(error, UnreadableBlobError) and not is_known:
            self._recorded.add((file.id, generation))
            self.record_damage([BlobDamage(file.id, generation, error.reason)])

    def generations(self, file: ArchivedFile) -> list[int]:
        """Return the generations that were archived of a file, the first one first."""
        rows = self.database.rows("generations_of_file", {"file_id": file.id})
        return [int(row[0]) for row in rows]

    def all_generations(self, file: ArchivedFile) -> list[int]:
        """Return the generations that a file must have, known or not, the first one first."""
        return sorted({file.generation, *self.generations(file)})

    def frames(self, file: ArchivedFile) -> list[Frame]:
        """Return the frames of an archived file."""
        return load_frames(self.database, file.id, file.generation)

    def file_hash(self, file: ArchivedFile) -> str | None:
        """Return the SHA-256 of an archived file in hex, if it has one frame or none."""
        frames = self.frames(file)
        if not frames:
            return sha256().hexdigest()
        is_whole = len(frames) == 1 and len(frames[0].hash) == sha256().digest_size
        return frames[0].hash.hex() if is_whole else None

    def read_bytes(
        self, file: ArchivedFile, start: int, size: int, frames: Sequence[Frame] | None = None
    ) -> bytes:
        """Return a stretch of an archived file, unpacking no more than it takes.

        Whoever reads often from one file loads its `frames` once.
        """
        if frames is None:
            frames = self.frames(file)
        try:
            return self.blobs.read_range(file.blob, frames, start, size)
        except DamagedBlobError as error:
            self._record(file, file.generation, error)
            raise

    def read_line(self, file: ArchivedFile, offset: int) -> bytes:
        """Return the one line of an archived file that begins at an offset, without its newline."""
        size = _JUMP_SIZE
        while True:
            found = self.read_bytes(file, offset, size)
            line, newline, _ = found.partition(b"\n")
            if newline or len(found) < size:
                return line
            size *= 4


def _require_all(blob: str, frames: Sequence[Frame], least: int) -> None:
    """Make sure that frames make up a file; there may be more than its row knew of by now."""
    size = sum(frame.size_bytes for frame in frames)
    if size < least or not are_joined(frames, size):
        raise DamagedBlobError(blob, "parts of it are not in the database")


def _word(numbers: Iterable[object]) -> str:
    return "-".join(map(str, numbers))


def open_any_version(location: Location) -> ArchiveReader:
    """Open the archive for reading, whatever version its tables have."""
    return ArchiveReader(open_index(location), blobs_of(location), partial(record_damage, location))


def open_reader(location: Location) -> ArchiveReader | None:
    """Open the archive for reading; None when there is none yet.

    Raises:
        NewerArchiveError: A newer version of clew wrote it.
        OlderArchiveError: Its tables are not up to date, which a sync would change.
    """
    if not location_exists(location):
        return None
    with translate_errors(location):
        reader = open_any_version(location)
        found = int(next(reader.database.rows("schema_version"))[0])
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
