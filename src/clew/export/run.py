"""An export: find the sessions that changed, write them, then the pages that list them."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from clew.archive import Archive
from clew.collector import without_collector
from clew.errors import NotFoundError
from clew.export.file_names import file_names
from clew.export.jobs import ExportJob, WrittenSession, close_archives, write_sessions
from clew.export.manifest import Manifest, ManifestEntry, is_current, read_manifest, write_manifest
from clew.export.options import ExportOptions, ExportReport, Secret
from clew.export.search_texts import has_texts, remove_texts
from clew.export.site import SitePages, draw_site, listing_texts_of, remove_site, write_site
from clew.processes import count_cores, share
from clew.store import SessionOverview

# Called with the number of sessions written, and of all to write.
Advance: TypeAlias = Callable[[int, int], None]

# Starting processes pays off from so many bytes of transcripts on.
_WORTH_PROCESSES: Final = 16 << 20
_BATCH_BYTES: Final = 1 << 20
# What a page does not show.
_UNSHOWN: Final[dict[str, Any]] = {
    "path": "",
    "size_bytes": 0,
    "is_on_disk": True,
    "continued_in": None,
}


def export(
    archive: Archive,
    sessions: Sequence[SessionOverview],
    folder: Path,
    options: ExportOptions,
    on_advance: Advance | None = None,
) -> ExportReport:
    """Write sessions below a folder; files that are up to date stay untouched.

    Raises:
        NotFoundError: There is no session to write.
    """
    if not sessions:
        raise NotFoundError("no sessions match these filters; `clew list` lists all sessions")
    folder.mkdir(parents=True, exist_ok=True)
    manifest = read_manifest(folder, options)
    jobs = _jobs(archive, sessions, folder, options)
    waiting = [job for job in jobs if not _is_up_to_date(job, manifest, folder)]
    report = ExportReport(form=options.form, folder=str(folder), sessions=len(sessions))
    report.is_redacted = options.is_redacted
    _record_pending(waiting, manifest, folder)
    sizes = {session.id: session.size_bytes for session in sessions}
    draw_pages = _page_drawer(archive, sessions, options, manifest)
    # A redacted list shows what the pages of the sessions have masked, and has to wait for them.
    is_early = options.form == "html" and not options.is_redacted
    written = _write_all(waiting, sizes, options.workers, draw_pages if is_early else None)
    try:
        with without_collector():
            for number, done in enumerate(written, start=1):
                _record(done, manifest, folder, report)
                if on_advance is not None:
                    on_advance(number, len(waiting))
        report.unchanged = len(sessions) - report.written
        report.removed = _remove_others(manifest, {session.id for session in sessions}, folder)
        report.start = _write_site_pages(draw_pages, sessions, folder, options, manifest)
    finally:
        close_archives()
        write_manifest(folder, manifest)
    _summarize_secrets(report, manifest)
    return report


def _page_drawer(
    archive: Archive,
    sessions: Sequence[SessionOverview],
    options: ExportOptions,
    manifest: Manifest,
) -> Callable[[], SitePages]:
    """Return what draws the pages that list the sessions, once."""

    @cache
    def draw_pages() -> SitePages:
        listing_texts = {name: entry.listing_texts for name, entry in manifest.sessions.items()}
        return draw_site(archive, sessions, options, listing_texts)

    return draw_pages


def _write_site_pages(
    draw_pages: Callable[[], SitePages],
    sessions: Sequence[SessionOverview],
    folder: Path,
    options: ExportOptions,
    manifest: Manifest,
) -> str:
    """Write the pages that list the sessions, or remove those of an earlier HTML export."""
    if options.form == "html":
        manifest.has_site = True
        return str(write_site(draw_pages(), sessions, folder))
    if manifest.has_site:
        remove_site(folder)
        manifest.has_site = False
    return ""


def _record_pending(jobs: list[ExportJob], manifest: Manifest, folder: Path) -> None:
    """Record files before they are written, so that an interrupted export leaves none unknown.

    What it has written by then, perhaps with other options, does not pass for current.
    """
    for job in jobs:
        before = manifest.sessions.get(job.session_id)
        files = () if before is None else before.files
        manifest.sessions[job.session_id] = ManifestEntry(
            version="", files=tuple(dict.fromkeys((*files, job.name)))
        )
    if jobs:
        write_manifest(folder, manifest)


def _jobs(
    archive: Archive,
    sessions: Sequence[SessionOverview],
    folder: Path,
    options: ExportOptions,
) -> list[ExportJob]:
    versions = archive.session_versions()
    return [
        ExportJob(
            location=archive.location,
            folder=str(folder),
            session_id=session.id,
            version=_state(versions.get(session.id, ""), session),
            name=name,
            options=options,
            listing_texts=listing_texts_of(session),
        )
        for session, name in zip(sessions, file_names(sessions, options), strict=True)
    ]


def _state(version: str, session: SessionOverview) -> str:
    """Return a digest of the state of a session.

    Its title, its costs and what it goes on from may change with another session.
    """
    state = repr((version, msgspec.structs.replace(session, **_UNSHOWN)))
    return hashlib.sha256(state.encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _is_up_to_date(job: ExportJob, manifest: Manifest, folder: Path) -> bool:
    entry = manifest.sessions.get(job.session_id)
    if entry is None or job.name not in entry.files:
        return False
    if job.options.form == "html" and not has_texts(folder, job.session_id):
        return False
    return is_current(entry, job.version, folder)


def _write_all(
    jobs: list[ExportJob],
    sizes: dict[str, int],
    workers: int | None,
    meanwhile: Callable[[], object] | None,
) -> Iterator[WrittenSession]:
    """Write sessions, on all cores where that pays off."""
    many = workers or count_cores()
    if many == 1 or sum(sizes[job.session_id] for job in jobs) < _WORTH_PROCESSES:
        for job in jobs:
            yield from write_sessions([job])
        return
    # The largest sessions are for this process, which begins at once.
    yield from share(list(_batches(jobs, sizes)), write_sessions, many - 1, meanwhile)


def _batches(jobs: Iterable[ExportJob], sizes: dict[str, int]) -> Iterator[list[ExportJob]]:
    """Put sessions together, the largest first."""
    batch: list[ExportJob] = []
    total = 0
    for job in sorted(jobs, key=lambda job: -sizes[job.session_id]):
        batch.append(job)
        total += sizes[job.session_id]
        if total >= _BATCH_BYTES:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def _record(done: WrittenSession, manifest: Manifest, folder: Path, report: ExportReport) -> None:
    before = manifest.sessions.get(done.session_id)
    manifest.sessions[done.session_id] = ManifestEntry(
        version=done.version,
        files=done.files,
        secrets=done.secrets,
        listing_texts=done.listing_texts,
    )
    _remove_files(() if before is None else before.files, manifest, folder)
    report.written += 1
    report.files += len(done.files)
    report.bytes += done.size_bytes


def _remove_others(manifest: Manifest, wanted: set[str], folder: Path) -> int:
    """Remove sessions that an earlier export wrote and this one leaves out."""
    gone = [name for name in manifest.sessions if name not in wanted]
    files = [file for name in gone for file in manifest.sessions.pop(name).files]
    _remove_files(files, manifest, folder)
    for name in gone:
        remove_texts(folder, name)
    return len(gone)


def _remove_files(files: Iterable[str], manifest: Manifest, folder: Path) -> None:
    """Remove what no session needs any more: two of them may show the same picture."""
    left = [file for file in files if (folder / file).is_file()]
    if left:
        needed = {file for entry in manifest.sessions.values() for file in entry.files}
        for file in left:
            if file not in needed:
                (folder / file).unlink(missing_ok=True)
                _remove_empty((folder / file).parent, folder)


def _remove_empty(place: Path, folder: Path) -> None:
    """Remove an empty folder: its name may be confidential."""
    with suppress(OSError):
        while place != folder:
            place.rmdir()
            place = place.parent


def _summarize_secrets(report: ExportReport, manifest: Manifest) -> None:
    counts: dict[str, int] = {}
    for session_id, entry in manifest.sessions.items():
        for rule, count in entry.secrets.items():
            counts[rule] = counts.get(rule, 0) + count
        if entry.secrets:
            report.secret_sessions.append(session_id)
    report.secrets = [
        Secret(rule, count) for rule, count in sorted(counts.items(), key=lambda one: -one[1])
    ]
