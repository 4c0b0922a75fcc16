"""A kept file's bytes, as one job holds them: kept frames, then what was just read."""

from collections.abc import Iterator

import msgspec

from clew.source import SourceFile
from clew.store.blobs import FolderBlobs, Frame


class Content(msgspec.Struct, frozen=True):
    """A file's bytes: kept frames, then what was just read."""

    blob: str
    frames: tuple[Frame, ...]
    new: bytes = b""

    def read(self, blobs: FolderBlobs, start: int = 0) -> Iterator[bytes]:
        """Give the bytes from an offset on, piece by piece; frames before it stay packed."""
        frames = [f for f in self.frames if f.start_bytes + f.size_bytes > start]
        kept = sum(frame.size_bytes for frame in self.frames)
        if frames:
            skipped = max(0, start - frames[0].start_bytes)
            for piece in blobs.read(self.blob, frames):
                yield piece[skipped:] if skipped else piece
                skipped = 0
        if len(self.new) > max(0, start - kept):
            yield self.new[max(0, start - kept) :]


class Held(msgspec.Struct, frozen=True):
    """A session's file with its bytes; one that has grown begins with all that it was before."""

    source: SourceFile
    content: Content
    is_changed: bool = False
    has_grown: bool = False
