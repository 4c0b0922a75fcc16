"""Export jobs: one session → its files, in any process."""

import os
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from clew.archive import Archive, open_archive
from clew.conversation import Conversation
from clew.digest import SessionDigest, extract_session
from clew.export.options import ExportOptions
from clew.export.search_texts import collect_texts, write_texts
from clew.export.session_file import mask_json, mask_page, write_page
from clew.export.writing import write_file
from clew.notes import SessionNote
from clew.render.html import HtmlOptions
from clew.render.markdown import MarkdownOptions
from clew.store import Location
from clew.view import Detail, ViewOptions, make_page

# A file has no other page to link to: runs are shown below their calls, however deep.
_DEEPEST: Final = 64
# By the number of the process, too: a copy of one must not use what the original has opened.
_opened: Final[dict[tuple[Location, int], Archive]] = {}


class ExportJob(msgspec.Struct, frozen=True, kw_only=True):
    """A session to be written, the name of its file, and its texts for the pages that list it."""

    location: Location
    folder: str
    session_id: str
    version: str
    name: str
    options: ExportOptions
    listing_texts: tuple[str, ...] = ()


class WrittenSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was written."""

    session_id: str
    version: str
    files: tuple[str, ...]
    size_bytes: int
    secrets: dict[str, int]
    listing_texts: tuple[str, ...] = ()


def write_session(job: ExportJob) -> WrittenSession:
    """Write one session."""
    archive = _archive(job.location)
    conversation = archive.conversation(job.session_id)
    digest, note = archive.kept_digest(job.session_id), archive.note(job.session_id)
    if job.options.form == "json":
        return _write_json(job, conversation, digest or extract_session(conversation), note)
    return _write_page(job, conversation, digest, note)


def close_archives() -> None:
    """Close the archives that this process has read from."""
    for key in [key for key in _opened if key[1] == os.getpid()]:
        _opened.pop(key).close()


def write_sessions(jobs: list[ExportJob]) -> list[WrittenSession]:
    """Write some sessions, as another process does."""
    return [write_session(job) for job in jobs]


def _write_page(
    job: ExportJob, conversation: Conversation, digest: SessionDigest | None, note: SessionNote
) -> WrittenSession:
    options = job.options
    view = ViewOptions(detail=options.detail, max_run_depth=_DEEPEST, with_hidden_runs=True)
    page = make_page(conversation, view, digest, note)
    masked = mask_page(
        page, conversation, is_wanted=options.is_redacted, listing_texts=job.listing_texts
    )
    page = masked.page
    folder = Path(job.folder)
    target = folder / job.name
    pictures: dict[str, bytes] = {}
    html = HtmlOptions(
        detail=min(options.detail, Detail.TOOLS),
        home="site",
        home_url="../index.html",
        session_suffix=".html",
    )
    markdown = MarkdownOptions(images="link" if options.with_images else "none")
    pieces = write_page(page, options.form, html, markdown, pictures.__setitem__)
    size = write_file(target, pieces, folder)
    for name, data in pictures.items():
        size += write_file(target.parent / name, [data], folder)
    if options.form == "html":
        write_texts(folder, collect_texts(page, job.session_id))
    image_names = [(PurePosixPath(job.name).parent / name).as_posix() for name in pictures]
    return WrittenSession(
        session_id=job.session_id,
        version=job.version,
        files=(job.name, *image_names),
        size_bytes=size,
        secrets=masked.secrets,
        listing_texts=masked.listing_texts,
    )


def _write_json(
    job: ExportJob, conversation: Conversation, digest: SessionDigest, note: SessionNote
) -> WrittenSession:
    masked = mask_json(conversation, digest, note, is_wanted=job.options.is_redacted)
    return WrittenSession(
        session_id=job.session_id,
        version=job.version,
        files=(job.name,),
        size_bytes=write_file(Path(job.folder, job.name), masked.pieces, Path(job.folder)),
        secrets=masked.secrets,
    )


def _archive(location: Location) -> Archive:
    """Return the archive, opened once in each process."""
    key = (location, os.getpid())
    if key not in _opened:
        _opened[key] = open_archive(location)
    return _opened[key]
