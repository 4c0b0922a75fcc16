"""A team's tables with members, and files that were pushed to them, without the push protocol."""

import hashlib
import secrets
from pathlib import Path
from typing import Any, Final

import msgspec
import psycopg

from clew.protocol import make_receipt
from clew.server.work_report import WorkerReport
from clew.server.worker import Worker, WorkerSettings
from clew.source import SourceFile, discover
from clew.store.archived_files import load_files, load_frames
from clew.store.frames import compress
from clew.store.location import blobs_of, open_index_for_writing
from clew.store.objects import open_objects
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder

PIECE: Final = 20_000


class PushedTeam:
    """An organisation, its members, and what they pushed, by SQL."""

    def __init__(self, location: PostgresLocation) -> None:
        self.location = location
        self.objects = open_objects(location.blobs)
        self.contents: dict[bytes, bytes] = {}
        self._connection: psycopg.Connection[Any] | None = None
        self.organisation = self.value(
            "INSERT INTO organisation (name) VALUES ('acme') RETURNING id"
        )

    def rows(self, text: str, *values: object) -> list[Any]:
        """Run SQL."""
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self.location.database_url, autocommit=True)
        cursor = self._connection.execute(text.encode(), values)
        return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def value(self, text: str, *values: object) -> Any:
        """Run SQL for one value."""
        return self.rows(text, *values)[0][0]

    def add_member(self, name: str) -> int:
        """Add a member with a scope of their own; return their number."""
        member = self.value(
            "INSERT INTO member (organisation_id, name) VALUES (%s, %s) RETURNING id",
            self.organisation,
            name,
        )
        self.rows(
            "INSERT INTO scope (organisation_id, kind, member_id) VALUES (%s, 'private', %s)",
            self.organisation,
            member,
        )
        return int(member)

    def work(self, settings: WorkerSettings | None = None) -> WorkerReport:
        """Let a worker do all that is due."""
        return Worker(self.location, settings).run_once()

    def as_owner(self, member: int) -> PostgresLocation:
        """Return the archive of a member."""
        return msgspec.structs.replace(self.location, owner=member)

    def restored(self, member: int) -> dict[str, bytes]:
        """Return the archived files of a member."""
        database = open_index_for_writing(self.as_owner(member)).database
        blobs = blobs_of(self.as_owner(member))
        try:
            return {
                file.path: b"".join(
                    blobs.read(file.blob, load_frames(database, file.id, file.generation))
                )
                for file in load_files(database).values()
            }
        finally:
            database.close()

    def scope_of(self, member: int) -> int:
        """Return the scope of a member."""
        return int(self.value("SELECT id FROM scope WHERE member_id = %s", member))

    def push(self, member: int, root: Path, root_id: str = "root") -> set[str]:
        """Push all files of sessions below a root; return the sessions that changed."""
        changed = set()
        for file in discover(root).files:
            if file.session_id is not None and self._push_file(member, root_id, file):
                changed.add(file.session_id)
        for session in changed:
            self.rows(
                "INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id, "
                "head_seq) VALUES (%s, %s, %s, 'everything', %s, 1) ON CONFLICT (owner, session_id)"
                " DO UPDATE SET head_seq = session_state.head_seq + 1, due_at = now(), "
                "attempts = 0, failed_reason = NULL, grown_at = now(), digest_attempts = 0, "
                "digest_reason = NULL",
                member,
                session,
                self.organisation,
                self.scope_of(member),
            )
        return changed

    def push_talk(self, member: int, folder: Path, text: str = "Look around") -> str:
        """Push a session of one turn; return its id."""
        path = SessionBuilder(text).user(text).assistant("So it is.").write(folder)
        self.push(member, folder)
        return path.stem

    def _push_file(self, member: int, root_id: str, file: SourceFile) -> bool:
        """Push a file as it is, in frames that stay as they are while it grows."""
        data = file.path.read_bytes()
        known = self.rows(
            "SELECT id, generation, size_bytes FROM received_file "
            "WHERE member_id = %s AND root_id = %s AND file = %s",
            member,
            root_id,
            file.relative,
        )
        before = b""
        generation = 1
        if known:
            before, generation = self.read(known[0][0], known[0][1]), known[0][1]
        if known and before == data:
            return False
        if not data.startswith(before):
            before, generation = b"", generation + 1
        new = data[len(before) :]
        frames = [self.add_frame(member, new[at : at + PIECE]) for at in range(0, len(new), PIECE)]
        file_id = self._commit(member, root_id, file, generation, len(data))
        first = self.value(
            "SELECT count(*) FROM received_frame WHERE file_id = %s AND generation = %s",
            file_id,
            generation,
        )
        for number, frame in enumerate(frames, first):
            self.rows(
                "INSERT INTO received_frame VALUES (%s, %s, %s, %s)",
                file_id,
                generation,
                number,
                frame,
            )
        return True

    def _commit(
        self, member: int, root_id: str, file: SourceFile, generation: int, size: int
    ) -> int:
        values = msgspec.structs.asdict(file)
        return int(
            self.value(
                "INSERT INTO received_file (member_id, root_id, file, kind, session_id, agent_id, "
                "workflow_id, project_key, tier, epoch, generation, receipt, size_bytes, mtime_ns) "
                "VALUES (%s, %s, %s, %s, %s, %s, %s, 'key', 'everything', 1, %s, %s, %s, %s) "
                "ON CONFLICT (member_id, root_id, file) DO UPDATE SET "
                "generation = excluded.generation, receipt = excluded.receipt, "
                "size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns, "
                "received_at = now() RETURNING id",
                member,
                root_id,
                file.relative,
                str(file.kind),
                *(values[name] for name in ("session_id", "agent_id", "workflow_id")),
                generation,
                make_receipt(root_id, file.relative, generation, [str(size)]),
                size,
                file.mtime_ns,
            )
        )

    def add_frame(self, member: int, content: bytes) -> int:
        """Send a frame, unless the member has; return its number."""
        digest = hashlib.sha256(content).digest()
        self.contents[digest] = content
        found = self.rows(
            "SELECT id FROM pushed_frame WHERE member_id = %s AND hash = %s", member, digest
        )
        if found:
            return int(found[0][0])
        ((packed, _),) = compress([content], 0, 0)
        key = f"pushed/{member}/{secrets.token_hex(16)}"
        self.objects.put(key, packed)
        return int(
            self.value(
                "INSERT INTO pushed_frame (member_id, hash, size_bytes, packed_bytes, object_key, "
                "committed_at) VALUES (%s, %s, %s, %s, %s, now()) RETURNING id",
                member,
                digest,
                len(content),
                len(packed),
                key,
            )
        )

    def read(self, file_id: int, generation: int) -> bytes:
        """Return what was pushed of a file."""
        hashes = self.rows(
            "SELECT p.hash FROM received_frame r JOIN pushed_frame p ON p.id = r.frame_id "
            "WHERE r.file_id = %s AND r.generation = %s ORDER BY r.number",
            file_id,
            generation,
        )
        return b"".join(self.contents[bytes(row[0])] for row in hashes)
