"""Sessions of a team server → the local archive, byte for byte.

They are archived as files of a root of their own, one for each server and member, and are never
pushed. A session that has not changed since is not downloaded again.
"""

import datetime as dt
import hashlib
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import msgspec

from clew.archive import Archive
from clew.protocol import MAX_NAME
from clew.push.logins import Logins, ServerLogin
from clew.push.names import KeyedNames
from clew.push.push_errors import PushError, ServerRefusedError, ServerUnreachableError
from clew.push.push_files import PushFiles, find_push_files, names_key
from clew.push.push_lock import working_alone
from clew.push.push_records import PushRecords
from clew.push.team_client import TeamClient
from clew.source import classify
from clew.store import translate_errors
from clew.store.location import open_index_for_writing
from clew.writing import whole_file

_PAGE: Final = "100"
_LATER: Final = "what was pulled stays, the next `clew pull` fetches the rest"
# So many are archived at a time, and then deleted where they were downloaded to.
_BATCH: Final = 50
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_PART: Final = re.compile(r"[^\x00-\x1f\x7f\\/:]+")
_MOST_FILES: Final = 10_000
# No file system takes a longer name of a file or folder.
_MOST_BYTES: Final = 255


class ServerSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that the user may read on a server; `id` is what the server calls it."""

    id: str
    title: str = ""
    member: str = ""


class ServerSessionPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the sessions that match."""

    sessions: list[ServerSession]
    next_cursor: str | None = None


class ServerFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a session, and where to download it."""

    path: str
    size_bytes: int
    sha256: str | None = None
    url: str


class ServerFileList(msgspec.Struct, frozen=True, kw_only=True):
    """All files of a session, with its own id."""

    session_id: str
    files: list[ServerFile]


class PulledItem(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was pulled."""

    session_id: str
    member: str
    title: str
    files: int
    bytes: int


class PullProblem(msgspec.Struct, frozen=True):
    """A session that was not pulled, and why."""

    session_id: str
    reason: str


class PullReport(msgspec.Struct, kw_only=True):
    """What a pull did."""

    schema: str = "clew.pull/1"
    server: str = ""
    sessions: int = 0
    sessions_unchanged: int = 0
    sessions_own: int = 0
    files: int = 0
    bytes: int = 0
    items: list[PulledItem] = []
    problems: list[PullProblem] = []
    seconds: float = 0.0


