"""Changed files and outdated sessions → jobs, one for each session."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from clew.sessions import session_in
from clew.source import SourceFile
from clew.store.archived_files import ArchivedFile, load_frames
from clew.store.jobs import FileTask, Job
from clew.store.location import blobs_address
from clew.store.session_tables import PARSER_VERSION
from clew.store.sync_report import LargeSyncError
from clew.store.sync_state import FileKey, SyncState

# Files of no session that are archived together.
_PART_BYTES: Final = 1 << 20
_PART_FILES: Final = 32


def require_small(jobs: Sequence[Job], max_bytes: int | None) -> None:
    """Make sure that jobs have no more to do than so many bytes, if there is a limit.

    Raises:
        LargeSyncError: They have more to do.
    """
    size = sum(job.work_bytes for job in jobs)
    if max_bytes is not None and size > max_bytes:
        sessions = [job for job in jobs if job.session_id is not None]
        new = sum(all(task.known is None for task in job.files) for job in sessions)
        raise LargeSyncError(len(sessions), new, size)


def make_jobs(state: SyncState, outdated: set[str]) -> list[Job]:
    """Make a job for each session with a changed file or outdated rows, the newest first.

    Files of no session come last.
    """
    owners = {key: _owner(state, key, file) for key, file in state.found.items()}
    touched = {owner for owner in owners.values() if owner} | outdated
    tasks: dict[str, dict[FileKey, FileTask]] = {name: {} for name in touched}
    for key, known in state.known.items():
        if known.session_id in tasks:
            tasks[known.session_id][key] = _task(state, key, None, known)
    loose: list[FileTask] = []
    for key, file in state.found.items():
        task = _task(state, key, file, state.known.get(key))
        owner = owners[key]
        if owner:
            tasks[owner][key] = task
        else:
            loose.append(task)
    blobs, limits = blobs_address(state.location), state.location.limits
    jobs = [
        Job(name, tuple(task for _, task in sorted(files.items())), blobs, limits=limits)
        for name, files in tasks.items()
    ]
    jobs.sort(key=_newest, reverse=True)
    return [*jobs, *(Job(None, tuple(part), blobs) for part in _parts(loose))]


def _newest(job: Job) -> int:
    """Return when any of a session's files was last written to."""
    files = (task.as_source() for task in job.files)
    return max((file.mtime_ns for file in files if file is not None), default=0)


def _parts(tasks: list[FileTask]) -> Iterator[list[FileTask]]:
    """Split files of no session, so that all processes share them."""
    part: list[FileTask] = []
    size = 0
    for task in tasks:
        part.append(task)
        size += task.found.size if task.found else 0
        if size >= _PART_BYTES or len(part) >= _PART_FILES:
            yield part
            part, size = [], 0
    if part:
        yield part


def keep_newer_rows(state: SyncState, jobs: list[Job]) -> Iterator[Job]:
    """Archive only the bytes of sessions whose rows a newer parser made; it will derive them."""
    values = {"parser_version": PARSER_VERSION}
    newer = {row[0] for row in state.database.rows("newer_sessions", values)}
    for job in jobs:
        if job.session_id not in newer:
            yield job
        elif any(task.is_changed for task in job.files):
            state.report.sessions_newer += 1
            yield msgspec.structs.replace(job, is_deferred=True)


def defer_jobs(state: SyncState, jobs: list[Job], outdated: set[str]) -> Iterator[Job]:
    """Defer the rows of long sessions that still grow, if they have any."""
    for job in jobs:
        name = job.session_id
        if name is None or name in outdated or not _may_defer(state, name, job):
            yield job
            continue
        state.report.sessions_deferred += 1
        if any(task.is_changed for task in job.files):
            yield msgspec.structs.replace(job, is_deferred=True)


def _may_defer(state: SyncState, name: str, job: Job) -> bool:
    if all(task.known is None for task in job.files):
        return False
    files = [file for task in job.files if (file := task.as_source()) is not None]
    written = max(file.mtime_ns for file in files)
    return state.deferral.may_defer(name, sum(file.size for file in files), written)


def _owner(state: SyncState, key: FileKey, file: SourceFile) -> str | None:
    known = state.known.get(key)
    if known is not None and known.session_id:
        return known.session_id
    return file.session_id or session_in(file)


def _task(
    state: SyncState, key: FileKey, file: SourceFile | None, known: ArchivedFile | None
) -> FileTask:
    frames = () if known is None else load_frames(state.database, known.id, known.generation)
    is_damaged = known is not None and (known.id, known.generation) in state.damage
    return FileTask(key[0], file, known, tuple(frames), file is not None, is_damaged)
