"""Files → frames and manifests on a server: several requests at a time, in batches.

A file's frames are there before its manifest names them, and what is acknowledged is remembered at
once, so a push may end at any point and the next one goes on from there.
"""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final, Self

import msgspec

from clew.protocol import (
    MAX_NAMED_FRAMES,
    Commit,
    FileHead,
    FileManifest,
    FrameReference,
    MissingFrames,
    make_receipt,
)
from clew.push.outgoing import OutgoingSession
from clew.push.outgoing_files import OutgoingFile, OutgoingFiles, OutgoingPiece
from clew.push.push_errors import ServerRefusedError
from clew.push.push_records import NOT_SENT, PushedFile, PushedPiece, PushRecords
from clew.push.push_report import PushItem, PushProblem, PushReport
from clew.push.server_heads import ServerHeads
from clew.push.team_client import TeamClient
from clew.store import ArchivedFile, DamagedBlobError
from clew.store.frames import compress

_AT_ONCE: Final = 6
_BATCH_BYTES: Final = 32 << 20
_BATCH_FILES: Final = 256
# Why a server refuses a manifest.
_STALE: Final = "stale_parent"
_MISSING: Final = "missing_frames"
_DELETED: Final = "deleted"
_BEING_DELETED: Final = "being_deleted"
# After these, nothing else will go better.
_FATAL: Final = frozenset({"quota", "version", "uncommitted"})
_BAD_FRAME: Final = "bad_frame"


class PusherParts(msgspec.Struct, frozen=True):
    """What a pusher works with: the server, what is known of it, what leaves, and the report."""

    client: TeamClient
    records: PushRecords
    outgoing: OutgoingFiles
    heads: ServerHeads
    report: PushReport


class NamedFile(msgspec.Struct, frozen=True):
    """A file with the pieces that it consists of, ready for its manifest."""

    session: OutgoingSession
    file: OutgoingFile
    pieces: list[PushedPiece]

    @property
    def hashes(self) -> list[str]:
        """The SHA-256 sums of its pieces."""
        return [piece.hash.hex() for piece in self.pieces]


