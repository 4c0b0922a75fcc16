"""What was pushed of a session and what is archived of it, read at one moment."""

from collections import defaultdict

import msgspec

from clew.protocol import Tier
from clew.source import FileKind, classify
from clew.store.archived_files import ArchivedFile, find_files, load_frames
from clew.store.blob_names import blob_name, choose_blob_path
from clew.store.damage import Damages, load_damage
from clew.store.frames import Frame
from clew.store.postgres.database import PostgresDatabase
from clew.store.postgres.team import TeamDatabase
from clew.store.protocols import DatabaseRow


class ReceivedFrame(msgspec.Struct, frozen=True, array_like=True):
    """A frame that a member has sent, and the object it waits in, until it is archived."""

    id: int
    hash: bytes
    size_bytes: int
    object_key: str | None


class ReceivedFile(msgspec.Struct, frozen=True):
    """A file as it was pushed."""

    id: int
    root_id: str
    file: str
    kind: FileKind
    agent_id: str | None
    workflow_id: str | None
    generation: int
    mtime_ns: int
    tier: Tier


class BlobPlan(msgspec.Struct, frozen=True):
    """One generation of a file: what was received of it, and what is archived.

    The archived copy of a damaged one is replaced as a whole.
    """

    generation: int
    received: tuple[ReceivedFrame, ...]
    archived: tuple[Frame, ...]
    is_damaged: bool

    @property
    def missing(self) -> tuple[ReceivedFrame, ...]:
        """The frames that are not archived yet."""
        return self.received[len(self.archived) :]

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to archive."""
        return self.is_damaged or bool(self.missing)


class FilePlan(msgspec.Struct, frozen=True):
    """A file that was pushed, as it will be known once all of it is archived.

    Of a file that is not pushed as it is, only the present generation may stay: a later one has
    less, since a secret was found or a tier was lowered.
    """

    received: ReceivedFile
    known: ArchivedFile
    blobs: tuple[BlobPlan, ...]

    @property
    def keeps_generations(self) -> bool:
        """Whether its earlier generations stay."""
        return self.received.tier is Tier.EVERYTHING


def read_plans(database: PostgresDatabase, session_id: str) -> list[FilePlan]:
    """Read what is to be done for a session's files, in the order in which they are read."""
    team = TeamDatabase(database.connection)
    values = {"owner": database.owner, "session": session_id}
    with database.snapshot():
        received = team.records("received_files", values)
        frames = _group(team.rows("received_frames", values))
        files = [msgspec.convert(row, ReceivedFile) for row in received]
        known = find_files(database, [], [(file.root_id, file.file) for file in files])
        damage = load_damage(database)
        return [
            _plan_file(database, session_id, file, frames.get(file.id, {}), known, damage)
            for file in files
        ]


def name_blobs(team: TeamDatabase, owner: int, session_id: str) -> list[str]:
    """Return the names that a worker gives to blobs of a session, archived or not.

    One that ended before its transaction has written some of them.
    """
    rows = team.records("received_files", {"owner": owner, "session": session_id})
    files = [msgspec.convert(row, ReceivedFile) for row in rows]
    return [
        blob_name(file.root_id, file.file, generation, _blob_path(file))
        for file in files
        for generation in range(1, file.generation + 1)
    ]


def _plan_file(
    database: PostgresDatabase,
    session_id: str,
    file: ReceivedFile,
    frames: dict[int, list[ReceivedFrame]],
    known: dict[tuple[str, str], ArchivedFile],
    damage: Damages,
) -> FilePlan:
    before = known.get((file.root_id, file.file))
    kept = file.generation if file.tier is not Tier.EVERYTHING else 0
    blobs = tuple(
        BlobPlan(
            generation,
            tuple(received),
            tuple(load_frames(database, before.id, generation)) if before else (),
            before is not None and (before.id, generation) in damage,
        )
        for generation, received in sorted(frames.items())
        if generation >= kept
    )
    return FilePlan(file, _as_archived(file, session_id, before, blobs), blobs)


def _group(rows: list[DatabaseRow]) -> dict[int, dict[int, list[ReceivedFrame]]]:
    """Put frames in order, by file and generation."""
    found: defaultdict[int, defaultdict[int, list[ReceivedFrame]]]
    found = defaultdict(lambda: defaultdict(list))
    for file_id, generation, *frame in rows:
        found[file_id][generation].append(msgspec.convert(frame, ReceivedFrame))
    return {file_id: dict(generations) for file_id, generations in found.items()}


def _as_archived(
    file: ReceivedFile,
    session_id: str,
    before: ArchivedFile | None,
    blobs: tuple[BlobPlan, ...],
) -> ArchivedFile:
    """Return a file as rows know it once all frames of its present generation are archived."""
    present = (blob for blob in blobs if blob.generation == file.generation)
    size = sum(frame.size_bytes for blob in present for frame in blob.received)
    return ArchivedFile(
        id=0 if before is None else before.id,
        root=file.root_id,
        path=file.file,
        kind=file.kind,
        session_id=session_id,
        agent_id=file.agent_id,
        workflow_id=file.workflow_id,
        project_folder=classify(file.file).project_folder,
        device=0,
        inode=0,
        size_bytes=size,
        mtime_ns=file.mtime_ns,
        generation=file.generation,
        kept_bytes=size,
        head_hash=None,
        head_bytes=0,
        tail_hash=None,
        tail_bytes=0,
        state="present",
        blob_path=_blob_path(file) if before is None else before.blob_path,
        is_compared=1,
    )


def _blob_path(file: ReceivedFile) -> str:
    """Return what a file's blob is named after.

    A file that is deleted and pushed again gets another number: what is deleted late never has the
    name of something new.
    """
    return f"{file.id}/{choose_blob_path(file.file) or file.file}"
