"""Titles of sessions that are counted from their files alone, for those that state none."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

import msgspec

from clew.analytics.scan import Scan
from clew.analytics.sums import SessionLabel
from clew.conversation import build, says_something
from clew.sessions import SessionFiles, gather
from clew.source import FileKind, SourceFile, open_regular

# The first prompt is near the beginning; no more is read of a session to call it something.
_HEAD: Final = 1 << 20


def label_sessions(found: Scan, session_ids: Iterable[str]) -> dict[str, SessionLabel]:
    """Return what people know some sessions by: the title that was given, else the first prompt."""
    labels = {name: found.labels[name] for name in session_ids}
    untitled = [name for name, label in labels.items() if not label.title]
    files = _files_of(found, set(untitled))
    for name in untitled:
        title = _read_title(name, files.get(name, []))
        labels[name] = msgspec.structs.replace(labels[name], title=title)
    return labels


def _files_of(found: Scan, names: set[str]) -> dict[str, list[SourceFile]]:
    """Return the files to find titles in: a session's own transcripts, else its agents'."""
    files: dict[str, list[SourceFile]] = {}
    for file in found.sources:
        described = file.session_id if file.kind is FileKind.META else None
        name = found.owners.get(str(file.path), described)
        if name in names:
            files.setdefault(name, []).append(file)
    own = {name: [file for file in files[name] if file.kind is FileKind.SESSION] for name in files}
    return {name: own[name] or files[name] for name in files}


def _read_title(name: str, files: list[SourceFile]) -> str:
    with suppress(OSError):
        session = SessionFiles(name, tuple(files))
        title = build(gather(session, _read_head)).session.title
        # A prompt that says more may follow far below a greeting.
        is_clear = says_something(title) or all(file.size < _HEAD for file in files)
        return title if is_clear else build(gather(session)).session.title
    return ""


def _read_head(file: SourceFile) -> Iterator[bytes]:
    with open_regular(file.path) as stream:
        data = stream.read(_HEAD)
    yield data if len(data) < _HEAD else data[: data.rfind(b"\n") + 1]
