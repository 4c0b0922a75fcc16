"""The archive → what may leave it: each session with its own files and its tier.

Only files of one session leave. Sessions that came from a server are not sent to any.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from clew.protocol import Tier
from clew.push.touched import SessionDecision, TierRules, find_folders
from clew.source import SESSION_KINDS, TRANSCRIPT_KINDS
from clew.store import ArchivedFile, ArchiveReader
from clew.writing import whole_file


class OutgoingSession(msgspec.Struct, frozen=True):
    """A session with those of its files that belong to it alone, and what may leave of it."""

    session_id: str
    project: str
    files: tuple[ArchivedFile, ...]
    decision: SessionDecision


class Outgoing:
    """The sessions of an archive, with what may leave of each."""

    def __init__(self, reader: ArchiveReader, rules: TierRules, folders: "FolderCache") -> None:
        self._reader = reader
        self._rules = rules
        self._folders = folders
        self.files = [file for file in reader.files() if _is_of_session(file)]

    def leave_out(self, pulled: Collection[str], pulled_root: Path) -> None:
        """Leave out sessions that came from a server."""
        self.files = [
            file
            for file in self.files
            if file.session_id not in pulled and not Path(file.root).is_relative_to(pulled_root)
        ]

    def drop_moved(self, root_ids: Mapping[str, str]) -> None:
        """Leave out files that are also where their root was moved to."""
        found: dict[tuple[str, str], ArchivedFile] = {}
        for file in self.files:
            key = (root_ids[file.root], file.path)
            if key not in found or _freshness(file) > _freshness(found[key]):
                found[key] = file
        self.files = list(found.values())

    def sessions(self, wanted: Collection[str] | None = None) -> Iterator[OutgoingSession]:
        """Return the sessions with what may leave of each, those written last first."""
        groups: defaultdict[str, list[ArchivedFile]] = defaultdict(list)
        for file in self.files:
            if file.session_id and (wanted is None or file.session_id in wanted):
                groups[file.session_id].append(file)
        places = {row[0]: (row[1], row[2]) for row in self._reader.database.rows("session_places")}
        for name in sorted(groups, key=lambda name: _written(groups[name]), reverse=True):
            files = tuple(sorted(groups[name], key=lambda file: (file.root, file.path)))
            project, cwd = places.get(name, ("", ""))
            yield OutgoingSession(name, project, files, self._decide(files, project, cwd))

    def _decide(self, files: Sequence[ArchivedFile], project: str, cwd: str) -> SessionDecision:
        """Decide by the project alone if that allows nothing: then no byte needs to be read."""
        first = self._rules.decide(project, [cwd] if cwd else [])
        if first.tier is Tier.NOTHING:
            return first
        return self._rules.decide(project, self._folders.of_session(self._reader, files))


class FolderCache:
    """The working directories of sessions, remembered for as long as those do not grow."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, tuple[str, list[str]]] = {}
        self._used: dict[str, tuple[str, list[str]]] = {}
        # It only saves time.
        with suppress(OSError, msgspec.DecodeError):
            kind = dict[str, tuple[str, list[str]]]
            self._known = msgspec.msgpack.decode(path.read_bytes(), type=kind)

    def of_session(self, reader: ArchiveReader, files: Sequence[ArchivedFile]) -> list[str]:
        """Return the working directories that the transcripts of a session mention."""
        transcripts = [file for file in files if file.kind in TRANSCRIPT_KINDS]
        state = "|".join(f"{file.id}.{file.generation}.{file.kept_bytes}" for file in transcripts)
        name = files[0].session_id or ""
        found = self._known.get(name)
        if found is None or found[0] != state:
            folders = {
                folder for file in transcripts for folder in find_folders(reader.read_file(file))
            }
            found = (state, sorted(folders))
        self._used[name] = found
        return found[1]

    def save(self) -> None:
        """Remember for the next time."""
        if self._used != self._known:
            with whole_file(self._path, self._path.parent, mode=0o600) as stream:
                stream.write(msgspec.msgpack.encode({**self._known, **self._used}))


def _written(files: Sequence[ArchivedFile]) -> int:
    return max(file.mtime_ns for file in files)


def _is_of_session(file: ArchivedFile) -> bool:
    return file.session_id is not None and file.kind in SESSION_KINDS and file.kept_bytes > 0


def _freshness(file: ArchivedFile) -> tuple[bool, int, int]:
    return file.state == "present", file.kept_bytes, file.mtime_ns
