"""Blobs in a folder: each source file as zstd frames, in a tree that mirrors the source.

The concatenation of a blob's frames is the file, so `zstd -d` alone restores it. A frame is
appended and made durable before a row mentions it; bytes after the last known frame are the
remains of an interrupted write, and are overwritten.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from clew.errors import ClewError
from clew.store.frames import BadFrameError, Frame, FrameScan, unpack
from clew.store.open_frames import OpenFrames
from clew.store.protocols import PackedFrame

_PIECE: Final = 1 << 20
_SUFFIX: Final = ".zst"


class DamagedBlobError(ClewError):
    """An archived file does not have the bytes that were written to it."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"the archived copy {name} is damaged ({reason}); `clew sync` repairs it while its "
            "source exists, otherwise restore it from a backup"
        )
        self.name = name
        self.reason = reason


class UnreadableBlobError(DamagedBlobError):
    """An archived file cannot be opened for lack of permission."""

    def __init__(self, name: str, reason: str) -> None:
        ClewError.__init__(
            self, f"the archived copy {name} cannot be opened ({reason}); check its permissions"
        )
        self.name = name
        self.reason = reason


class FolderBlobs:
    """Blobs as files below a folder of our own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._prefix = f"{folder}/"
        self._opened = OpenFrames(self._packed)

    def path(self, name: str) -> Path:
        """Return the path of a blob; names come from file names, so it is below the folder."""
        return self.folder.joinpath(*(_safe(part) for part in name.split("/")))

    def append(self, name: str, at: int, packed: Iterable[PackedFrame]) -> None:
        """Write frames after the first `at` bytes of a blob, over whatever follows them.

        Frames that are there already stay, and what follows them: somebody who is late, and does
        not know it, takes nothing away from whoever has written more since.

        Raises:
            UnreadableBlobError: There is no permission to write it.
        """
        descriptor = self._open_for_writing(name)
        try:
            os.lseek(descriptor, at, os.SEEK_SET)
            is_longer = os.fstat(descriptor).st_size > at
            missing = _skip_present(descriptor, packed) if is_longer else packed
            if missing is not None:
                os.ftruncate(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR))
                for data, _ in missing:
                    _write_all(descriptor, data)
        finally:
            os.close(descriptor)

    def replace(self, name: str, packed: Iterable[PackedFrame]) -> None:
        """Write frames in place of a whole blob, if there is one.

        The blob is complete at every moment, the old one or the new one.

        Raises:
            UnreadableBlobError: There is no permission to write it.
        """
        path = self.path(name)
        if not path.exists():
            self.append(name, 0, packed)
            return
        part = path.with_name(f".{os.getpid()}.part")
        part_name = f"{name.rpartition('/')[0]}/{part.name}"
        part.unlink(missing_ok=True)
        try:
            self.append(part_name, 0, packed)
            self.flush([part_name])
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def _open_for_writing(self, name: str) -> int:
        path = self.path(name)
        # Windows would change newlines otherwise.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            if not path.parent.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(path, flags, 0o600)
        except PermissionError as error:
            raise UnreadableBlobError(name, error.strerror or "refused") from error

    def flush(self, names: Iterable[str]) -> None:
        """Make blobs durable, before a row mentions what was written."""
        for name in names:
            # Windows makes nothing durable through what can only be read.
            descriptor = os.open(self.path(name), os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def seal(self, name: str, frames: Iterable[Frame]) -> None:
        """Verify a blob, which is one file already, and cut off what an unfinished write left.

        Raises:
            DamagedBlobError: It is not what was written, is missing, or cannot be opened.
        """
        sealed = list(frames)
        for _ in self.read(name, sealed):
            pass
        os.truncate(self.path(name), sum(frame.blob_bytes for frame in sealed))

    def unsealed(self, names: Iterable[str]) -> Iterator[str]:  # noqa: ARG002 (asks for none)
        """Return none: each is one file."""
        return iter(())

    def delete(self, names: Iterable[str]) -> None:
        """Delete blobs for good; those that are not there do not matter."""
        for name in names:
            self.path(name).unlink(missing_ok=True)

    def presigned_url(self, name: str, seconds: int) -> None:
        """Return None: nobody can download from a folder."""

    def prefetch(self, wanted: Iterable[tuple[str, Sequence[Frame]]]) -> None:
        """Do nothing: a disk answers at once."""

    def read(self, name: str, frames: Iterable[Frame]) -> Iterator[bytes]:
        """Return the content, frame by frame, each verified by its hash.

        Raises:
            DamagedBlobError: It is not what was written, is missing, or cannot be opened.
        """
        with self._open(name) as stream:
            for frame in frames:
                stream.seek(frame.blob_start)
                try:
                    yield unpack(stream.read(frame.blob_bytes), frame)
                except BadFrameError as error:
                    raise DamagedBlobError(name, str(error)) from error

    def scan(self, name: str) -> FrameScan:
        """Find the frames of a blob, without a database.

        Raises:
            DamagedBlobError: It is missing, or cannot be opened.
        """
        with self._open(name) as stream:
            return FrameScan(stream.read())

    def read_range(self, name: str, frames: Iterable[Frame], start: int, size: int) -> bytes:
        """Return a part of the content, decompressing no more than needed, and not verified."""
        try:
            return self._opened.read_range(name, frames, start, size)
        except BadFrameError as error:
            raise DamagedBlobError(name, str(error)) from error

    def clear_cache(self) -> None:
        """Free the memory of frames that were decompressed for `read_range`."""
        self._opened.clear()

    def _packed(self, name: str, frame: Frame) -> bytes:
        with self._open(name) as stream:
            stream.seek(frame.blob_start)
            return stream.read(frame.blob_bytes)

    def _open(self, name: str) -> BinaryIO:
        try:
            return self.path(name).open("rb")
        except PermissionError as error:
            raise UnreadableBlobError(name, error.strerror or "refused") from error
        except OSError as error:
            raise DamagedBlobError(name, error.strerror or "missing") from error

    def size(self, name: str) -> int:
        """Return the compressed size; 0 if there is no such blob."""
        # Each sync needs all sizes, and most names are plain.
        is_plain = not any(odd in name for odd in ("/.", "//", "\0"))
        path = f"{self._prefix}{name}" if is_plain else self.path(name)
        try:
            return os.stat(path).st_size  # noqa: PTH116 (a Path takes longer than the call)
        except OSError:
            return 0

    def modified_ns(self, name: str) -> int:
        """Return when a blob was last written, in nanoseconds since 1970."""
        return self.path(name).stat().st_mtime_ns

    def folders(self) -> list[str]:
        """List the top folders, one for each root."""
        try:
            return sorted(path.name for path in self.folder.iterdir() if path.is_dir())
        except FileNotFoundError:
            return []

    def names(self, folder: str = "") -> list[str]:
        """List all blobs, or those below a top folder."""
        return sorted(
            Path(place, name).relative_to(self.folder).as_posix()
            for place, _, names in os.walk(self.folder / folder)
            for name in names
            if name.endswith(_SUFFIX)
        )


def _skip_present(descriptor: int, packed: Iterable[PackedFrame]) -> Iterable[PackedFrame] | None:
    """Move behind those frames that a blob has; return the others, None if there are none."""
    frames = iter(packed)
    for data, frame in frames:
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        if os.read(descriptor, len(data)) != data:
            os.lseek(descriptor, at, os.SEEK_SET)
            return chain([(data, frame)], frames)
    return None


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:_PIECE]) :]


def _safe(part: str) -> str:
    """No part of a name leads out of the folder."""
    return {"": "_", ".": "_.", "..": "_.."}.get(part, part).replace("\0", "_")
