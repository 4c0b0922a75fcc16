"""Blobs on S3: each frame an object, until a blob is sealed into one.

Nothing is ever written over by other content, and only `seal` deletes: several processes may write
to a blob at once, and a row that any of them has written finds its frames. What an unfinished write
left is of no consequence to readers, who name their frames.
"""

import datetime as dt
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from clew.store.blobs import DamagedBlobError
from clew.store.frames import BadFrameError, Frame, FrameScan, unpack
from clew.store.open_frames import OpenFrames
from clew.store.protocols import PackedFrame
from clew.store.s3.bucket import Bucket
from clew.store.s3.errors import ObjectMissingError
from clew.store.s3.keys import (
    StoredObject,
    decode_name,
    encode_name,
    frame_key,
    sealed_key,
    sealed_keys,
)
from clew.store.s3.listing import BlobListing, find_end, is_sealed, list_blobs, newest_chain
from clew.store.s3.sealed import SealedReader
from clew.store.s3.uploads import Uploads, begin, load_ahead

if TYPE_CHECKING:
    from concurrent.futures import Future

_MISSING: Final = "missing"
_WRITTEN: Final = "clew-written"
# A blob that is replaced is written once all of it is there, if it is not larger than this.
_MOST_HELD_BYTES: Final = 16 << 20
# A larger object is written in parts, which takes three requests more.
_ONE_PUT_BYTES: Final = 8 << 20
# Of all that is fetched before anybody reads it, no more than this waits.
_MOST_AHEAD_BYTES: Final = 16 << 20
_NEVER: Final = dt.datetime.min.replace(tzinfo=dt.UTC)
# Nobody writes a row so long after its frames.
_LEFT_OVER_SECONDS: Final = 24 * 60 * 60