class Pusher:
    """Sends files to one server; use it in a `with` block."""

    def __init__(
        self, parts: PusherParts, keys: Mapping[str, str], ended: Collection[str] = ()
    ) -> None:
        self._client = parts.client
        self._records = parts.records
        self._outgoing = parts.outgoing
        self._heads = parts.heads
        self._report = parts.report
        self._keys = keys
        self._ended = ended
        self._known = parts.records.files()
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self._waiting: dict[str, OutgoingPiece] = {}
        self._waiting_bytes = 0
        self._named: list[NamedFile] = []
        self._sent: set[str] = set()
        self._unreadable: dict[str, str] = {}
        self.again: dict[str, OutgoingSession] = {}
        self.on_bytes: Callable[[int], object] = lambda _: None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the threads; requests that have not begun are not sent."""
        self._pool.shutdown(cancel_futures=True)

    def add(self, session: OutgoingSession, wanted: Collection[ArchivedFile]) -> None:
        """Send the frames of a session's files, and soon their manifests."""
        left = {file.id: file for file in wanted}
        try:
            for file in self._outgoing.of_session(session, list(wanted)):
                pieces = [self._name(piece, file) for piece in file.pieces]
                self._named.append(NamedFile(session, file, pieces))
                left.pop(file.source.id, None)
        except DamagedBlobError as error:
            self._report.problems.append(PushProblem(session.session_id, error.name, str(error)))
        else:
            self._save_silent(session, left.values())
        if len(self._named) >= _BATCH_FILES:
            self.flush()

    def flush(self) -> None:
        """Send what waits."""
        self.upload()
        named, self._named = self._named, []
        ready = [each for each in named if self._is_ready(each)]
        for each, outcome in zip(ready, self._pool.map(self._commit, ready), strict=True):
            self._settle(each, outcome)

    def upload(self, extra: Iterable[OutgoingPiece] = ()) -> None:
        """Send those of the waiting pieces that the server lacks."""
        self._waiting.update({piece.reference.sha256: piece for piece in extra})
        waiting, self._waiting, self._waiting_bytes = self._waiting, {}, 0
        self._outgoing.save_marks()
        names = list(waiting)
        missing: list[str] = []
        for start in range(0, len(names), MAX_NAMED_FRAMES):
            question = MissingFrames(frames=names[start : start + MAX_NAMED_FRAMES])
            missing += self._client.post("/push/missing", question, MissingFrames).frames
        wanted = [waiting[name] for name in missing if name in waiting]
        for piece, packed_bytes in zip(wanted, self._pool.map(self._send, wanted), strict=True):
            if packed_bytes:
                self._sent.add(piece.reference.sha256)
                self._report.packed_bytes += packed_bytes
        self.on_bytes(sum(piece.reference.size for piece in waiting.values()))

    def _name(self, piece: OutgoingPiece, file: OutgoingFile) -> PushedPiece:
        """Let a piece wait to be sent, unless the server has deleted the session."""
        known = self._known.get((file.root_id, file.source.path))
        if known is None or known.receipt or known.file != file.file:
            self._waiting[piece.reference.sha256] = piece
            self._waiting_bytes += piece.reference.size
            if self._waiting_bytes >= _BATCH_BYTES:
                self.upload()
        return piece.record

    def _send(self, piece: OutgoingPiece) -> int:
        """Send one piece; return its compressed size, or 0 if it cannot be read."""
        sha256 = piece.reference.sha256
        try:
            content = piece.read()
        except DamagedBlobError as error:
            self._unreadable[sha256] = str(error)
            return 0
        packed, _ = next(compress([content], 0, 0))
        try:
            self._client.put_bytes(f"/push/frames/{sha256}", packed)
        except ServerRefusedError as error:
            if error.code != _BAD_FRAME:
                raise
            # It was damaged on its way, or the server was too slow.
            self._client.put_bytes(f"/push/frames/{sha256}", packed)
        return len(packed)

    def _is_ready(self, named: NamedFile) -> bool:
        """Tell whether all of a file was sent and the server does not know it yet."""
        reasons = [self._unreadable[name] for name in named.hashes if name in self._unreadable]
        if reasons:
            self._add_problem(named, reasons[0])
            return False
        head = self._heads.get(named.file.root_id, named.file.file)
        known = self._known.get((named.file.root_id, named.file.source.path))
        if head is None or known is None or not self._is_under(named, known):
            return True
        receipt = make_receipt(head.root, head.file, head.generation, named.hashes)
        if receipt != head.receipt:
            return True
        self._save(named, head)
        return False

    def _is_under(self, named: NamedFile, known: PushedFile) -> bool:
        decision = named.session.decision
        return (known.tier, known.epoch) == (decision.tier, decision.epoch)

    def _commit(self, named: NamedFile) -> Commit | ServerRefusedError:
        """Send a manifest; return what the server did, or why it did not."""
        file, decision = named.file, named.session.decision
        head = self._heads.get(file.root_id, file.file)
        manifest = FileManifest(
            root=file.root_id,
            file=file.file,
            kind=str(file.kind),
            session=file.session,
            agent=file.agent,
            workflow=file.workflow,
            project_key=self._keys[decision.consent_path],
            tier=decision.tier,
            epoch=decision.epoch,
            frames=[FrameReference(piece.hash.hex(), piece.size_bytes) for piece in named.pieces],
            size=sum(piece.size_bytes for piece in named.pieces),
            mtime_ns=file.source.mtime_ns,
            parent=None if head is None else head.receipt,
            has_ended=named.session.session_id in self._ended,
        )
        try:
            return self._client.post("/push/manifests", manifest, Commit)
        except ServerRefusedError as error:
            if error.code in _FATAL:
                raise
            return error

    def _settle(self, named: NamedFile, outcome: Commit | ServerRefusedError) -> None:
        file = named.file
        if isinstance(outcome, Commit):
            self._heads.set(outcome.head)
            self._save(named, outcome.head)
            self._report_sent(named)
        elif outcome.code in (_STALE, _MISSING):
            if outcome.code == _STALE and outcome.refusal.head is not None:
                self._heads.set(outcome.refusal.head)
            elif outcome.code == _STALE:
                self._heads.forget(file.root_id, file.file)
            self._known.pop((file.root_id, file.source.path), None)
            self.again[named.session.session_id] = named.session
        elif outcome.code == _DELETED:
            self._save(named, FileHead(file.root_id, file.file, "", 0))
            name = named.session.session_id
            self._add_note(
                f"session {name} was deleted on the server; `clew consent revive {name[:8]}` lets "
                "it be pushed again"
            )
        elif outcome.code == _BEING_DELETED:
            self._add_note(outcome.refusal.error.message)
        else:
            self._add_problem(named, outcome.refusal.error.message)

    def _save(self, named: NamedFile, head: FileHead) -> None:
        file, decision = named.file, named.session.decision
        pushed = PushedFile(
            root_id=file.root_id,
            path=file.source.path,
            file=file.file,
            session_id=named.session.session_id,
            tier=str(decision.tier),
            epoch=decision.epoch,
            generation=file.source.generation,
            kept_bytes=file.source.kept_bytes,
            receipt=head.receipt,
            server_generation=head.generation,
        )
        self._known[pushed.root_id, pushed.path] = pushed
        pieces = named.pieces if file.is_cut else ()
        self._records.save(pushed, pieces, dt.datetime.now(dt.UTC))

    def _save_silent(self, session: OutgoingSession, files: Iterable[ArchivedFile]) -> None:
        """Remember that nothing leaves of some files, as they are now."""
        for file in files:
            pushed = PushedFile(
                root_id=self._outgoing.root_id(file),
                path=file.path,
                file=NOT_SENT,
                session_id=session.session_id,
                tier=str(session.decision.tier),
                epoch=session.decision.epoch,
                generation=file.generation,
                kept_bytes=file.kept_bytes,
                receipt="",
                server_generation=0,
            )
            self._records.save(pushed, (), dt.datetime.now(dt.UTC))

    def _report_sent(self, named: NamedFile) -> None:
        sent = [piece for piece in named.pieces if piece.hash.hex() in self._sent]
        self._sent.difference_update(piece.hash.hex() for piece in sent)
        source = named.file.source
        self._report.add(
            PushItem(
                project=named.session.project,
                session_id=named.session.session_id,
                path=source.path,
                kind=str(source.kind),
                tier=str(named.session.decision.tier),
                frames=len(sent),
                bytes=sum(piece.size_bytes for piece in sent),
            )
        )

    def _add_note(self, note: str) -> None:
        if note not in self._report.notes:
            self._report.notes.append(note)

    def _add_problem(self, named: NamedFile, reason: str) -> None:
        problem = PushProblem(named.session.session_id, named.file.source.path, reason)
        self._report.problems.append(problem)
