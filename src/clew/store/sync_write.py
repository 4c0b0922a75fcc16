"""The results of jobs → rows, some sessions in each transaction."""

import msgspec

from clew.store.archive_file import FileUpdate
from clew.store.archived_files import ArchivedFile, insert_frames
from clew.store.damage import BlobDamage, save_damage
from clew.store.deferral import mark_stale, unmark_stale
from clew.store.derive import Derived
from clew.store.jobs import FileResult, JobResult
from clew.store.ownership import find_related_sessions, resolve_ownership
from clew.store.sync_state import SyncState


def write_results(state: SyncState, batch: list[JobResult]) -> None:
    """Write the results of some jobs, all of them or none."""
    with state.database.transaction():
        write_within(state, batch)


def write_within(state: SyncState, batch: list[JobResult]) -> None:
    """Write the results of some jobs, in a transaction."""
    for result in batch:
        state.report.faults.extend(result.faults)
        _save_damage(state, result)
        for file in result.files:
            _write_file(state, file, result.session_id)
        _mark_stale(state, result)
    derived = [result.derived for result in batch if result.derived is not None]
    if derived:
        _write_sessions(state, derived)


def _write_sessions(state: SyncState, derived: list[Derived]) -> None:
    """Write the rows of sessions, and decide between them and others."""
    names = [each.rows.session_id for each in derived]
    # An answer that a rewritten file lacks may now belong to a session that copied it.
    related = find_related_sessions(state.database, names)
    for each in derived:
        _write_rows(state, each)
    resolve_ownership(state.database, sorted({*names, *related}))


def _mark_stale(state: SyncState, result: JobResult) -> None:
    """Record whose rows are behind their archived bytes."""
    if result.session_id is None:
        return
    if result.is_deferred:
        mark_stale(state.database, result.session_id, state.now)
    elif result.derived is not None and result.session_id in state.deferral.stale:
        unmark_stale(state.database, result.session_id)


def _save_damage(state: SyncState, result: JobResult) -> None:
    """Record a blob that turned out to be damaged: the next sync repairs it."""
    if result.damaged:
        found = [known for known in state.known.values() if known.blob == result.damaged]
        reason = "it cannot be read"
        save_damage(
            state.database, [BlobDamage(file.id, file.generation, reason) for file in found]
        )


def _write_rows(state: SyncState, derived: Derived) -> None:
    rows = derived.rows
    state.report.entries_decoded += derived.entries
    if rows.tables["entry"]:
        state.report.sessions_written += 1
        state.report.rows_written += state.database.write_session(rows)
    else:
        state.database.delete_session(rows.session_id)
    # The loops that brought them have a reference until they get the next session's.
    rows.release()


def _write_file(state: SyncState, file: FileResult, session_id: str | None) -> None:
    update = file.growth
    key = (file.root, file.path)
    if update is None:
        state.report.errors.extend([f"{file.path}: {file.error}"] if file.error else [])
        return
    found = state.found[key]
    _count_update(state, state.known.get(key), update)
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
        "size_bytes": update.kept_bytes,
        "mtime_ns": update.mtime_ns,
        "generation": update.generation,
        "kept_bytes": update.kept_bytes,
        **msgspec.structs.asdict(update.edges),
        "first_seen_at": state.now,
        "blob_path": update.blob_path,
        "is_compared": update.is_compared,
    }
    file_id = int(next(state.database.rows("upsert_file", values))[0])
    blob = {"file_id": file_id, "generation": update.generation}
    if update.is_repaired:
        state.database.run("delete_frames", blob)
    if (file_id, update.generation) in state.damage:
        state.database.run("delete_damage", blob)
    insert_frames(state.database, file_id, update.generation, update.frames)


def _count_update(state: SyncState, known: ArchivedFile | None, update: FileUpdate) -> None:
    report = state.report
    report.bytes_read += update.read_bytes
    report.bytes_kept += sum(frame.blob_bytes for frame in update.frames)
    if known is None:
        report.files_new += 1
    elif update.is_repaired:
        report.files_repaired += 1
    elif update.generation == known.generation:
        report.files_grown += 1
    else:
        report.files_rewritten += 1
