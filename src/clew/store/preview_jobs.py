"""One session's rows for a preview: made in any process from its files, which are not archived."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.sessions import read_chunks
from clew.source import FileKind, SourceFile, open_regular
from clew.store.archive_file import FileUpdate
from clew.store.blobs import DamagedBlobError
from clew.store.compare import Edges
from clew.store.derive import BlobContent, FileContent, derive
from clew.store.jobs import FileResult, FileTask, Job, JobResult, encode_done
from clew.store.open_blobs import open_blobs
from clew.store.protocols import Blobs

# The ids of answers, and of the rows that old titles point at, as they are in the bytes. One
# expression for both takes twice as long.
_ANSWERS: Final = re.compile(rb'"id": ?"([^"\\]{8,80})"')
_FIRST_ANSWER: Final = re.compile(rb'"role": ?"assistant"[^\n]*\n')
_PARENT: Final = re.compile(rb'"parentUuid": ?(null|")')
_SUMMARY: Final = b'"isCompactSummary"'
_HEAD_BYTES: Final = 16_384
_ANSWER: Final = b'"type":"assistant"'
_SIDE: Final = (b'"isSidechain":true', b'"isSidechain": true')
_TITLED: Final = re.compile(rb'"leafUuid": ?"([^"\\]{8,80})"')


class DiskContent(msgspec.Struct, frozen=True):
    """The bytes of a file that is not archived yet."""

    file: SourceFile
    blob: str = ""

    def read(self, _: Blobs) -> Iterator[bytes]:
        """Return the bytes, piece by piece."""
        return read_chunks(self.file)


class NameSearch(msgspec.Struct, frozen=True):
    """Sessions to search for the ids of answers, and of rows that old titles may point at.

    A copy begins with the first answer of its original, so the first answer of a transcript tells
    whether it is related to others, unless those go on from the midst of it: then `is_whole`.
    """

    jobs: list[Job]
    answers: frozenset[bytes]
    rows: frozenset[bytes]
    is_whole: bool

    def matches(self, data: bytes) -> bool:
        """Return whether a transcript contains one of the ids."""
        if not self.answers.isdisjoint(_ANSWERS.findall(data)):
            return True
        return bool(self.rows) and not self.rows.isdisjoint(_TITLED.findall(data))

    def read(self, path: Path) -> bytes:
        """Read a transcript, or as much of it as has an answer."""
        if self.is_whole or self.rows:
            return path.read_bytes()
        with open_regular(path) as stream:
            data = stream.read(_HEAD_BYTES)
            while _FIRST_ANSWER.search(data) is None:
                # It is enlarged in ever larger steps, since the beginning is searched again.
                more = stream.read(len(data))
                if not more:
                    break
                data += more
        return data


def preview_session(job: Job) -> JobResult:
    """Make the rows of one session; a file that cannot be read is reported, and the rest goes on.

    Rows of blocks and texts for the index are left out: no list and no sum needs them.
    """
    blobs = open_blobs(job.blobs)
    looked = [_look(task) for task in job.files]
    files = [content for _, content in looked if content is not None]
    done = tuple(result for result, _ in looked if result is not None)
    if job.session_id is None:
        return JobResult(None, done, None)
    try:
        derived = derive(job.session_id, files, blobs, with_blocks=False)
    except DamagedBlobError as error:
        return JobResult(job.session_id, done, None, (str(error),))
    return JobResult(job.session_id, done, derived)


def preview_sessions(jobs: list[Job]) -> list[bytes]:
    """Make the rows of some sessions, packed, in this process or a worker."""
    return [encode_done([preview_session(job)]) for job in jobs]


def begins_in_midst(job: Job) -> bool:
    """Return whether a session goes on from the midst of another, by its first rows."""
    for task in job.files:
        if task.found is not None and task.found.kind is FileKind.SESSION:
            try:
                with open_regular(task.found.path) as stream:
                    data = stream.read(_HEAD_BYTES)
            except OSError:
                return True
            head = data[: data.find(_ANSWER)]
            first = _PARENT.search(head)
            if (first is not None and first[1] != b"null") or _SUMMARY in head:
                return True
    return False


def find_relevant(search: NameSearch) -> list[str]:
    """Return the sessions that contain one of the ids, or in which perhaps nobody says anything.

    All others are listed, and have no part in other sessions.
    """
    return [job.session_id for job in search.jobs if job.session_id and _is_relevant(job, search)]


def _is_relevant(job: Job, search: NameSearch) -> bool:
    is_talk = False
    for task in job.files:
        file = task.found
        if file is None or file.path.suffix != ".jsonl":
            continue
        try:
            data = search.read(file.path)
        except OSError:
            return True
        if search.matches(data):
            return True
        is_talk = is_talk or (file.kind is FileKind.SESSION and _has_answer(data))
    return not is_talk


def _has_answer(data: bytes) -> bool:
    """Return whether the model clearly answers in a session itself, not in an agent run only."""
    at = data.find(_ANSWER)
    start, end = data.rfind(b"\n", 0, max(at, 0)) + 1, data.find(b"\n", at)
    return at >= 0 and end >= 0 and all(data.find(side, start, end) < 0 for side in _SIDE)


def _look(task: FileTask) -> tuple[FileResult | None, FileContent | None]:
    """Return what becomes of a file, and its content: from the disk or, if gone, the archive."""
    found, known = task.found, task.known
    if not task.is_changed or found is None:
        return None, _archived(task)
    try:
        open_regular(found.path).close()
    except OSError as error:
        is_gone = isinstance(error, FileNotFoundError)
        reason = "" if is_gone else error.strerror or str(error)
        return FileResult(task.root, found.relative, None, reason), _archived(task)
    generation = known.generation if known else 1
    growth = FileUpdate(
        generation, found.size, (), Edges(None, 0, None, 0), found.mtime_ns, found.size, "", None
    )
    source = msgspec.structs.replace(found, path=Path(task.root, found.relative))
    content = FileContent(source, DiskContent(found))
    return FileResult(task.root, found.relative, growth), content


def _archived(task: FileTask) -> FileContent | None:
    source = task.as_source()
    if source is None or task.known is None:
        return None
    return FileContent(source, BlobContent(task.known.blob, task.frames))
