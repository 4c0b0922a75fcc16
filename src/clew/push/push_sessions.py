"""A push from start to end: what the server has, what may leave, what it lacks."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from clew.archive import Archive, NoArchiveError
from clew.protocol import FrameReference, Tier
from clew.push.changes import Changes
from clew.push.consents import Consents, ProjectConsent
from clew.push.logins import Logins, ServerLogin
from clew.push.outgoing import OutgoingSession
from clew.push.outgoing_files import OutgoingPiece
from clew.push.outgoing_source import OutgoingSource
from clew.push.push_files import PushFiles, find_push_files
from clew.push.push_lock import working_alone
from clew.push.push_records import PushRecords
from clew.push.push_report import OnPushProgress, PushItem, PushProgress, PushReport
from clew.push.pusher import Pusher, PusherParts
from clew.push.server_heads import ServerHeads
from clew.push.team_client import FEW_TRIES, MOST_TRIES, TeamClient
from clew.store import (
    ArchivedFile,
    ArchiveReader,
    Frame,
    open_reader,
    translate_errors,
)
from clew.store.location import open_index_for_writing

_MOST_ROUNDS: Final = 4


def push(
    archive: Archive,
    login: ServerLogin,
    *,
    wanted: Collection[str] | None = None,
    ended: Collection[str] = (),
    on_progress: OnPushProgress = lambda _: None,
) -> PushReport:
    """Send what the server lacks of what may leave; sync the archive before.

    Args:
        archive: What to send from.
        login: The server.
        wanted: The ids of the sessions to consider, by default all.
        ended: The ids of sessions that the client has closed.
        on_progress: Called whenever something was sent.

    Raises:
        PushBusyError: Another process pushes.
        ServerUnreachableError: The server cannot be reached; what was acknowledged stays so.
        LoginRefusedError: The server does not accept this device.
        ServerRefusedError: It refuses everything that follows, as beyond a quota.
    """
    files = find_push_files(archive.location)
    consents = Consents(files)
    if not any(consent.concerns_server for consent in consents.all(login.server)):
        return PushReport(server=login.server)
    with _opened(archive, login.server) as (reader, records), working_alone(files):
        token = Logins(files).token_of(login)
        with TeamClient(login.server, token, most_tries=FEW_TRIES) as client:
            work = _Push(files, reader, records, client)
            return work.run(consents, wanted, ended, on_progress)


def preview_push(
    archive: Archive, login: ServerLogin, *, wanted: Collection[str] | None = None
) -> PushReport:
    """Return what a push would send, by what this laptop knows; nothing is sent for it."""
    files = find_push_files(archive.location)
    report = PushReport(server=login.server, is_dry_run=True)
    consents = Consents(files).all(login.server)
    report.projects = _count_allowed(consents)
    if not report.projects:
        return report
    with _opened(archive, login.server) as (reader, records):
        source = OutgoingSource(files, reader, records, consents)
        changes = Changes(records.files(), known_heads(records), source.root_ids)
        for session in source.allowed(wanted, report):
            changed = changes.of_session(session)
            report.sessions_unchanged += not changed
            for file in source.files.of_session(session, changed):
                known = _acknowledged(changes, source, session, file.source)
                left = [piece for piece in file.pieces if not known(piece)]
                if left:
                    report.add(_item(session, file.source, [each.reference for each in left]))
    return report


def _count_allowed(consents: Iterable[ProjectConsent]) -> int:
    return sum(consent.tier is not Tier.NOTHING for consent in consents)


def known_heads(records: PushRecords) -> ServerHeads:
    """Return what a server has, as far as this laptop knows."""
    return ServerHeads(row.head for row in records.files().values() if row.receipt)


@contextmanager
def _opened(archive: Archive, server: str) -> Iterator[tuple[ArchiveReader, PushRecords]]:
    """Open the archive for reading, and the tables of pushes for writing."""
    with translate_errors(archive.location):
        reader = open_reader(archive.location)
        if reader is None:
            raise NoArchiveError(archive.location.name)
        database = open_index_for_writing(archive.location).database
        try:
            yield reader, PushRecords(database, server)
        finally:
            database.close()
            reader.close()


class _Push:
    """One push to one server."""

    def __init__(
        self, files: PushFiles, reader: ArchiveReader, records: PushRecords, client: TeamClient
    ) -> None:
        self._files = files
        self._reader = reader
        self._records = records
        self._client = client
        self._report = PushReport(server=client.server)

    def run(
        self,
        consents: Consents,
        wanted: Collection[str] | None,
        ended: Collection[str],
        on_progress: OnPushProgress,
    ) -> PushReport:
        """Do all steps; sessions that changed on the server meanwhile are read and sent again."""
        heads = known_heads(self._records)
        answer = heads.greet(self._client, self._records.root_ids().values())
        self._client.most_tries = MOST_TRIES
        agreed, self._report.notes = consents.agree(self._client, answer.consents)
        self._report.projects = _count_allowed(agreed)
        source = OutgoingSource(self._files, self._reader, self._records, agreed)
        sessions = source.allowed(wanted, self._report)
        parts = PusherParts(self._client, self._records, source.files, heads, self._report)
        keys = {consent.path: consents.key_of(consent) for consent in agreed}
        with Pusher(parts, keys, ended) as pusher:
            lost = self._send_lost(pusher, source, sessions, answer.lost)
            for _ in range(_MOST_ROUNDS):
                changes = Changes(self._records.files(), heads, source.root_ids)
                self._send(pusher, changes, sessions, lost, on_progress)
                if not pusher.again:
                    return self._report
                again, lost = frozenset(pusher.again), frozenset()
                pusher.again.clear()
                source.load()
                sessions = source.allowed(again, PushReport())
        self._report.notes.append("some files changed on the server meanwhile; run this again")
        return self._report

    def _send(
        self,
        pusher: Pusher,
        changes: Changes,
        sessions: Sequence[OutgoingSession],
        lost: Collection[int],
        on_progress: OnPushProgress,
    ) -> None:
        """Send what the server lacks of some sessions."""
        plan = [(session, changes.of_session(session, lost)) for session in sessions]
        total = sum(changes.left_bytes(file) for _, changed in plan for file in changed)
        done = 0

        def advance(size: int) -> None:
            nonlocal done
            done = min(done + size, total)
            on_progress(PushProgress(done, total, self._report.sessions))

        pusher.on_bytes = advance
        for session, changed in plan:
            self._report.sessions_unchanged += not changed
            if changed:
                pusher.add(session, changed)
        pusher.flush()

    def _send_lost(
        self,
        pusher: Pusher,
        source: OutgoingSource,
        sessions: Sequence[OutgoingSession],
        lost: Sequence[str],
    ) -> frozenset[int]:
        """Send frames again that the server had and has no longer.

        Return the files of which pieces were made anew for them, which must be made once more.
        """
        if not lost:
            return frozenset()
        names = set(lost)
        whole = {
            file.id: file
            for session in sessions
            if session.decision.tier is Tier.EVERYTHING
            for file in session.files
        }
        rows = self._reader.database.rows("frames_with_hashes", {"hashes": sorted(names)})
        pieces = [
            source.files.piece(whole[file_id], generation, Frame(*frame))
            for file_id, generation, *frame in rows
            if file_id in whole
        ]
        pusher.upload(pieces)
        return frozenset(
            file.id
            for session in sessions
            for file in session.files
            if any(piece.hash.hex() in names for piece in source.files.known_pieces(file))
        )


def _acknowledged(
    changes: Changes, source: OutgoingSource, session: OutgoingSession, file: ArchivedFile
) -> "partial[bool]":
    """Return what tells whether the server has a piece of a file, by what it acknowledged."""
    known = changes.known(file)
    is_same = known is not None and known.receipt and known.tier == session.decision.tier
    pieces = source.files.known_pieces(file) if is_same else ()
    end = known.kept_bytes if known and is_same and known.generation == file.generation else 0
    return partial(_is_known, frozenset(piece.hash for piece in pieces), 0 if pieces else end)


def _is_known(hashes: Collection[bytes], end: int, piece: OutgoingPiece) -> bool:
    return piece.record.hash in hashes or piece.source_end <= end


def _item(
    session: OutgoingSession, file: ArchivedFile, frames: Sequence[FrameReference]
) -> PushItem:
    return PushItem(
        project=session.project,
        session_id=session.session_id,
        path=file.path,
        kind=str(file.kind),
        tier=str(session.decision.tier),
        frames=len(frames),
        bytes=sum(frame.size for frame in frames),
    )
