"""New bytes into the archive: look, keep, derive, write, one writer, many readers."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.clock import format_time
from clew.collector import without_collector
from clew.errors import PathNotFoundError
from clew.figures import plural
from clew.processes import count_cores
from clew.sessions import session_in
from clew.source import SourceFile, discover, to_text
from clew.store.adopt import adopt
from clew.store.blobs import DamagedBlobError, FolderBlobs
from clew.store.damage import Damage, find_short_blobs, load_damage, save_damage
from clew.store.derive import Derived
from clew.store.home import Home
from clew.store.idle import IdleComparison
from clew.store.jobs import Done, FileDone, FileWork, Job, run
from clew.store.kept import (
    NOT_KEPT,
    Growth,
    Kept,
    insert_frames,
    is_unchanged,
    load_frames,
    load_kept,
)
from clew.store.lock import writer_lock
from clew.store.ownership import find_related_sessions, resolve_ownership
from clew.store.pricing import has_current_prices, price_again
from clew.store.protocols import Index
from clew.store.rows import PARSER_VERSION
from clew.store.seal import seal_blobs
from clew.store.sqlite import FullTextIndex, SqliteDatabase, open_for_writing
from clew.store.stale import Patience, mark_stale, unmark_stale
from clew.store.workers import share

# Below this much to do, starting processes costs more than it brings.
_WORTH_PROCESSES: Final = 8 << 20
_BATCH_BYTES: Final = 32 << 20
_BATCH_JOBS: Final = 200
_ADVICE: Final = "run `clew sync` for details"


class SyncReport(msgspec.Struct, kw_only=True):
    """What a sync did: its work, counted.

    `entries_decoded` are those that rows were made from. The bytes of `sessions_deferred` long
    sessions that still grow are kept, and their rows are behind. `errors` are of files at the
    source, `faults` of kept ones.
    """

    schema: str = "clew.sync/1"
    roots: list[str] = []
    files_seen: int = 0
    files_new: int = 0
    files_grown: int = 0
    files_rewritten: int = 0
    files_repaired: int = 0
    files_vanished: int = 0
    files_unchanged: int = 0
    bytes_read: int = 0
    bytes_kept: int = 0
    entries_decoded: int = 0
    sessions_written: int = 0
    sessions_deferred: int = 0
    sessions_total: int = 0
    rows_written: int = 0
    errors: list[str] = []
    faults: list[str] = []
    seconds: float = 0.0

    def warning(self) -> str:
        """Say in one sentence what could not be archived or used, and what to do; "" if nothing."""
        problems = [*self.errors, *self.faults]
        if not problems:
            return ""
        if len(problems) == 1:
            return f"not everything is archived: {problems[0]}; {_ADVICE}"
        count = f"{problems[0]} and {plural(len(problems) - 1, 'more problem')}"
        return f"not everything is archived: {count}; {_ADVICE}"


class Progress(msgspec.Struct):
    """How far a sync is, for whoever shows it."""

    total_bytes: int
    done_bytes: int = 0
    sessions: int = 0


OnProgress = Callable[[Progress], None]


def sync(
    home: Home,
    roots: Iterable[Path],
    *,
    now: dt.datetime,
    rebuild: bool = False,
    may_defer: bool = False,
    on_progress: OnProgress | None = None,
    workers: int | None = None,
) -> SyncReport:
    """Bring the archive up to date with the roots, or derive all rows again from the kept bytes.

    With `may_defer`, rows of long sessions that still grow wait until those pause; whoever asks
    for it syncs again soon.
    """
    with writer_lock(home.lock), without_collector():
        database = SqliteDatabase(open_for_writing(home.database))
        try:
            running = _Sync(home, FullTextIndex(database), now, on_progress, workers)
            return running.run(list(roots), rebuild=rebuild, may_defer=may_defer)
        finally:
            database.close()


class _Sync:
    """One sync from its beginning to its end."""

    def __init__(
        self,
        home: Home,
        index: Index,
        now: dt.datetime,
        on_progress: OnProgress | None,
        workers: int | None,
    ) -> None:
        self.home = home
        database = self.database = index.database
        self.index = index
        self.now = format_time(now)
        self.patience = Patience(database, now)
        self.idle = IdleComparison(database, now)
        self.blobs = FolderBlobs(home.blobs)
        self.on_progress = on_progress
        self.workers = workers or count_cores()
        self.report = SyncReport()
        self.known = load_kept(database)
        self.damage = load_damage(database)
        self.found: dict[tuple[str, str], SourceFile] = {}

    def run(self, roots: list[Path], *, rebuild: bool, may_defer: bool) -> SyncReport:
        """Look at the roots, then do what is to be done."""
        self.report.roots = [to_text(str(root)) for root in roots]
        self._price_again()
        adopted = self._adopt(roots)
        fresh = self._find_damage()
        changed = self.found
        for root in roots:
            changed.update(self._look(root))
        outdated = self._outdated(rebuild) | adopted
        jobs = self._jobs(changed, outdated | self.patience.stale.keys())
        if may_defer:
            jobs = list(self._defer(jobs, outdated))
        for batch in _batches(self._follow(jobs)):
            self._write(batch)
        self._report_damage(fresh)
        seal_blobs(self.database, self.blobs)
        self.index.update_words()
        self.report.sessions_total = int(next(self.database.rows("count_archive"))[0])
        self.report.bytes_read += self.idle.read_bytes
        return self.report

    def _price_again(self) -> None:
        """Bring stored costs up to date, if they rest on other prices."""
        if not has_current_prices(self.database):
            with self.database.transaction():
                price_again(self.database)

    def _adopt(self, roots: list[Path]) -> set[str]:
        """Take in kept files that the database does not know; give the sessions they belong to."""
        names = [to_text(str(root.absolute())) for root in roots]
        adopted = adopt(self.database, self.blobs, names, self.now)
        self.report.faults.extend(adopted.errors)
        if adopted.paths:
            self.known = load_kept(self.database)
        return adopted.sessions

    def _find_damage(self) -> set[tuple[int, int]]:
        """Look for damaged kept files without opening any; give those that were not known yet."""
        before = set(self.damage)
        short = find_short_blobs(self.database, self.blobs, self.known.values())
        with self.database.transaction():
            save_damage(self.database, short)
        self.damage = load_damage(self.database)
        return set(self.damage) - before

    def _report_damage(self, fresh: set[tuple[int, int]]) -> None:
        """Name the kept files that were found to be damaged, and could not be repaired."""
        left = load_damage(self.database)
        names = {known.id: known for known in self.known.values()}
        for key in sorted(fresh & set(left)):
            if key[0] in names:
                blob = names[key[0]].blob_of(key[1])
                self.report.faults.append(str(DamagedBlobError(blob, left[key].reason)))

    def _look(self, root: Path) -> Iterator[tuple[tuple[str, str], SourceFile]]:
        """Give the files of a root that changed; mark those that are gone."""
        name = to_text(str(root.absolute()))
        try:
            found = discover(root)
        except PathNotFoundError as error:
            # A folder that cannot be reached for now: its files are not taken for gone.
            self.report.errors.append(to_text(str(error)))
            return
        self.report.errors.extend(
            to_text(f"{problem.path}: {problem.text}") for problem in found.problems
        )
        seen = set()
        for file in found.files:
            if file.kind in NOT_KEPT:
                continue
            seen.add(file.relative)
            self.report.files_seen += 1
            known = self.known.get((name, file.relative))
            if known is not None and self._is_as_kept(known, file):
                self.report.files_unchanged += 1
            else:
                yield (name, file.relative), file
        unseen = tuple(to_text(problem.path.as_posix()) for problem in found.problems)
        gone = [
            {"now": self.now, "id": known.id}
            for (place, path), known in self.known.items()
            if place == name
            and path not in seen
            and known.state == "present"
            and not _is_below(Path(name, path), unseen)
        ]
        self.report.files_vanished += len(gone)
        with self.database.transaction():
            self.database.run_many("lose_file", gone)
            self.database.run_many("set_compared", [{"id": number} for number in self.idle.same])

    def _is_as_kept(self, known: Kept, file: SourceFile) -> bool:
        """Tell whether nothing is to be done for a file: neither it nor its copy has changed."""
        if not is_unchanged(known, file) or (known.id, known.generation) in self.damage:
            return False
        return not self.idle.finds_change(known, file)

    def _outdated(self, rebuild: bool) -> set[str]:  # noqa: FBT001 (internal)
        """Sessions whose rows an older parser made, or all of them."""
        if rebuild:
            return {known.session_id for known in self.known.values() if known.session_id}
        rows = self.database.rows("outdated_sessions", {"parser_version": PARSER_VERSION})
        return {str(row[0]) for row in rows}

    def _jobs(self, changed: dict[tuple[str, str], SourceFile], outdated: set[str]) -> list[Job]:
        """Make a job of each session that has a changed file or outdated rows."""
        owners = {key: self._owner(key, file) for key, file in changed.items()}
        touched = {owner for owner in owners.values() if owner} | outdated
        works: dict[str, dict[tuple[str, str], FileWork]] = {name: {} for name in touched}
        for key, known in self.known.items():
            if known.session_id in works:
                works[known.session_id][key] = self._work(key, None, known)
        loose: list[FileWork] = []
        for key, file in changed.items():
            work = self._work(key, file, self.known.get(key))
            owner = owners[key]
            if owner:
                works[owner][key] = work
            else:
                loose.append(work)
        blobs = str(self.home.blobs)
        jobs = [
            Job(name, tuple(work for _, work in sorted(files.items())), blobs)
            for name, files in works.items()
        ]
        if loose:
            jobs.append(Job(None, tuple(loose), blobs))
        return sorted(jobs, key=lambda job: job.new_bytes, reverse=True)

    def _defer(self, jobs: list[Job], outdated: set[str]) -> Iterator[Job]:
        """Let long sessions that still grow wait for their rows, if they have any."""
        for job in jobs:
            name = job.session_id
            if name is None or name in outdated or not self._may_wait(name, job):
                yield job
                continue
            self.report.sessions_deferred += 1
            if any(work.is_changed for work in job.files):
                yield msgspec.structs.replace(job, is_deferred=True)

    def _may_wait(self, name: str, job: Job) -> bool:
        if all(work.known is None for work in job.files):
            return False
        files = [file for work in job.files if (file := work.as_source()) is not None]
        written = max(file.mtime_ns for file in files)
        return self.patience.may_wait(name, sum(file.size for file in files), written)

    def _owner(self, key: tuple[str, str], file: SourceFile) -> str | None:
        known = self.known.get(key)
        if known is not None and known.session_id:
            return known.session_id
        return file.session_id or session_in(file)

    def _work(self, key: tuple[str, str], file: SourceFile | None, known: Kept | None) -> FileWork:
        frames = () if known is None else load_frames(self.database, known.id, known.generation)
        is_damaged = known is not None and (known.id, known.generation) in self.damage
        return FileWork(key[0], file, known, tuple(frames), file is not None, is_damaged)

    def _follow(self, jobs: list[Job]) -> Iterator[tuple[Done, int]]:
        """Do all jobs, and tell after each how far it is; give each result with its weight."""
        progress = Progress(sum(job.work_bytes for job in jobs))
        if jobs:
            self._tell(progress)
        for job, done in self._do(jobs):
            progress.done_bytes += job.work_bytes
            progress.sessions += done.derived is not None
            self._tell(progress)
            yield done, job.work_bytes

    def _tell(self, progress: Progress) -> None:
        if self.on_progress is not None:
            self.on_progress(progress)

    def _do(self, jobs: list[Job]) -> Iterator[tuple[Job, Done]]:
        """Do all jobs, with other processes when there is enough to do."""
        others = min(self.workers, len(jobs)) - 1
        if others < 1 or sum(job.work_bytes for job in jobs) < _WORTH_PROCESSES:
            return ((job, run(job)) for job in jobs)
        return share(jobs, others)

    def _write(self, batch: list[Done]) -> None:
        """Write what some jobs brought, all of it or nothing."""
        with self.database.transaction():
            # Before any text is indexed: what may fail half-way makes the index write out at once
            # what it has gathered.
            for done in batch:
                self.report.faults.extend(done.faults)
                self._note_damage(done)
                for file in done.files:
                    self._write_file(file, done.session_id)
                self._mark(done)
            derived = [done.derived for done in batch if done.derived is not None]
            unsettled = {name for own in derived for name in self._write_rows(own)}
            if unsettled:
                resolve_ownership(self.database, sorted(unsettled))

    def _mark(self, done: Done) -> None:
        """Remember whose rows are behind what is kept."""
        if done.session_id is None:
            return
        if done.is_deferred:
            mark_stale(self.database, done.session_id, self.now)
        elif done.derived is not None and done.session_id in self.patience.stale:
            unmark_stale(self.database, done.session_id)

    def _note_damage(self, done: Done) -> None:
        """Record a kept file that turned out to be damaged: the next sync repairs it."""
        if done.damaged:
            found = [known for known in self.known.values() if known.blob == done.damaged]
            reason = "it cannot be read"
            save_damage(self.database, [Damage(file.id, file.generation, reason) for file in found])

    def _write_rows(self, derived: Derived) -> list[str]:
        """Write a session's rows; give the sessions between which something may have changed."""
        rows = derived.rows
        self.report.entries_decoded += derived.entries
        # What a rewritten file no longer holds may now be the own of whoever copied it.
        former = find_related_sessions(self.database, rows.session_id)
        if rows.tables["entry"]:
            self.report.sessions_written += 1
            self.report.rows_written += self.database.write_session(rows)
        else:
            self.database.delete_session(rows.session_id)
        # The loops that brought them hold them until they have the next session's.
        rows.release()
        return [rows.session_id, *former]

    def _write_file(self, file: FileDone, session_id: str | None) -> None:
        growth = file.growth
        key = (file.root, file.path)
        if growth is None:
            self.report.errors.extend([f"{file.path}: {file.error}"] if file.error else [])
            return
        known = self.known.get(key)
        found = self.found[key]
        self._count_growth(known, growth)
        self.report.bytes_read += growth.read_bytes
        self.report.bytes_kept += sum(frame.blob_bytes for frame in growth.frames)
        values = {
            "root": file.root,
            "path": file.path,
            "kind": str(found.kind),
            "session_id": session_id,
            "agent_id": found.agent_id,
            "workflow_id": found.workflow_id,
            "project_folder": found.project_folder,
            "device": found.device,
            "inode": found.inode,
            "size_bytes": growth.kept_bytes,
            "mtime_ns": growth.mtime_ns,
            "generation": growth.generation,
            "kept_bytes": growth.kept_bytes,
            **msgspec.structs.asdict(growth.edges),
            "first_seen_at": self.now,
            "blob_path": growth.blob_path,
            "is_compared": growth.is_compared,
        }
        file_id = int(next(self.database.rows("upsert_file", values))[0])
        blob = {"file_id": file_id, "generation": growth.generation}
        if growth.is_anew:
            self.database.run("forget_frames", blob)
        if (file_id, growth.generation) in self.damage:
            self.database.run("forget_damage", blob)
        insert_frames(self.database, file_id, growth.generation, growth.frames)

    def _count_growth(self, known: Kept | None, growth: Growth) -> None:
        if known is None:
            self.report.files_new += 1
        elif growth.is_anew:
            self.report.files_repaired += 1
        elif growth.generation == known.generation:
            self.report.files_grown += 1
        else:
            self.report.files_rewritten += 1


def _is_below(path: Path, places: tuple[str, ...]) -> bool:
    """Tell whether a file is, or stands below, something that could not be looked at."""
    return any(place in places for place in (path.as_posix(), *map(Path.as_posix, path.parents)))


def _batches(results: Iterable[tuple[Done, int]]) -> Iterator[list[Done]]:
    """Put results into batches that are worth a transaction, and small enough for memory."""
    batch: list[Done] = []
    size = 0
    for done, weight in results:
        batch.append(done)
        size += weight
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_JOBS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
