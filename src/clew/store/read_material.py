"""Archived bytes → the material that a session's conversation is built from."""

from typing import Any

import msgspec

from clew.conversation import Material, ModelUsage, Surroundings
from clew.sessions import SessionFiles, gather
from clew.store.reader import ArchiveReader


def read_material(reader: ArchiveReader, session_id: str) -> Material:
    """Read a session from the archived bytes, with what other sessions know of it."""
    kept = {k.as_source().path: k for k in reader.session_files(session_id)}
    files = [k.as_source() for k in kept.values()]
    session = SessionFiles(session_id, tuple(sorted(files, key=lambda file: file.relative)))
    reader.prefetch(kept.values())
    material = gather(session, lambda file: reader.read_file(kept[file.path]))
    return msgspec.structs.replace(material, surroundings=_surroundings(reader, session_id))


def _surroundings(reader: ArchiveReader, session_id: str) -> Surroundings:
    row = next(reader.database.rows("session_lineage", {"id": session_id}), None)
    if row is None:
        return Surroundings()
    inherited = reader.database.rows("inherited_calls", {"key": row[0]})
    titles = reader.database.rows("titles_elsewhere", {"key": row[0]})
    raised = reader.database.rows("raised_calls", {"key": row[0]})
    return Surroundings(
        dict(inherited),
        dict(titles),
        row[1],
        row[2],
        row[3],
        copies={name: _to_usage(counts) for name, *counts in raised},
    )


def _to_usage(columns: list[Any]) -> ModelUsage:
    *counts, quality, is_corrupt = columns
    usage = ModelUsage(*counts)
    return msgspec.structs.replace(usage, quality=quality, is_corrupt=bool(is_corrupt))
