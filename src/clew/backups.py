"""Copies of files that the client made before it changed them (`file-history`)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import msgspec

from clew.clock import normal_time
from clew.entries import FileHistoryDelta, FileHistorySnapshot, decode
from clew.sessions import Opener, SessionFiles, read_chunks
from clew.source import FileKind, SourceFile, split_lines

_MARK: Final = b'"file-history-'
_MOST_BYTES: Final = 4_000_000


class Backup(msgspec.Struct, frozen=True):
    """A copy of a file at one time; `path` is as the client wrote it, often relative."""

    path: str
    name: str
    at: str
    text: str


class _Tracked(msgspec.Struct, frozen=True, rename="camel"):
    """Where the client keeps a copy; a file that was not there has none."""

    backup_file_name: str | None = None
    backup_time: str = ""


def read_backups(session: SessionFiles, opened: Opener = read_chunks) -> tuple[Backup, ...]:
    """Read the backups of a session, each once; without any, no transcript is read."""
    copies = {file.path.name: file for file in session.files if file.kind is FileKind.FILE_HISTORY}
    if not copies:
        return ()
    found: dict[tuple[str, str], Backup] = {}
    for file in session.files:
        for path, tracked in _tracked(file, opened) if file.kind is FileKind.SESSION else ():
            name = tracked.backup_file_name or ""
            if name in copies and (path, name) not in found:
                text = _text(copies[name], opened)
                if text is not None:
                    at = normal_time(tracked.backup_time)
                    found[path, name] = Backup(path, name, at, text)
    return tuple(sorted(found.values(), key=lambda backup: backup.at))


def _tracked(file: SourceFile, opened: Opener) -> Iterator[tuple[str, _Tracked]]:
    """List the copies that a transcript names, with their files."""
    for line in split_lines(opened(file), file.relative):
        for entry in decode(line) if _MARK in line.raw else ():
            body = entry.body
            with suppress(msgspec.DecodeError):
                if isinstance(body, FileHistorySnapshot) and body.snapshot is not None:
                    raw = bytes(body.snapshot.tracked_file_backups) or b"{}"
                    yield from msgspec.json.decode(raw, type=dict[str, _Tracked]).items()
                elif isinstance(body, FileHistoryDelta):
                    yield body.tracking_path, msgspec.json.decode(body.backup, type=_Tracked)


def _text(file: SourceFile, opened: Opener) -> str | None:
    """Return the text of a copy with line feeds, as clients record texts; None if it is none."""
    data = b"".join(opened(file)) if file.size <= _MOST_BYTES else b"\xff"
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
