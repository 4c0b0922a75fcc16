"""Blobs from before frames had checksums get one, a bounded amount at each sync."""

import hashlib
from typing import Final

import msgspec

from clew.store.archived_files import ArchivedFile, insert_frames, load_files, load_frames
from clew.store.blobs import DamagedBlobError, UnreadableBlobError
from clew.store.damage import BlobDamage, save_damage
from clew.store.frames import Frame, content_hash, make_checksum_frame
from clew.store.protocols import Blobs, Database

_ROOM_BYTES: Final = 64 << 20
"""How much of the archived bytes one sync goes through, about."""


def add_checksums(database: Database, blobs: Blobs) -> None:
    """Append a seal to blobs that have none, until enough is done for one sync.

    What a blob holds is verified first. A crash leaves at most a seal that no row speaks of, and
    the next append writes over it.
    """
    unsealed = list(database.rows("blobs_without_checksum"))
    if not unsealed:
        return
    files = {file.id: file for file in load_files(database).values()}
    room = _ROOM_BYTES
    for file_id, generation in unsealed:
        if room > 0 and file_id in files:
            room -= _seal(database, blobs, files[file_id], generation)


def _seal(database: Database, blobs: Blobs, file: ArchivedFile, generation: int) -> int:
    """Seal one blob; return how much of it was gone through."""
    name = file.blob_of(generation)
    frames = load_frames(database, file.id, generation)
    try:
        whole, digest = _hash_all(blobs, name, frames)
        packed, seal = make_checksum_frame(frames, digest)
        blobs.append(name, seal.blob_start, [(packed, seal)])
        blobs.flush([name])
    except UnreadableBlobError:
        return 0
    except DamagedBlobError as error:
        with database.transaction():
            save_damage(database, [BlobDamage(file.id, generation, error.reason)])
        return 0
    with database.transaction():
        for number, frame in enumerate(whole):
            database.run(
                "set_frame_hash",
                {
                    "hash": frame.hash,
                    "file_id": file.id,
                    "generation": generation,
                    "number": number,
                },
            )
        insert_frames(database, file.id, generation, [seal])
    return seal.start_bytes


def _hash_all(blobs: Blobs, name: str, frames: list[Frame]) -> tuple[list[Frame], bytes]:
    """Return frames with their whole hashes, and the hash of all their content."""
    whole = []
    digest = hashlib.sha256()
    for frame, data in zip(frames, blobs.read(name, frames), strict=True):
        digest.update(data)
        whole.append(msgspec.structs.replace(frame, hash=content_hash(data)))
    return whole, digest.digest()
