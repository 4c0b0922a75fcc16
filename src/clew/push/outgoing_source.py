"""What may leave an archive for one server: its sessions, and how their files leave."""

from collections import Counter
from collections.abc import Collection, Sequence

from clew.protocol import Tier
from clew.push.consents import ProjectConsent
from clew.push.outgoing import FolderCache, Outgoing, OutgoingSession
from clew.push.outgoing_files import OutgoingFiles
from clew.push.push_files import PushFiles
from clew.push.push_records import PushRecords
from clew.push.push_report import HeldBack, PushReport
from clew.push.root_ids import find_root_ids
from clew.push.touched import TierRules
from clew.store import ArchiveReader


class OutgoingSource:
    """An archive as a server may see it."""

    def __init__(
        self,
        files: PushFiles,
        reader: ArchiveReader,
        records: PushRecords,
        consents: Sequence[ProjectConsent],
    ) -> None:
        self._reader = reader
        self._records = records
        self._push_files = files
        self._folders = FolderCache(files.folders)
        projects = [str(row[0]) for row in reader.database.rows("project_paths")]
        self._rules = TierRules(consents, projects)
        self.root_ids: dict[str, str] = {}
        self.load()
        self.files = OutgoingFiles(reader, records, files, self.root_ids)

    def load(self) -> None:
        """Read which files there are, at first and whenever they may have changed."""
        pulled = self._records.pulled().keys()
        self._outgoing = Outgoing(self._reader, self._rules, self._folders)
        self._outgoing.leave_out(pulled, self._push_files.pulled)
        self.root_ids.update(find_root_ids(self._records, self._push_files, self._outgoing.files))
        self._outgoing.drop_moved(self.root_ids)

    def allowed(self, wanted: Collection[str] | None, report: PushReport) -> list[OutgoingSession]:
        """Return the sessions of which something may leave, the newest first.

        Those that stay although their project allows something are reported.
        """
        found = []
        held: Counter[tuple[str, str]] = Counter()
        for session in self._outgoing.sessions(wanted):
            decision = session.decision
            if decision.tier is not Tier.NOTHING:
                found.append(session)
            elif self._rules.decide_folder(session.project).tier is not Tier.NOTHING:
                held[session.project, decision.reason] += 1
        self._folders.save()
        report.held_back = [HeldBack(*key, count) for key, count in sorted(held.items())]
        return found