class UnusableSessionError(PushError):
    """A server sends a session that cannot be archived."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the session cannot be archived: {reason}")


def pull(
    archive: Archive,
    login: ServerLogin,
    names: Sequence[str] = (),
    filters: Mapping[str, str] | None = None,
    on_session: Callable[[int], object] = lambda _: None,
) -> PullReport:
    """Fetch sessions into the archive: those that are named, or all that match.

    Args:
        archive: Where to.
        login: The server.
        names: Ids of sessions, or their keys on the server.
        filters: As the server's list of sessions takes them; all sessions if there are none.
        on_session: Called with how many sessions have been looked at.

    Raises:
        ServerUnreachableError: The server cannot be reached; what was pulled stays.
        ArchiveBusyError: Another process writes to the archive.
    """
    files = find_push_files(archive.location)
    with translate_errors(archive.location), working_alone(files):
        database = open_index_for_writing(archive.location).database
        try:
            records = PushRecords(database, login.server)
            with TeamClient(login.server, Logins(files).token_of(login)) as client:
                work = _Pull(archive, files, records, client)
                found = work.named(names) if names else _matching(client, filters or {})
                return work.run(found, on_session)
        except ServerUnreachableError as error:
            raise ServerUnreachableError(error.server, error.reason, _LATER) from error
        finally:
            database.close()


def _matching(client: TeamClient, filters: Mapping[str, str]) -> Iterator[ServerSession]:
    """List sessions, those that lists hide too: they count in usage, and agents ran in them."""
    asked = {**filters, "with_hidden": "true", "limit": _PAGE}
    cursor: str | None = ""
    while cursor is not None:
        more = {"cursor": cursor} if cursor else {}
        page = client.get("/api/sessions", ServerSessionPage, **asked, **more)
        yield from page.sessions
        cursor = page.next_cursor


class _Pull:
    """One pull from one server."""

    def __init__(
        self, archive: Archive, files: PushFiles, records: PushRecords, client: TeamClient
    ) -> None:
        self._archive = archive
        self._records = records
        self._client = client
        server = urlsplit(client.server)
        self._folder = files.pulled / _safe_name(server.netloc + server.path)
        self._pulled = records.pulled()
        self._own = _own_sessions(archive, files, client.server)
        self._waiting: list[tuple[PulledItem, str]] = []
        self._report = PullReport(server=client.server)

    def named(self, names: Iterable[str]) -> Iterator[ServerSession]:
        """Return sessions by their names; those that the user may not read are problems."""
        for name in names:
            try:
                yield self._client.get(f"/api/sessions/{quote(name, safe='')}", ServerSession)
            except ServerRefusedError as error:
                self._report.problems.append(PullProblem(name, str(error)))

    def run(
        self, found: Iterable[ServerSession], on_session: Callable[[int], object]
    ) -> PullReport:
        """Download and archive sessions, some at a time."""
        try:
            for number, session in enumerate(found, start=1):
                self._pull(session)
                if len(self._waiting) >= _BATCH:
                    self._archive_waiting()
                on_session(number)
        finally:
            self._archive_waiting()
            shutil.rmtree(self._folder, ignore_errors=True)
        return self._report

    def _pull(self, session: ServerSession) -> None:
        known = {name: row[2] for name, row in self._pulled.items() if row[:2] == self._of(session)}
        try:
            address = f"/api/sessions/{quote(session.id, safe='')}/raw"
            found = self._client.get_version(address, ServerFileList, known.get(session.id, ""))
            if found is None:
                self._report.sessions_unchanged += 1
                return
            listed, version = found
            name = listed.session_id
            if name in self._own:
                self._report.sessions_own += 1
            elif known.get(name) == version:
                self._report.sessions_unchanged += 1
            else:
                self._require_new(session, name)
                self._download(session, listed, version)
        except (ServerRefusedError, UnusableSessionError) as error:
            self._report.problems.append(PullProblem(session.id, str(error)))

    def _require_new(self, session: ServerSession, name: str) -> None:
        """Make sure that no session of the same id came from somebody else."""
        server, member, _ = self._pulled.get(name, (*self._of(session), ""))
        if (server, member) != self._of(session):
            raise UnusableSessionError(f"one of the same id was pulled from {member} on {server}")

    def _of(self, session: ServerSession) -> tuple[str, str]:
        return self._client.server, session.member

    def _download(self, session: ServerSession, listed: ServerFileList, version: str) -> None:
        root = self._folder / _safe_name(session.member)
        if len(listed.files) > _MOST_FILES:
            raise UnusableSessionError("it has too many files")
        for file in listed.files:
            _require_path(file.path, listed.session_id)
        for file in listed.files:
            self._download_file(file, root)
        item = PulledItem(
            session_id=listed.session_id,
            member=session.member,
            title=session.title,
            files=len(listed.files),
            bytes=sum(file.size_bytes for file in listed.files),
        )
        self._waiting.append((item, version))

    def _download_file(self, file: ServerFile, root: Path) -> None:
        """Download a file, which appears when it is complete and what the server says."""
        if not file.url.startswith("/api/"):
            raise UnusableSessionError("a file is somewhere else than on the server")
        digest = hashlib.sha256()
        size = 0
        with (
            self._client.download(f"{file.url}?plain=true") as pieces,
            whole_file(root / file.path, root, mode=0o600, folder_mode=0o700) as stream,
        ):
            for piece in pieces:
                size += len(piece)
                if size > file.size_bytes:
                    raise UnusableSessionError("a file is longer than the server says; try again")
                digest.update(piece)
                stream.write(piece)
            is_right = file.sha256 in (None, digest.hexdigest())
            if size != file.size_bytes or not is_right:
                raise UnusableSessionError("a file is not what the server says; try again")

    def _archive_waiting(self) -> None:
        """Archive what was downloaded, and delete the downloads."""
        waiting, self._waiting = self._waiting, []
        roots = [self._folder / name for name in {_safe_name(item.member) for item, _ in waiting}]
        if not roots:
            return
        self._archive.sync(sorted(roots))
        now = dt.datetime.now(dt.UTC)
        for item, version in waiting:
            self._records.save_pulled(item.session_id, item.member, version, now)
            self._report.items.append(item)
            self._report.sessions += 1
            self._report.files += item.files
            self._report.bytes += item.bytes
        self._pulled = self._records.pulled()
        for root in roots:
            shutil.rmtree(root, ignore_errors=True)


def _own_sessions(archive: Archive, files: PushFiles, server: str) -> set[str]:
    """Return the sessions of this laptop, which are never overwritten, by all of their names.

    Below the tier of everything, a server knows them by others; pulled, they would count twice.
    """
    if not archive.exists:
        return set()
    own = {
        file.session_id
        for file in archive.archived_files()
        if file.session_id and not Path(file.root).is_relative_to(files.pulled)
    }
    names = KeyedNames(names_key(files, server))
    return own | set(map(names.hash_session, own))


def _require_path(path: str, session_id: str) -> None:
    """Make sure that a path is below its root, and that of a file of the session."""
    parts = path.split("/")
    is_safe = all(_PART.fullmatch(part) and part not in (".", "..") for part in parts)
    is_short = len(path) <= MAX_NAME and all(len(part.encode()) <= _MOST_BYTES for part in parts)
    owner = classify(path).session_id
    if not is_safe or not is_short or owner not in (None, session_id):
        raise UnusableSessionError("a file has a path that no file of a session has")


def _safe_name(text: str) -> str:
    return _UNSAFE.sub("_", text).strip(".") or "_"
