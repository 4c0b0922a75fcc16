"""A session's files → its rows, derived whole each time: the same files give the same rows."""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from clew.conversation import build
from clew.sessions import SessionFiles, gather
from clew.source import SourceFile
from clew.store.frames import Frame
from clew.store.inline_limits import LAPTOP_LIMITS, InlineLimits
from clew.store.protocols import Blobs
from clew.store.rows import SessionRows, material_rows, to_rows


class BlobContent(msgspec.Struct, frozen=True):
    """A file's bytes: archived frames, then pieces that were just read and are still in memory."""

    blob: str
    frames: tuple[Frame, ...]
    new: tuple[bytes, ...] = ()

    def read(self, blobs: Blobs) -> Iterator[bytes]:
        """Return the bytes, piece by piece."""
        if self.frames:
            yield from blobs.read(self.blob, self.frames)
        yield from self.new


class Content(Protocol):
    """A file's bytes, wherever they are; `blob` is the name of what is archived of them, if any."""

    @property
    def blob(self) -> str:
        """The name of the blob, empty if there is none."""

    def read(self, blobs: Blobs) -> Iterator[bytes]:
        """Return the bytes, piece by piece."""


class FileContent(msgspec.Struct, frozen=True):
    """A session's file with its bytes."""

    source: SourceFile
    content: Content


class Derived(msgspec.Struct):
    """A session's rows, and how many entries were decoded for them."""

    rows: SessionRows
    entries: int


def derive(
    session_id: str,
    files: list[FileContent],
    blobs: Blobs,
    limits: InlineLimits = LAPTOP_LIMITS,
    *,
    with_blocks: bool = True,
) -> Derived:
    """Build a session from its files, and make its rows, with texts up to some lengths.

    Without blocks, there are no texts to search or to show.
    """
    archived = (held.content for held in files if isinstance(held.content, BlobContent))
    blobs.prefetch((content.blob, content.frames) for content in archived)
    content = {held.source.path: held.content for held in files}
    session = SessionFiles(session_id, tuple(held.source for held in files))
    material = gather(session, lambda file: content[file.path].read(blobs))
    conversation = build(material)
    own = material_rows(material, limits, _blob_names(files))
    # What the conversation does not need of the entries makes room for the other rows.
    del material
    return Derived(to_rows(own, conversation, limits, with_blocks=with_blocks), own.entries)


def _blob_names(files: list[FileContent]) -> dict[str, str]:
    """Return the names of the blobs of files, by what rows call the files."""
    return {held.source.relative: held.content.blob for held in files}
