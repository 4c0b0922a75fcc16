"""Manifest: what the last export to a folder wrote, so that the next writes only what changed."""

import hashlib
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Final

import msgspec

from clew.export.options import ExportOptions
from clew.export.writing import write_changed

NAME: Final = ".clew-export.json"
_SCHEMA: Final = "clew.export-manifest/1"


class ManifestEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One session: the state it was written in, its files, and the secrets that were found.

    `listing_texts` are its masked texts on other pages of a redacted export.
    """

    version: str
    files: tuple[str, ...]
    secrets: dict[str, int] = {}
    listing_texts: tuple[str, ...] = msgspec.field(default=(), name="told")


class Manifest(msgspec.Struct, kw_only=True):
    """All sessions of an export, by id; `made_by` changes when pages would look different.

    `has_site` is set when the pages that list the sessions were written too.
    """

    schema: str = _SCHEMA
    made_by: str = ""
    has_site: bool = False
    sessions: dict[str, ManifestEntry] = {}


def read_manifest(folder: Path, options: ExportOptions) -> Manifest:
    """Read what was written before with the same options; an empty one where that is unknown."""
    made_by = _made_by(options)
    try:
        found = msgspec.json.decode((folder / NAME).read_bytes(), type=Manifest)
    except (OSError, ValueError):
        return Manifest(made_by=made_by)
    found.sessions = {name: each for name, each in found.sessions.items() if _is_ours(each)}
    if found.schema != _SCHEMA:
        return Manifest(made_by=made_by, sessions={})
    if found.made_by != made_by or options.is_new:
        # Other options make other pages, but the files are still ours to remove.
        stale = {name: _stale(entry) for name, entry in found.sessions.items()}
        return Manifest(made_by=made_by, has_site=found.has_site, sessions=stale)
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest for the next export."""
    write_changed(folder / NAME, msgspec.json.encode(manifest, order="sorted"), folder)


def is_current(entry: ManifestEntry | None, state: str, folder: Path) -> bool:
    """Return whether the files of a session are up to date."""
    if entry is None or entry.version != state:
        return False
    return all((folder / name).is_file() for name in entry.files)


def _is_ours(entry: ManifestEntry) -> bool:
    """Return whether all files are below the folder: listed files may be removed later."""
    paths = [PurePath(name) for name in entry.files]
    return not any(path.is_absolute() or ".." in path.parts for path in paths)


def _stale(entry: ManifestEntry) -> ManifestEntry:
    return msgspec.structs.replace(entry, version="", listing_texts=())


def _made_by(options: ExportOptions) -> str:
    settings = (
        version("clew"),
        options.form,
        options.detail,
        options.is_redacted,
        options.with_images,
    )
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:16]
