"""Blobs that no longer grow → one object each, where frames are objects of their own."""

import datetime as dt
import time
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from clew.store.archived_files import ArchivedFile, load_frames
from clew.store.blobs import DamagedBlobError
from clew.store.damage import BlobDamage, save_damage
from clew.store.frames import Frame
from clew.store.protocols import Blobs
from clew.store.sync_state import SyncState

IDLE: Final = dt.timedelta(hours=1)
"""For so long must nobody have written to a file."""

# What one sync seals at most, so that none takes long by it.
_MOST_BLOBS: Final = 500
_MOST_BYTES: Final = 64 << 20
_MOST_SECONDS: Final = 1.0
_AT_ONCE: Final = 16
_NANO: Final = 1_000_000_000


class _IdleBlob(msgspec.Struct, frozen=True):
    """One generation of a file that no longer grows."""

    file: ArchivedFile
    generation: int

    @property
    def name(self) -> str:
        return self.file.blob_of(self.generation)


def seal_idle_blobs(state: SyncState) -> None:
    """Seal blobs of files that have been idle for an hour, a bounded amount at each sync.

    A blob that turns out to be damaged is recorded, and stays as it is.
    """
    before_ns = round((state.started - IDLE).timestamp() * _NANO)
    names = (blob.name for blob in _idle_blobs(state, before_ns))
    unsealed = set(islice(state.blobs.unsealed(names), _MOST_BLOBS))
    if not unsealed:
        return
    chosen = (blob for blob in _idle_blobs(state, before_ns) if blob.name in unsealed)
    damage = [found for found in _seal_all(state, chosen) if found is not None]
    with state.database.transaction():
        save_damage(state.database, damage)


def _seal_all(state: SyncState, blobs: Iterator[_IdleBlob]) -> Iterator[BlobDamage | None]:
    """Seal some blobs at a time, as long as there is time."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 (rarely needed)

    left = _with_frames(state, blobs)
    until = time.monotonic() + _MOST_SECONDS
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while time.monotonic() < until and (batch := list(islice(left, _AT_ONCE))):
            yield from pool.map(lambda each: _seal(state.blobs, *each), batch)


def _idle_blobs(state: SyncState, before_ns: int) -> Iterator[_IdleBlob]:
    for key, file in state.known.items():
        if key in state.found or file.mtime_ns > before_ns:
            continue
        for number in range(1, file.generation + 1):
            if (file.id, number) not in state.damage:
                yield _IdleBlob(file, number)


def _with_frames(
    state: SyncState, blobs: Iterator[_IdleBlob]
) -> Iterator[tuple[_IdleBlob, list[Frame]]]:
    """Load the frames of blobs, as many as one sync seals."""
    room = _MOST_BYTES
    for blob in blobs:
        frames = load_frames(state.database, blob.file.id, blob.generation)
        if not frames:
            continue
        yield blob, frames
        room -= sum(frame.blob_bytes for frame in frames)
        if room <= 0:
            return


def _seal(blobs: Blobs, blob: _IdleBlob, frames: list[Frame]) -> BlobDamage | None:
    try:
        blobs.seal(blob.name, frames)
    except DamagedBlobError as error:
        return BlobDamage(blob.file.id, blob.generation, error.reason)
    return None
