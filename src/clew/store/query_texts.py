"""What queries need of lines, as rows have it where SQL cannot read the archived bytes itself."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import msgspec

from clew.conversation import Location, Material
from clew.entries import (
    AttachmentRow,
    ProgressRow,
    Row,
    System,
    attachment_kind,
    progress_kind,
    shorten_hook_line,
)
from clew.storable import storable_json
from clew.store.entry_rows import Rows

Folders: TypeAlias = dict[str, dict[int, str]]
"""The working directories of entries, by the path of their transcript and their offset."""

_HOOKS: Final = "hook"
_STOP_HOOKS: Final = "stop_hook_summary"


def json_text(raw: bytes) -> str | None:
    """Return JSON as every database decodes it; None if it is none."""
    text = raw.decode("utf-8", "replace")
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return storable_json(text)


def hook_rows(material: Material) -> Rows:
    """Return what lines tell of hooks."""
    return [
        (number, entry.number, storable_json(found.decode()))
        for number, transcript in enumerate(material.transcripts)
        for entry in transcript.entries
        if _tells_of_hooks(entry.body) and (found := shorten_hook_line(entry.raw)) is not None
    ]


def entry_folders(material: Material) -> Folders:
    """Return in which directory the client was at each entry that says so."""
    return {
        transcript.path: dict(_folders(transcript.entries)) for transcript in material.transcripts
    }


def folder_at(folders: Folders, line: Location) -> str | None:
    """Return the directory at a line."""
    return folders.get(line.file, {}).get(line.offset)


def _tells_of_hooks(body: Any) -> bool:
    match body:
        case System(subtype=subtype):
            return subtype == _STOP_HOOKS
        case AttachmentRow(attachment=attachment):
            return attachment_kind(attachment).startswith(_HOOKS)
        case ProgressRow(data=data):
            return progress_kind(data).startswith(_HOOKS)
        case _:
            return False


def _folders(entries: Any) -> Iterator[tuple[int, str]]:
    for entry in entries:
        if isinstance(entry.body, Row) and entry.body.cwd:
            yield entry.offset, entry.body.cwd
