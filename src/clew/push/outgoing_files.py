"""A session's files → names and pieces for a server, as far as its tier allows.

At the tier of everything a file has its own names, and its pieces are the archive's frames. Below
it, names and bytes are projected, and cut where an earlier push cut them.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from clew.protocol import MAX_MANIFEST_FRAMES, FrameReference, Tier
from clew.push.mark_ledger import MarkLedger
from clew.push.outgoing import OutgoingSession
from clew.push.projected import ProjectedPiece, PushedSource, cut_pieces
from clew.push.projection import project_session
from clew.push.push_files import PushFiles, laptop_key, names_key
from clew.push.push_records import PushedPiece, PushRecords
from clew.source import FileKind
from clew.store import ArchivedFile, ArchiveReader, Frame

_HASH_BYTES: Final = 32
# With more frames a file is cut anew, which leaves room for it to grow.
_MOST_FRAMES: Final = MAX_MANIFEST_FRAMES * 3 // 4


class OutgoingPiece(msgspec.Struct, frozen=True):
    """Some bytes of a file, at most a frame of them; `source_end` is where they end in it."""

    reference: FrameReference
    source_end: int
    read: Callable[[], bytes]

    @property
    def record(self) -> PushedPiece:
        """What is remembered of it."""
        digest = bytes.fromhex(self.reference.sha256)
        return PushedPiece(self.source_end, self.reference.size, digest)


class OutgoingFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that may leave, under the names that it has on the server.

    `pieces` can be iterated once; `is_cut` says whether they are others than the archive's frames.
    """

    source: ArchivedFile
    root_id: str
    file: str
    kind: FileKind
    session: str
    agent: str | None
    workflow: str | None
    pieces: Iterator[OutgoingPiece]
    is_cut: bool


class OutgoingFiles:
    """Makes what leaves of sessions, for one server."""

    def __init__(
        self,
        reader: ArchiveReader,
        records: PushRecords,
        files: PushFiles,
        root_ids: Mapping[str, str],
    ) -> None:
        self._reader = reader
        self._root_ids = root_ids
        self._records = records
        self._pieces = records.pieces()
        self._key = names_key(files, records.server)
        self._ledger = MarkLedger(laptop_key(files), records.marks())

    def root_id(self, file: ArchivedFile) -> str:
        """Return the id of the root that a file is in."""
        return self._root_ids[file.root]

    def known_pieces(self, file: ArchivedFile) -> Sequence[PushedPiece]:
        """Return the pieces that an earlier push made of a file."""
        return self._pieces.get((self.root_id(file), file.path), ())

    def of_session(
        self, session: OutgoingSession, wanted: Sequence[ArchivedFile]
    ) -> Iterator[OutgoingFile]:
        """Return those of a session's files that are wanted, or all below the tier of everything.

        Take all pieces of a file before the next file.
        """
        tier = session.decision.tier
        if tier is Tier.EVERYTHING:
            yield from (self._whole(file) for file in wanted)
        elif tier is not Tier.NOTHING:
            for root in sorted({file.root for file in session.files}):
                own = {file.path: file for file in session.files if file.root == root}
                yield from self._projected(own, tier)

    def piece(self, file: ArchivedFile, generation: int, frame: Frame) -> OutgoingPiece:
        """Return one frame of a file, of any of its generations."""
        read = partial(self._read_frame, file.blob_of(generation), frame)
        digest = frame.hash
        if len(digest) < _HASH_BYTES:
            # Frames of early versions have only the beginning of their hash.
            digest = hashlib.sha256(read()).digest()
        reference = FrameReference(digest.hex(), frame.size_bytes)
        return OutgoingPiece(reference, frame.start_bytes + frame.size_bytes, read)

    def save_marks(self) -> None:
        """Remember the numbers of masked secrets, before anything with them is sent."""
        if added := self._ledger.take_added():
            self._records.save_marks(added)

    def _whole(self, file: ArchivedFile) -> OutgoingFile:
        frames = [frame for frame in self._reader.frames(file) if frame.size_bytes]
        is_cut = len(frames) > _MOST_FRAMES
        framed = (self.piece(file, file.generation, frame) for frame in frames)
        pieces = self._cut(file, frames) if is_cut else framed
        return OutgoingFile(
            source=file,
            root_id=self.root_id(file),
            file=file.path,
            kind=file.kind,
            session=file.session_id or "",
            agent=file.agent_id,
            workflow=file.workflow_id,
            pieces=pieces,
            is_cut=is_cut,
        )

    def _read_frame(self, blob: str, frame: Frame) -> bytes:
        return b"".join(self._reader.blobs.read(blob, [frame]))

    def _cut(self, file: ArchivedFile, frames: Sequence[Frame]) -> Iterator[OutgoingPiece]:
        """Join the frames of a file that grew in very many steps."""
        known = [piece.source_end for piece in self.known_pieces(file)]
        cuts = known if len(known) < _MOST_FRAMES else []
        units = (
            (frame.start_bytes + frame.size_bytes, data)
            for frame, data in zip(frames, self._reader.blobs.read(file.blob, frames), strict=True)
        )
        return map(_to_piece, cut_pieces(units, cuts))

    def _projected(self, by_path: Mapping[str, ArchivedFile], tier: Tier) -> Iterator[OutgoingFile]:
        sources = [self._source(file) for file in by_path.values()]
        for made in project_session(tier, self._key, sources, self._ledger):
            file = by_path[made.path]
            yield OutgoingFile(
                source=file,
                root_id=self.root_id(file),
                file=made.file,
                kind=made.kind,
                session=made.session,
                agent=made.agent,
                workflow=made.workflow,
                pieces=map(_to_piece, made.pieces),
                is_cut=True,
            )

    def _source(self, file: ArchivedFile) -> PushedSource:
        return PushedSource(
            path=file.path,
            kind=file.kind,
            session_id=file.session_id or "",
            agent_id=file.agent_id,
            workflow_id=file.workflow_id,
            read=partial(self._reader.read_file, file),
            cuts=[piece.source_end for piece in self.known_pieces(file)],
        )


def _to_piece(made: ProjectedPiece) -> OutgoingPiece:
    reference = FrameReference(hashlib.sha256(made.data).hexdigest(), len(made.data))
    return OutgoingPiece(reference, made.source_end, lambda: made.data)
