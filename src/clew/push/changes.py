"""Which files of a session a server lacks, by what it has acknowledged."""

from collections.abc import Collection, Mapping

from clew.protocol import Tier
from clew.push.outgoing import OutgoingSession
from clew.push.push_records import NOT_SENT, PushedFile
from clew.push.server_heads import ServerHeads
from clew.store import ArchivedFile


class Changes:
    """Compares sessions with what one server has of them."""

    def __init__(
        self,
        known: Mapping[tuple[str, str], PushedFile],
        heads: ServerHeads,
        root_ids: Mapping[str, str],
    ) -> None:
        self._known = known
        self._heads = heads
        self._root_ids = root_ids

    def known(self, file: ArchivedFile) -> PushedFile | None:
        """Return what is acknowledged of a file."""
        return self._known.get((self._root_ids[file.root], file.path))

    def of_session(
        self, session: OutgoingSession, lost_files: Collection[int] = ()
    ) -> list[ArchivedFile]:
        """Return the files to push.

        Below the tier of everything that is all or none: one that changed may change how the others
        are masked.
        """
        changed = [
            file for file in session.files if file.id in lost_files or self._lacks(session, file)
        ]
        if changed and session.decision.tier is not Tier.EVERYTHING:
            return list(session.files)
        return changed

    def left_bytes(self, file: ArchivedFile) -> int:
        """Return about how many bytes there are to send of a file."""
        known = self.known(file)
        if known is None or known.generation != file.generation or not known.receipt:
            return file.kept_bytes
        return max(file.kept_bytes - known.kept_bytes, 0)

    def _lacks(self, session: OutgoingSession, file: ArchivedFile) -> bool:
        known = self.known(file)
        decision = session.decision
        if known is None or (known.tier, known.epoch) != (decision.tier, decision.epoch):
            return True
        if (known.generation, known.kept_bytes) != (file.generation, file.kept_bytes):
            return True
        if known.file == NOT_SENT:
            return False
        head = self._heads.get(known.root_id, known.file)
        return head is None or head.receipt != known.receipt
