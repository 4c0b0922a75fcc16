"""Texts for the search of a static site: what people and models wrote, with anchors."""

import base64
import gzip
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.export.file_names import file_stem
from clew.export.writing import write_file
from clew.parts import Prose, Words
from clew.render.html.escaping import anchor
from clew.view import CallView, ForkView, Item, MessageView, Parallel, RunView, SessionPage

FOLDER: Final = ".clew"
_KINDS: Final = {
    "prompt",
    "steering",
    "unsent",
    "answer",
    "command",
    "bash_input",
    "teammate",
    "memory",
}
_LONGEST: Final = 20_000


class SearchTexts(msgspec.Struct, frozen=True, kw_only=True):
    """The texts of one session and the name of its page; a line is anchor, kind, time, text."""

    id: str
    title: str
    project: str
    at: str
    lines: tuple[tuple[str, str, str, str], ...]


def collect_texts(page: SessionPage, session_id: str) -> SearchTexts:
    """Collect the texts of a page."""
    header = page.frame.header
    items = (item for section in page.sections for item in section.items)
    return SearchTexts(
        id=file_stem(session_id),
        title=header.title or header.first_prompt[:200],
        project=find_checkout(header.project).label,
        at=header.ended_at,
        lines=tuple(_lines(items)),
    )


def write_texts(folder: Path, texts: SearchTexts) -> None:
    """Store a session's texts for the next export, which may not write that session again."""
    write_file(
        _path(folder, texts.id), [gzip.compress(msgspec.json.encode(texts), 6, mtime=0)], folder
    )


def remove_texts(folder: Path, session_id: str) -> None:
    """Remove the texts of a session that is no longer part of the export."""
    _path(folder, session_id).unlink(missing_ok=True)


def remove_all_texts(folder: Path) -> None:
    """Remove the texts of all sessions."""
    for path in (folder / FOLDER).glob("*.json.gz"):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        (folder / FOLDER).rmdir()


def has_texts(folder: Path, session_id: str) -> bool:
    """Return whether the texts of a session are stored."""
    return _path(folder, session_id).is_file()


def read_packed(folder: Path, session_ids: Iterable[str]) -> Iterator[bytes]:
    """Yield the stored texts as they were packed; a page skips what it cannot unpack."""
    for session_id in session_ids:
        with suppress(OSError):
            yield _path(folder, session_id).read_bytes()


def _path(folder: Path, session_id: str) -> Path:
    return folder / FOLDER / f"{file_stem(session_id)}.json.gz"


def join_packed(sessions: Iterable[bytes]) -> str:
    """Encode packed texts for a page, in characters that need no escaping, one word a session."""
    return " ".join(base64.b64encode(packed).decode() for packed in sessions)


def _lines(items: Iterable[Item]) -> Iterator[tuple[str, str, str, str]]:
    for item in items:
        match item:
            case MessageView():
                yield from _message(item)
            case ForkView():
                for branch in item.branches:
                    yield from _lines(branch.items)
            case RunView():
                yield from _lines(item.items)
            case _:
                continue


def _message(message: MessageView) -> Iterator[tuple[str, str, str, str]]:
    """Return the words of a message, and those of the agents that it sent out."""
    if message.kind in _KINDS:
        texts = [part.text for part in message.body if isinstance(part, Prose | Words)]
        text = " ".join("\n".join(texts)[: 2 * _LONGEST].split())[:_LONGEST]
        if text:
            yield anchor("m", message.id), message.kind, message.started_at, text
    for piece in message.body:
        if isinstance(piece, CallView | Parallel):
            for call in (piece,) if isinstance(piece, CallView) else piece.calls:
                yield from _lines(call.runs)