class S3Blobs:
    """Blobs as objects below a prefix of a bucket.

    Writes go on beside the caller; `flush` waits for them, and so does whoever reads the blob.
    """

    def __init__(self, bucket: Bucket) -> None:
        self.bucket = bucket
        self._uploads = Uploads()
        self._listing = BlobListing(bucket)
        self._sealed: dict[str, StoredObject] = {}
        self._expects_sealed = False
        self._ahead: dict[str, Future[bytes]] = {}
        self._opened = OpenFrames(self._packed)

    def append(self, name: str, at: int, packed: Iterable[PackedFrame]) -> None:  # noqa: ARG002 (a frame has its position)
        """Write frames after the first `at` bytes of a blob, over whatever follows them."""
        self._forget(name)
        attributes = {_WRITTEN: str(time.time_ns())}
        for data, frame in packed:
            put = partial(self.bucket.put, frame_key(name, frame), data, attributes)
            self._uploads.start(name, put)

    def replace(self, name: str, packed: Iterable[PackedFrame]) -> None:
        """Write frames in place of a whole blob, which is complete at every moment."""
        frames = iter(packed)
        held: list[PackedFrame] = []
        size = 0
        for data, frame in frames:
            held.append((data, frame))
            size += len(data)
            if size > _MOST_HELD_BYTES:
                break
        self.append(name, 0, chain(held, frames))
        if not held:
            # An empty file is listed as well.
            self._uploads.start(name, partial(self.bucket.put, sealed_key(name, ()), b""))

    def flush(self, names: Iterable[str]) -> None:
        """Wait until blobs are written; raise what failed.

        Raises:
            StorageError: An object could not be written.
        """
        for name in names:
            self._uploads.wait(name)

    def seal(self, name: str, frames: Iterable[Frame]) -> None:
        """Join all frames of a blob in one object, and delete what it takes the place of.

        Raises:
            DamagedBlobError: A frame is not what was written, or is missing; nothing has changed.
        """
        joined = list(frames)
        *earlier, key = sealed_keys(name, joined)
        self._uploads.wait(name)
        before = list_blobs(self.bucket, name).get(name, [])
        joined_keys = {*earlier, *(frame_key(name, frame) for frame in joined)}
        size = sum(frame.blob_bytes for frame in joined)
        done = [
            each.key
            for each in before
            if each.key in joined_keys or (each.key != key and _is_left_over(each, size))
        ]
        self._forget(name)
        if all(each.key != key for each in before) or not joined_keys.isdisjoint(done):
            self._put_sealed(name, key, joined)
        self.bucket.delete(done)

    def _put_sealed(self, name: str, key: str, frames: list[Frame]) -> None:
        # Whoever has a URL of it downloads it, rather than showing it under the bucket's name.
        attributes = {_WRITTEN: str(time.time_ns()), "Content-Disposition": "attachment"}
        pieces = (packed for packed, _ in self._read(name, frames))
        if sum(frame.blob_bytes for frame in frames) <= _ONE_PUT_BYTES:
            self.bucket.put(key, b"".join(pieces), attributes)
        else:
            self.bucket.put_large(key, pieces, attributes)
        for frame in frames:
            # Others need the room: nobody has read it for a while.
            self.bucket.cache.drop(frame_key(name, frame))

    def unsealed(self, names: Iterable[str]) -> Iterator[str]:
        """Return those of some blobs that are not one sealed object."""
        return (name for name in names if not is_sealed(self._listing.objects(name)))

    def delete(self, names: Iterable[str]) -> None:
        """Delete blobs for good, all objects of each."""
        for name in names:
            self._uploads.wait(name)
            self._forget(name)
            self.bucket.delete(found.key for found in self.bucket.objects(encode_name(name)))

    def presigned_url(self, name: str, seconds: int, endpoint: str = "") -> str | None:
        """Return a URL by which anybody can get a sealed blob for a time; None if it is not."""
        sealed = self._find_sealed(name)
        return None if sealed is None else self.bucket.sign(sealed.key, seconds, endpoint)

    def prefetch(self, wanted: Iterable[tuple[str, Sequence[Frame]]]) -> None:
        """Begin to fetch the first frame of each blob; reading fetches the others ahead."""
        room = _MOST_AHEAD_BYTES
        for name, frames in wanted:
            room -= sum(frame.blob_bytes for frame in frames[:1])
            if room < 0:
                return
            self._guess_sealed(name, frames)
            for frame in frames[:1]:
                self._begin_to_fetch(name, frame)

    def _begin_to_fetch(self, name: str, frame: Frame) -> None:
        key = frame_key(name, frame)
        if key in self._ahead or self.bucket.cache.get(key) is not None:
            return
        self._uploads.wait(name)
        fetching = self._ahead[key] = begin(partial(self._fetch, name, frame))
        fetching.add_done_callback(lambda _: self._ahead.pop(key, None))

    def read(self, name: str, frames: Iterable[Frame]) -> Iterator[bytes]:
        """Return the content, frame by frame, each verified by its hash.

        Raises:
            DamagedBlobError: It is not what was written, or is missing.
        """
        for _, data in self._read(name, list(frames)):
            yield data

    def _read(self, name: str, frames: list[Frame]) -> Iterator[tuple[bytes, bytes]]:
        """Return frames, compressed and verified, and their content."""
        self._uploads.wait(name)
        self._guess_sealed(name, frames)
        reader: SealedReader | None = None
        for frame, found in zip(frames, load_ahead(partial(self._get, name), frames), strict=True):
            packed = found
            if packed is None:
                reader = reader or SealedReader(self.bucket, self._sealed_with(name, frame))
                packed = self._get_sealed(name, reader, frame)
            try:
                data = unpack(packed, frame)
            except BadFrameError as error:
                packed, data = self._read_repaired(name, frame, error)
            yield packed, data

    def _read_repaired(self, name: str, frame: Frame, found: BadFrameError) -> tuple[bytes, bytes]:
        """Read a frame that is damaged in a sealed object, if it was written again since."""
        self.bucket.cache.drop(frame_key(name, frame))
        self._forget(name)
        packed = self._load(name, frame)
        try:
            if packed is None:
                raise found
            return packed, unpack(packed, frame)
        except BadFrameError as error:
            self.bucket.cache.drop(frame_key(name, frame))
            raise DamagedBlobError(name, str(error)) from error

    def _packed(self, name: str, frame: Frame) -> bytes:
        self._uploads.wait(name)
        return self._get(name, frame) or self._get_sealed_alone(name, frame)

    def _fetch(self, name: str, frame: Frame) -> bytes:
        return self._load(name, frame) or self._get_sealed_alone(name, frame)

    def _get(self, name: str, frame: Frame) -> bytes | None:
        """Return a frame that was fetched before, or its object, if it is not in a sealed one."""
        key = frame_key(name, frame)
        if (fetching := self._ahead.get(key)) is not None:
            return fetching.result()
        return self.bucket.cache.get(key) or self._load(name, frame)

    def _load(self, name: str, frame: Frame) -> bytes | None:
        sealed = self._sealed.get(name)
        if sealed is not None and frame.blob_start < sealed.end:
            return None
        key = frame_key(name, frame)
        try:
            found = self.bucket.get(key)
        except ObjectMissingError:
            return None
        self.bucket.cache.put(key, found)
        return found

    def _get_sealed_alone(self, name: str, frame: Frame) -> bytes:
        reader = SealedReader(self.bucket, self._sealed_with(name, frame))
        return self._get_sealed(name, reader, frame)

    def _get_sealed(self, name: str, reader: SealedReader, frame: Frame) -> bytes:
        """Return a frame of a sealed object, which may be another one than a moment ago."""
        try:
            found = reader.read(frame)
        except ObjectMissingError:
            self._forget(name)
            self._expects_sealed = False
            if (alone := self._load(name, frame)) is not None:
                return alone
            reader.sealed = self._sealed_with(name, frame)
            try:
                found = reader.read(frame)
            except ObjectMissingError as error:
                raise DamagedBlobError(name, _MISSING) from error
        self.bucket.cache.put(frame_key(name, frame), found)
        return found

    def _guess_sealed(self, name: str, frames: Sequence[Frame]) -> None:
        """Take a blob for sealed without a request, if the last one was; reading finds out."""
        if self._expects_sealed and frames and frames[0].blob_start == 0:
            size = sum(frame.blob_bytes for frame in frames)
            guess = StoredObject(name, sealed_key(name, frames), 0, size, _NEVER, is_sealed=True)
            self._sealed.setdefault(name, guess)

    def _sealed_with(self, name: str, frame: Frame) -> StoredObject:
        sealed = self._sealed.get(name) or self._find_sealed(name)
        if sealed is None or frame.blob_start >= sealed.end:
            raise DamagedBlobError(name, _MISSING)
        self._sealed[name] = sealed
        self._expects_sealed = True
        return sealed

    def _forget(self, name: str) -> None:
        self._listing.change(name)
        self._sealed.pop(name, None)

    def _find_sealed(self, name: str) -> StoredObject | None:
        objects = list_blobs(self.bucket, name).get(name, [])
        sealed = [each for each in objects if each.is_sealed and each.size]
        return max(sealed, key=self._written, default=None)

    def scan(self, name: str) -> FrameScan:
        """Find the frames of a blob, without a database.

        Raises:
            DamagedBlobError: It is missing.
        """
        self._uploads.wait(name)
        objects = list_blobs(self.bucket, name).get(name)
        if not objects:
            raise DamagedBlobError(name, _MISSING)
        keys = [each.key for each in newest_chain(objects, self._written)]
        try:
            return FrameScan(b"".join(load_ahead(self.bucket.get, keys)))
        except ObjectMissingError as error:
            raise DamagedBlobError(name, _MISSING) from error

    def _written(self, each: StoredObject) -> int:
        """Return when an object was written; listings round that to seconds."""
        written = self.bucket.attributes(each.key).get(_WRITTEN, "")
        return int(written) if written.isdecimal() else _nanoseconds(each)

    def read_range(self, name: str, frames: Iterable[Frame], start: int, size: int) -> bytes:
        """Return a part of the content, decompressing no more than needed, and not verified."""
        try:
            return self._opened.read_range(name, frames, start, size)
        except BadFrameError as error:
            raise DamagedBlobError(name, str(error)) from error

    def clear_cache(self) -> None:
        """Free the memory of frames that were decompressed, and of what was listed."""
        self._opened.clear()
        self._listing.clear()
        self._sealed.clear()

    def size(self, name: str) -> int:
        """Return the compressed size; 0 if there is no such blob."""
        self._uploads.wait(name)
        return find_end(self._listing.objects(name))

    def modified_ns(self, name: str) -> int:
        """Return when a blob was last written, in nanoseconds since 1970; 0 if it never was."""
        return max(map(_nanoseconds, self._listing.objects(name)), default=0)

    def folders(self) -> list[str]:
        """List the top folders, one for each root."""
        return sorted(map(decode_name, self.bucket.folders()))

    def names(self, folder: str = "") -> list[str]:
        """List all blobs, or those below a top folder."""
        return sorted(self._listing.folder(folder))


def _is_left_over(each: StoredObject, size: int) -> bool:
    """Tell whether a blob of so many bytes has no use for an object, nor a writer that is at it."""
    age = time.time() - each.modified.timestamp()
    return each.end <= size and age > _LEFT_OVER_SECONDS


def _nanoseconds(each: StoredObject) -> int:
    return int(each.modified.timestamp() * 1_000_000_000)
