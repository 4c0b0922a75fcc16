"""Source files → those that changed since the last sync."""

from collections.abc import Iterator
from pathlib import Path

from clew.errors import PathNotFoundError
from clew.source import SourceFile, discover, to_text
from clew.store.archived_files import NOT_ARCHIVED, ArchivedFile, is_unchanged
from clew.store.sync_state import FileKey, SyncState


def find_changes(state: SyncState, root: Path) -> Iterator[tuple[FileKey, SourceFile]]:
    """Return the files of a root that changed; mark those that are gone."""
    name = to_text(str(root.absolute()))
    report = state.report
    try:
        found = discover(root)
    except PathNotFoundError as error:
        # The folder may be out of reach for now, so its files are not marked as gone.
        report.errors.append(to_text(str(error)))
        return
    report.errors.extend(to_text(f"{problem.path}: {problem.text}") for problem in found.problems)
    seen = set()
    for file in found.files:
        if file.kind in NOT_ARCHIVED:
            continue
        seen.add(file.relative)
        report.files_seen += 1
        known = state.known.get((name, file.relative))
        if known is not None and _is_archived(state, known, file):
            report.files_unchanged += 1
        else:
            yield (name, file.relative), file
    unread = tuple(to_text(problem.path.as_posix()) for problem in found.problems)
    _mark_vanished(state, name, seen, unread)


def _is_archived(state: SyncState, known: ArchivedFile, file: SourceFile) -> bool:
    """Tell whether neither a file nor its archived copy has changed."""
    if not is_unchanged(known, file) or (known.id, known.generation) in state.damage:
        return False
    return not state.idle.finds_change(known, file)


def _mark_vanished(state: SyncState, root: str, seen: set[str], unread: tuple[str, ...]) -> None:
    """Mark the files of a root that are gone, except below folders that could not be read."""
    gone = [
        {"now": state.now, "id": known.id}
        for (place, path), known in state.known.items()
        if place == root
        and path not in seen
        and known.state == "present"
        and not _is_below(Path(root, path), unread)
    ]
    compared = [
        {"id": known.id, "generation": known.generation, "kept_bytes": known.kept_bytes}
        for known in state.idle.same
    ]
    state.report.files_vanished += len(gone)
    if gone or compared:
        with state.database.transaction():
            state.database.run_many("mark_vanished", gone)
            state.database.run_many("set_compared", compared)


def _is_below(path: Path, places: tuple[str, ...]) -> bool:
    return any(place in places for place in (path.as_posix(), *map(Path.as_posix, path.parents)))
