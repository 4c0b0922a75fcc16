"""Frames that were pushed → the archived blobs of their files.

Frames are taken over as they were compressed. A file's frames of one generation are only ever added
to, so whoever places them a second time writes the same bytes to the same place.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeAlias

import msgspec

from clew.errors import ClewError
from clew.figures import plural
from clew.server.received import BlobPlan, FilePlan, ReceivedFrame
from clew.store.blob_names import blob_name
from clew.store.blobs import DamagedBlobError
from clew.store.derive import BlobContent, FileContent
from clew.store.frame_writer import MAX_HELD_BYTES
from clew.store.frames import BadFrameError, Frame, compress, unpack
from clew.store.objects import NoSuchObjectError, Objects
from clew.store.postgres.team import TeamDatabase
from clew.store.protocols import Blobs, PackedFrame

_AT_ONCE: Final = 8

PackedContent: TypeAlias = tuple[bytes, bytes]
"""A frame as it was compressed, and its content."""


class LostFramesError(ClewError):
    """Frames of a session are neither archived nor in the object they were sent to."""

    def __init__(self, frames: list[ReceivedFrame]) -> None:
        super().__init__(
            f"{plural(len(frames), 'part')} of its files must be sent again, which the device does "
            "at its next push"
        )
        self.frames = frames


class ArchivedCopyPlace(msgspec.Struct, frozen=True):
    """Where a frame is archived, in the blob of another file perhaps."""

    blob: str
    frame: Frame


class PlacedFile(msgspec.Struct, frozen=True):
    """A file all of whose frames are archived: its bytes, and which frames are new.

    `replaced` are those generations whose frames are all new.
    """

    plan: FilePlan
    content: FileContent
    added: dict[int, list[Frame]]
    replaced: frozenset[int]


class FramePlacer:
    """Archives the frames of one session; of its new bytes, some stay in memory."""

    def __init__(self, team: TeamDatabase, objects: Objects, blobs: Blobs) -> None:
        self._team = team
        self._objects = objects
        self._blobs = blobs
        self._copies: dict[int, ArchivedCopyPlace] = {}
        self._room = MAX_HELD_BYTES

    def place(self, plans: list[FilePlan]) -> list[PlacedFile]:
        """Archive all that is missing, so that it stays.

        Raises:
            LostFramesError: Some of it is nowhere.
        """
        wanted = [frame for plan in plans for blob in plan.blobs for frame in _needed(blob)]
        self._copies = {**_own_copies(plans), **_find_copies(self._team, wanted)}
        try:
            placed = [self._place_file(plan) for plan in plans]
        except (BadFrameError, DamagedBlobError, NoSuchObjectError):
            raise LostFramesError(self._find_lost(wanted)) from None
        self._blobs.flush(
            file.plan.known.blob_of(generation) for file in placed for generation in file.added
        )
        return placed

    def _place_file(self, plan: FilePlan) -> PlacedFile:
        known = plan.known
        added: dict[int, list[Frame]] = {}
        content = BlobContent(known.blob, ())
        if not plan.blobs:
            # An empty file is archived as well.
            self._blobs.append(known.blob, 0, ())
        for blob in plan.blobs:
            new, held = self._place_blob(known.blob_of(blob.generation), blob)
            if blob.is_changed:
                added[blob.generation] = new
            if blob.generation == known.generation:
                before = () if blob.is_damaged else blob.archived
                content = (
                    BlobContent(known.blob, (*before, *new))
                    if held is None
                    else BlobContent(known.blob, before, tuple(held))
                )
        replaced = frozenset(blob.generation for blob in plan.blobs if blob.is_damaged)
        return PlacedFile(plan, FileContent(known.as_source(), content), added, replaced)

    def _place_blob(self, name: str, blob: BlobPlan) -> tuple[list[Frame], list[bytes] | None]:
        """Archive one generation of a file; return its new frames, and their bytes if few."""
        needed = _needed(blob)
        if not needed:
            return [], []
        before = () if blob.is_damaged else blob.archived
        frames: list[Frame] = []
        held: list[bytes] | None = []
        start = sum(frame.size_bytes for frame in before)
        at = blob_start = sum(frame.blob_bytes for frame in before)

        def packed() -> Iterator[PackedFrame]:
            nonlocal held, start, at
            for received, data, content in self._fetch_all(needed):
                frame = Frame(start, len(content), at, len(data), received.hash)
                start, at = start + len(content), at + len(data)
                self._room -= len(content)
                held = None if held is None or self._room < 0 else [*held, content]
                frames.append(frame)
                yield data, frame

        if blob.is_damaged:
            self._blobs.replace(name, list(packed()))
        else:
            self._blobs.append(name, blob_start, packed())
        return frames, held

    def _fetch_all(
        self, frames: Iterable[ReceivedFrame]
    ) -> Iterator[tuple[ReceivedFrame, bytes, bytes]]:
        for frame, (data, content) in _ahead(self._fetch, frames):
            yield frame, data, content

    def _fetch(self, frame: ReceivedFrame) -> PackedContent:
        """Return a frame as it was compressed, and its content, verified by its hash."""
        if frame.object_key is not None:
            data = self._objects.get(frame.object_key)
            packed = Frame(0, frame.size_bytes, 0, len(data), frame.hash)
            return data, unpack(data, packed)
        copy = self._copies.get(frame.id)
        if copy is None:
            raise NoSuchObjectError(frame.hash.hex())
        content = b"".join(self._blobs.read(copy.blob, [copy.frame]))
        (data, _), *_ = compress([content], 0, 0)
        return data, content

    def _find_lost(self, frames: list[ReceivedFrame]) -> list[ReceivedFrame]:
        """Return those of some frames that cannot be had."""
        return [frame for frame in frames if not self._exists(frame)]

    def _exists(self, frame: ReceivedFrame) -> bool:
        try:
            self._fetch(frame)
        except (BadFrameError, DamagedBlobError, NoSuchObjectError):
            return False
        return True


def mark_lost(team: TeamDatabase, frames: list[ReceivedFrame]) -> None:
    """Let the device send frames again, unless it has since."""
    values = {
        "ids": [frame.id for frame in frames],
        "paths": [frame.object_key for frame in frames if frame.object_key is not None],
    }
    team.run("lose_frames", values)


def _needed(blob: BlobPlan) -> tuple[ReceivedFrame, ...]:
    """Return the frames that are written."""
    return blob.received if blob.is_damaged else blob.missing


def _own_copies(plans: list[FilePlan]) -> dict[int, ArchivedCopyPlace]:
    """Return the frames of damaged blobs, of which most are whole."""
    return {
        frame.id: ArchivedCopyPlace(plan.known.blob_of(blob.generation), archived)
        for plan in plans
        for blob in plan.blobs
        if blob.is_damaged
        for frame, archived in zip(blob.received, blob.archived, strict=False)
    }


def _find_copies(team: TeamDatabase, frames: list[ReceivedFrame]) -> dict[int, ArchivedCopyPlace]:
    """Find frames that are archived with other files, and have no object of their own any more."""
    ids = sorted({frame.id for frame in frames if frame.object_key is None})
    if not ids:
        return {}
    return {
        frame_id: ArchivedCopyPlace(blob_name(root, path, generation, blob_path), Frame(*frame))
        for frame_id, root, path, blob_path, generation, *frame in team.rows(
            "archived_copies", {"ids": ids}
        )
    }


def _ahead(
    fetch: Callable[[ReceivedFrame], PackedContent], frames: Iterable[ReceivedFrame]
) -> Iterator[tuple[ReceivedFrame, PackedContent]]:
    """Fetch some frames while others are written."""
    waiting: deque[tuple[ReceivedFrame, Future[PackedContent]]] = deque()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            for frame in frames:
                waiting.append((frame, pool.submit(fetch, frame)))
                if len(waiting) >= _AT_ONCE:
                    first, fetched = waiting.popleft()
                    yield first, fetched.result()
            while waiting:
                first, fetched = waiting.popleft()
                yield first, fetched.result()
        finally:
            pool.shutdown(cancel_futures=True)
