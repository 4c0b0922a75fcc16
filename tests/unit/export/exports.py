"""Small archives to export from."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.archive import Archive, open_archive
from clew.export import ExportOptions, ExportReport, export
from tests.build import SessionBuilder, bash, image


def session(name: str, *, project: str = "", picture: bool = False) -> SessionBuilder:
    """Build a session, in a project of its own unless told otherwise."""
    builder = SessionBuilder(name, cwd=f"/home/dev/code/{project or name}")
    builder.at("2026-10-01T09:00:00Z").user(f"Do {name}", *([image()] if picture else []))
    return builder.tools(bash(f"make {name}", "ok")).assistant(f"Did {name}.")


@contextmanager
def kept(folder: Path, *builders: SessionBuilder) -> Iterator[Archive]:
    """Keep sessions in an archive."""
    for builder in builders:
        builder.write(folder / "root")
    with open_archive(folder / "home") as archive:
        archive.sync([folder / "root"])
        yield archive


def export_all(archive: Archive, folder: Path, options: ExportOptions) -> ExportReport:
    """Export whatever is kept."""
    return export(archive, list(archive.sessions()), folder, options)
