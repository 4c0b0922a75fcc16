"""Titles of sessions that are counted from their files alone, for those that state none."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

import msgspec

from clew.analytics.scan import Scan
from clew.analytics.sums import SessionLabel
from clew.conversation import build
from clew.sessions import SessionFiles, gather
from clew.source import FileKind, SourceFile, open_regular

# The first prompt stands near the beginning; no more is read of a session to call it something.
_HEAD: Final = 1 << 20


def label_sessions(found: Scan, session_ids: Iterable[str]) -> dict[str, SessionLabel]:
    """Give what people know some sessions by: the title that was given, else the first prompt."""
    files = {file.session_id: file for file in found.sources if file.kind is FileKind.SESSION}
    labels = {}
    for name in session_ids:
        label = found.labels[name]
        file = files.get(name)
        if not label.title and file is not None:
            label = msgspec.structs.replace(label, title=_read_title(name, file))
        labels[name] = label
    return labels


def _read_title(name: str, file: SourceFile) -> str:
    with suppress(OSError):
        return build(gather(SessionFiles(name, (file,)), _read_head)).session.title
    return ""


def _read_head(file: SourceFile) -> Iterator[bytes]:
    with open_regular(file.path) as stream:
        data = stream.read(_HEAD)
    yield data if len(data) < _HEAD else data[: data.rfind(b"\n") + 1]
