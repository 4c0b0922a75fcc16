"""Which sessions a sync works on, where several syncs may write to an archive at once.

A sync claims a session before it finds out how far that is archived, and has it until its rows are
committed: no two of them append to a file at once, and none does what another has done. Claims are
locks of a database connection, which may be lost without its process knowing. So when rows are
written, the files are compared once more with what the work began with.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

import msgspec

from clew.source import SourceFile
from clew.store.archived_files import ArchivedFile, find_files, is_unchanged, load_frames
from clew.store.jobs import FileTask, Job, JobResult
from clew.store.session_tables import PARSER_VERSION
from clew.store.sync_state import FileKey, SyncState
from clew.store.sync_write import write_results, write_within

# A server has room for some thousands of locks, for all that use it.
_MOST_CLAIMS: Final = 500

Finished: TypeAlias = tuple[Job, JobResult]
_Files: TypeAlias = dict[FileKey, ArchivedFile]


class Claims(Protocol):
    """The jobs that a sync has begun and not yet committed."""

    @property
    def has_room(self) -> bool:
        """Whether more jobs may be begun before some are committed."""

    def begin(self, jobs: list[Job]) -> list[Job]:
        """Return those jobs that are this sync's to do, as the archive is now."""

    def commit(self, finished: Sequence[Finished]) -> None:
        """Write the results of some jobs, all of them or none."""


class SoleClaims:
    """The jobs of a sync that has the archive to itself."""

    has_room = True

    def __init__(self, state: SyncState) -> None:
        self._state = state

    def begin(self, jobs: list[Job]) -> list[Job]:
        """Return all of them."""
        return jobs

    def commit(self, finished: Sequence[Finished]) -> None:
        """Write all results."""
        write_results(self._state, [result for _, result in finished])


class SharedClaims:
    """The jobs of a sync beside which others write to the same archive.

    With `rebuild`, a session is derived again whatever others have done.
    """

    def __init__(self, state: SyncState, *, rebuild: bool = False) -> None:
        self._state = state
        self._database = state.database
        self._rebuild = rebuild
        self._claimed: set[str] = set()

    @property
    def has_room(self) -> bool:
        """Whether more jobs may be begun before some are committed."""
        return len(self._claimed) < _MOST_CLAIMS

    def begin(self, jobs: list[Job]) -> list[Job]:
        """Claim jobs, and look again at what others may have done since they were planned."""
        ours = self._claim(jobs)
        claimed = [job for each in jobs if (job := _claimed_part(each, ours)) is not None]
        self._state.report.sessions_busy += len(jobs) - len(claimed)
        archived = self._archived_files(claimed)
        updated = [self._update(job, files) for job, files in zip(claimed, archived, strict=True)]
        needed = self._needed(updated)
        self._release(ours.difference(*map(_names, needed)))
        return needed

    def commit(self, finished: Sequence[Finished]) -> None:
        """Write the results of those jobs whose files are as they were when the jobs began."""
        jobs = [job for job, _ in finished]
        with self._database.transaction():
            archived = self._archived_files(jobs)
            valid = [
                result
                for (job, result), files in zip(finished, archived, strict=True)
                if _versions(files) == _versions(_known_files(job))
            ]
            write_within(self._state, valid)
        self._state.report.sessions_busy += len(finished) - len(valid)
        self._release({name for job in jobs for name in _names(job)})

    def _claim(self, jobs: list[Job]) -> set[str]:
        names = [name for job in jobs for name in _names(job)]
        ours = {str(row[0]) for row in self._database.rows("claim_names", {"names": names})}
        self._claimed |= ours
        return ours

    def _release(self, names: set[str]) -> None:
        if names:
            self._database.run("release_names", {"names": sorted(names)})
            self._claimed -= names

    def _archived_files(self, jobs: list[Job]) -> list[_Files]:
        """Read what is known of the files of each job now."""
        keys = {key for job in jobs for key in _keys(job)}
        sessions = [job.session_id for job in jobs if job.session_id is not None]
        found = find_files(self._database, sessions, keys)
        of_session: dict[str | None, _Files] = defaultdict(dict)
        for key, file in found.items():
            of_session[file.session_id][key] = file
        return [
            {
                **(of_session[job.session_id] if job.session_id is not None else {}),
                **{key: found[key] for key in _keys(job) if key in found},
            }
            for job in jobs
        ]

    def _update(self, job: Job, files: _Files) -> Job:
        """Return a job as the archive is now: mostly the same."""
        if files == _known_files(job):
            return job
        tasks = {(task.root, path): task for task in job.files if (path := _path(task))}
        self._state.known.update(files)
        updated = (
            self._update_task(key, tasks.get(key), files.get(key))
            for key in sorted(tasks.keys() | files.keys())
        )
        return msgspec.structs.replace(job, files=tuple(updated))

    def _update_task(
        self, key: FileKey, task: FileTask | None, known: ArchivedFile | None
    ) -> FileTask:
        if task is not None and task.known == known:
            return task
        found = None if task is None or task.found is None else _look_again(task.found)
        if found is not None:
            self._state.found[key] = found
        frames = () if known is None else load_frames(self._database, known.id, known.generation)
        is_changed = found is not None and not is_unchanged(known, found)
        return FileTask(key[0], found, known, tuple(frames), is_changed)

    def _needed(self, jobs: list[Job]) -> list[Job]:
        """Return the jobs that are not done yet."""
        if self._rebuild:
            return jobs
        unchanged = [job for job in jobs if not any(task.is_changed for task in job.files)]
        names = [job.session_id for job in unchanged if job.session_id is not None]
        values = {"names": names, "parser_version": PARSER_VERSION}
        rows = self._database.rows("sessions_to_derive", values) if names else ()
        waiting = {str(row[0]) for row in rows}
        return [job for job in jobs if job not in unchanged or job.session_id in waiting]


def _names(job: Job) -> list[str]:
    """Return what a job claims: its session, and files whose paths name none."""
    files = [
        f"{task.root}/{task.found.relative}"
        for task in job.files
        if task.found is not None and task.found.session_id is None
    ]
    return files if job.session_id is None else [job.session_id, *files]


def _claimed_part(job: Job, ours: set[str]) -> Job | None:
    """Return a job that is claimed as a whole; of one without a session, the claimed files."""
    if ours.issuperset(_names(job)):
        return job
    if job.session_id is not None:
        return None
    files = tuple(
        task for task in job.files if task.found and f"{task.root}/{task.found.relative}" in ours
    )
    return msgspec.structs.replace(job, files=files) if files else None


def _keys(job: Job) -> list[FileKey]:
    return [(task.root, path) for task in job.files if (path := _path(task))]


def _path(task: FileTask) -> str:
    source = task.as_source()
    return "" if source is None else source.relative


def _known_files(job: Job) -> _Files:
    """Return the files of a job as they were known when it began."""
    return {(task.root, task.known.path): task.known for task in job.files if task.known}


def _versions(files: _Files) -> dict[FileKey, tuple[int, int]]:
    return {key: (file.generation, file.kept_bytes) for key, file in files.items()}


def _look_again(file: SourceFile) -> SourceFile | None:
    """Return a file as it is now, which is at least as long as anybody has archived it."""
    try:
        found = file.path.stat()
    except OSError:
        return None
    return msgspec.structs.replace(
        file,
        size=found.st_size,
        mtime_ns=found.st_mtime_ns,
        inode=found.st_ino,
        device=found.st_dev,
    )
