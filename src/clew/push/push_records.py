"""What a laptop remembers of its pushes, in its archive: roots, acknowledged files, pieces, marks.

Nothing of it can be derived from transcripts, but without it a push only takes longer: it learns
from the server what that has.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from clew.clock import format_time
from clew.protocol import FileHead
from clew.push.mark_ledger import SavedMark
from clew.store import Database

NOT_SENT: Final = ""
"""What a file is called on a server if its tier lets nothing of it leave."""


class PushedPiece(msgspec.Struct, frozen=True):
    """A piece that was sent of a file: where it ends there, its size, and the SHA-256 of it."""

    source_end: int
    size_bytes: int
    hash: bytes


class PushedFile(msgspec.Struct, frozen=True, array_like=True):
    """What a server has acknowledged of a file; `receipt` is empty if the server refused it."""

    root_id: str
    path: str
    file: str
    session_id: str
    tier: str
    epoch: int
    generation: int
    kept_bytes: int
    receipt: str
    server_generation: int

    @property
    def head(self) -> FileHead:
        """The same as the server says it."""
        return FileHead(self.root_id, self.file, self.receipt, self.server_generation)


class PushRecords:
    """The tables of one server's pushes."""

    def __init__(self, database: Database, server: str) -> None:
        self._database = database
        self.server = server

    def root_ids(self) -> dict[str, str]:
        """Return the ids of the roots that were pushed before."""
        return dict(self._database.rows("root_ids"))

    def save_root_id(self, root: str, root_id: str) -> None:
        """Remember the id of a root."""
        self._database.run("set_root_id", {"root": root, "id": root_id})

    def files(self) -> dict[tuple[str, str], PushedFile]:
        """Return what is acknowledged, by root and path."""
        rows = list(self._database.rows("pushed_files", {"server": self.server}))
        found = msgspec.convert(rows, list[PushedFile])
        return {(file.root_id, file.path): file for file in found}

    def pieces(self) -> Mapping[tuple[str, str], list[PushedPiece]]:
        """Return the pieces that files were cut into, by root and path."""
        found: defaultdict[tuple[str, str], list[PushedPiece]] = defaultdict(list)
        for root, path, _, *piece in self._database.rows("pushed_pieces", {"server": self.server}):
            found[root, path].append(PushedPiece(*piece))
        return found

    def save(
        self, file: PushedFile, pieces: Sequence[PushedPiece] | None, now: dt.datetime
    ) -> None:
        """Remember what is acknowledged of a file, and of which pieces it was made, if of any."""
        values = {**msgspec.structs.asdict(file), "server": self.server}
        with self._database.transaction():
            self._database.run("set_pushed_file", {**values, "pushed_at": format_time(now)})
            place = {"server": self.server, "root_id": file.root_id, "path": file.path}
            self._database.run("delete_pushed_pieces", place)
            self._database.run_many(
                "add_pushed_piece",
                [
                    {**place, "number": number, **msgspec.structs.asdict(piece)}
                    for number, piece in enumerate(pieces or ())
                ],
            )

    def pulled(self) -> dict[str, tuple[str, str, str]]:
        """Return the sessions that came from servers: from which, from whom, and the version."""
        return {row[0]: (row[1], row[2], row[3]) for row in self._database.rows("pulled_sessions")}

    def save_pulled(self, session_id: str, member: str, receipt: str, now: dt.datetime) -> None:
        """Remember that a session came from the server."""
        values = {"session_id": session_id, "server": self.server, "member": member}
        more = {"receipt": receipt, "pulled_at": format_time(now)}
        self._database.run("set_pulled_session", {**values, **more})

    def marks(self) -> list[SavedMark]:
        """Return the numbers of all masked secrets."""
        return [SavedMark(*row) for row in self._database.rows("secret_marks")]

    def save_marks(self, added: Iterable[SavedMark]) -> None:
        """Remember the numbers of secrets that are masked for the first time."""
        self._database.run_many("add_secret_mark", map(msgspec.structs.asdict, added))
